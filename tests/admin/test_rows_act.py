"""What can be done in the admin is done by services, and refusals are told."""

from collections.abc import Callable

import pytest
from django.contrib.messages import get_messages
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from workspace import access, models
from workspace.actor import Via
from workspace.errors import Unauthenticated
from workspace.models import Person
from workspace.services import access_requests, agents, bearer, connections, folders


def act(desk: Client, action: str, *rows: Model) -> HttpResponse:
    name = rows[0]._meta.model_name
    return desk.post(
        reverse(f"admin:workspace_{name}_changelist"),
        {"action": action, "_selected_action": [row.pk for row in rows]},
    )


def told(response: HttpResponse) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]  # type: ignore[attr-defined]


def test_a_failed_job_is_retried(desk: Client, fill: Callable[[int], None]):
    fill(2)
    first, second = models.Job.objects.order_by("pk")
    response = act(desk, "retry", first)
    assert told(response) == ["1 retried."]
    assert models.Job.objects.filter(state="pending", target=first.target).count() == 1
    assert models.Job.objects.get(pk=second.pk).state == "failed"


def test_a_revoked_token_is_refused_from_the_next_request_on(desk: Client, root: Person):
    from_root = agents.create(access.person_actor(root, via=Via.WEB), name="scout")
    bearer.authenticate(from_root.token, via=Via.REST)
    act(desk, "revoke", models.AgentToken.objects.get())
    with pytest.raises(Unauthenticated):
        bearer.authenticate(from_root.token, via=Via.REST)
    assert models.Agent.objects.get().revoked_at is None
    receipt = models.Receipt.objects.filter(kind="agent-revoked").get()
    assert (receipt.person, receipt.via) == (root, Via.ADMIN)


def test_a_revoked_agent_loses_its_tokens(desk: Client, fill: Callable[[int], None]):
    fill(2)
    first, second = models.Agent.objects.order_by("pk")
    act(desk, "revoke", first)
    assert not first.tokens.filter(revoked_at=None).exists()
    assert second.tokens.filter(revoked_at=None).exists()


def test_a_connection_is_ended_its_agent_stays_and_its_grant_is_masked(desk: Client, fill: Callable[[int], None]):
    fill(2)
    first, second = models.Connection.objects.order_by("pk")
    address = reverse("admin:workspace_connection_change", args=[first.pk])
    assert first.grant_id not in desk.get(address).content.decode()
    response = act(desk, "end", first)
    assert told(response) == ["1 ended."]
    first.refresh_from_db()
    assert first.ended_why == "ended by an administrator"
    assert models.Agent.objects.get(pk=first.agent_id).revoked_at is None
    assert connections.live(first.grant_id) is None
    assert connections.live(second.grant_id) is not None


def test_a_conflict_is_discarded_and_its_draft_stays_in_the_record(desk: Client, fill: Callable[[int], None]):
    fill(1)
    conflict = models.Conflict.objects.get()
    act(desk, "discard", conflict)
    conflict.refresh_from_db()
    assert (conflict.state, conflict.draft.content) == ("discarded", "text 0")


def test_the_last_manager_keeps_their_grant_and_the_reason_is_told(desk: Client, fill: Callable[[int], None]):
    fill(1)
    only, other = models.Grant.objects.order_by("-role")
    response = act(desk, "withdraw", only, other)
    assert set(models.Grant.objects.all()) == {only}
    assert told(response) == [
        "p0@example.org: The last manager cannot leave. Make somebody else manager first.",
        "1 withdrawn.",
    ]


def test_a_capture_is_erased(desk: Client, fill: Callable[[int], None]):
    fill(1)
    capture = models.Capture.objects.get()
    act(desk, "erase", capture)
    capture.refresh_from_db()
    assert capture.content == ""
    assert capture.deleted_at


def test_staff_who_are_not_administrators_are_offered_no_action(fill: Callable[[int], None]):
    fill(1)
    clerk = Person.objects.create(email="clerk@example.org", is_staff=True)
    client = Client()
    client.force_login(clerk)
    job = models.Job.objects.get()
    act(client, "retry", job)
    assert models.Job.objects.get(pk=job.pk).state == "failed"


def test_requests_for_access_are_approved_and_declined_once(desk: Client, root: Person):
    asker = Person.objects.create_user("asker@example.org")
    actor = access.person_actor(asker, via=Via.WEB)
    folders.create(access.person_actor(root, via=Via.WEB), location="office")
    asked = [access_requests.ask(actor, location=place, role="viewer") for place in ("office", "nowhere")]
    rows = [models.AccessRequest.objects.get(pk=one.id) for one in asked]
    first = told(act(desk, "approve", *rows))
    assert "1 approved." in first  # a place that is not there cannot be given
    assert models.Grant.objects.get(person=asker).folder.path == "office"
    assert "1 declined." not in told(act(desk, "decline", rows[0]))
    assert models.AccessRequest.objects.get(pk=asked[0].id).state == "approved"
