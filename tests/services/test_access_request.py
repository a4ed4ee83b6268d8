"""Asking for access tells nothing; those who could grant it answer, once."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.cast import Cast
from workspace import errors
from workspace.models import AccessRequest, AuditEntry, Document, Grant
from workspace.queries import access_requests as reads
from workspace.queries import documents as texts
from workspace.services import access_requests, agents, bearer, documents, folders, purging, sharing
from workspace.services.access_requests import Asked

PLACE = "product/launch"
PLAN_AT = f"{PLACE}/plan.md"


def ids(page: object) -> list[str]:
    return [row.id for row in page.items]  # type: ignore[attr-defined]


def test_a_request_for_what_is_hidden_absent_or_deleted_is_answered_alike(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location=f"{PLACE}/gone.md", content="x")
    documents.delete(cast.alice, location=f"{PLACE}/gone.md")
    answers, statements = [], []
    for location in (PLACE, PLAN_AT, "product/nothing", "product/nothing/at/all.md", "nowhere", f"{PLACE}/gone.md"):
        with CaptureQueriesContext(connection) as queries:
            asked = access_requests.ask(cast.mallory, location=location, role="viewer", reason="please")
        answers.append(replace(asked, id="", location="", created_at=None))  # type: ignore[arg-type]
        statements.append([q["sql"].split(" VALUES")[0].split(" WHERE")[0].split("LEFT JOIN")[0] for q in queries])
    assert answers == [answers[0]] * 6
    assert [len(found) for found in statements] == [len(statements[0])] * 6
    assert {row.location: row.state for row in reads.mine(cast.mallory).items} == dict.fromkeys(
        (PLACE, PLAN_AT, "product/nothing", "product/nothing/at/all.md", "nowhere", f"{PLACE}/gone.md"), "open"
    )
    assert {row.location for row in reads.to_decide(cast.alice).items} == {PLACE, PLAN_AT}


def test_what_is_held_already_is_said_to_those_only_who_see_the_place(cast: Cast, plan: str) -> None:
    for actor, role in ((cast.carol, "viewer"), (cast.bob, "viewer"), (cast.bob, "editor"), (cast.rover, "editor")):
        with pytest.raises(errors.Invalid) as refused:
            access_requests.ask(actor, location=PLAN_AT, role=role)
        assert refused.value.errors[0].field == "role"
    folders.create(cast.bob, location="elsewhere")
    token = agents.create(cast.bob, name="narrow", scopes=["editor@elsewhere"]).token
    narrow = bearer.authenticate(token, via=cast.rover.via)
    asked = access_requests.ask(narrow, location=PLAN_AT, role="viewer")  # it cannot see the place
    assert asked.state == "open"


def test_asking_again_changes_nothing_and_the_twenty_first_waits(cast: Cast) -> None:
    first = access_requests.ask(cast.mallory, location=PLACE, role="viewer", reason="one")
    assert access_requests.ask(cast.mallory, location=PLACE, role="editor", reason="two") == first
    for n in range(19):
        access_requests.ask(cast.mallory, location=f"nowhere/{n}", role="viewer")
    for location in ("nowhere/more", "product"):
        with pytest.raises(errors.RateLimited):
            access_requests.ask(cast.mallory, location=location, role="viewer")
    assert access_requests.ask(cast.mallory, location=PLACE, role="viewer") == first
    access_requests.withdraw(cast.mallory, request=first.id)
    access_requests.ask(cast.mallory, location="product", role="viewer")


def test_asking_and_withdrawing_over_and_over_is_bounded_by_the_day(cast: Cast) -> None:
    for n in range(access_requests.MOST_A_DAY):
        asked = access_requests.ask(cast.mallory, location=PLACE, role="viewer", reason=str(n))
        access_requests.withdraw(cast.mallory, request=asked.id)
    refused = []
    for location in (PLACE, "nowhere"):
        with pytest.raises(errors.RateLimited) as refusal:
            access_requests.ask(cast.mallory, location=location, role="viewer")
        refused.append(str(refusal.value))
    assert "within 24 hours" in refused[0]
    assert 0 < refusal.value.retry_after <= 86_400
    assert AccessRequest.objects.count() == access_requests.MOST_A_DAY
    assert access_requests.ask(cast.carol, location=PLACE, role="editor").state == "open"
    AccessRequest.objects.filter(person=cast.mallory.person).update(created_at=timezone.now() - timedelta(hours=25))
    assert access_requests.ask(cast.mallory, location=PLACE, role="viewer").state == "open"


@pytest.mark.parametrize(
    "arguments",
    [
        {"location": "", "role": "viewer"},
        {"location": "a//b", "role": "viewer"},
        {"location": "a", "role": "owner"},
        {"location": "a", "role": None},
        {"location": "a", "role": "viewer", "reason": "x" * 2001},
        {"location": "a", "role": "viewer", "reason": "\x00"},
        {"location": 5, "role": "viewer"},
    ],
)
def test_a_malformed_request_is_refused_whatever_is_there(cast: Cast, arguments: dict) -> None:
    with pytest.raises(errors.Invalid):
        access_requests.ask(cast.mallory, **arguments)
    assert not AccessRequest.objects.exists()


def test_requests_go_to_those_who_could_grant_them(cast: Cast, plan: str) -> None:
    as_viewer = access_requests.ask(cast.mallory, location=PLAN_AT, role="viewer")
    as_manager = access_requests.ask(cast.mallory, location=PLACE, role="manager")
    assert ids(reads.to_decide(cast.alice)) == [as_viewer.id, as_manager.id]
    assert ids(reads.to_decide(cast.bob)) == [as_viewer.id]
    assert ids(reads.to_decide(cast.carol)) == ids(reads.to_decide(cast.mallory)) == []
    assert ids(reads.to_decide(cast.alice, location=PLAN_AT)) == [as_viewer.id]
    assert ids(reads.to_decide(cast.alice, location="product")) == [as_viewer.id, as_manager.id]
    assert (reads.decidable(cast.alice).count(), reads.decidable(cast.bob).count()) == (2, 1)
    for actor in (cast.bob, cast.carol, cast.mallory):
        with pytest.raises(errors.NotFound):
            access_requests.decide(actor, request=as_manager.id, approve=True)
    sharing.set_editors_share(cast.alice, location="product", allowed=False)
    assert ids(reads.to_decide(cast.bob)) == []
    with pytest.raises(errors.NotFound):
        access_requests.decide(cast.bob, request=as_viewer.id, approve=False)


def test_approving_grants_what_was_asked_for_or_less_and_never_more(cast: Cast, plan: str) -> None:
    asked = access_requests.ask(cast.mallory, location=PLAN_AT, role="editor", reason="to help")
    (row,) = reads.to_decide(cast.alice).items
    assert (row.email, row.location, row.of, row.reason) == ("mallory@example.org", PLAN_AT, "document", "to help")
    with pytest.raises(errors.Invalid):
        access_requests.decide(cast.alice, request=asked.id, approve=True, role="manager")
    told = access_requests.preview(cast.alice, request=asked.id, role="viewer")
    assert [change.email for change in told.gains] == ["mallory@example.org"]
    token = sharing.confirm_token(
        cast.alice, change=access_requests.change(cast.alice, request=asked.id, role="viewer")
    )
    with pytest.raises(errors.AccessChange):
        access_requests.decide(cast.alice, request=asked.id, approve=True, role="editor", confirm_token=token)
    done = access_requests.decide(
        cast.alice, request=asked.id, approve=True, role="viewer", answer="Read first.", confirm_token=token
    )
    assert (done.state, done.granted, done.answer, done.again) == ("approved", "viewer", "Read first.", False)
    assert texts.read(cast.mallory, location=PLAN_AT).role.label == "viewer"
    (mine,) = reads.mine(cast.mallory, state="approved").items
    assert (mine.decided_by, mine.answer, mine.granted and mine.granted.label) == ("Alice", "Read first.", "viewer")
    again = access_requests.decide(cast.alice, request=asked.id, approve=False)
    assert (again.again, again.state) == (True, "approved")
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions)[-3:] == ["access.requested", "grant.given", "access.approved"]


def test_declining_gives_nothing(cast: Cast) -> None:
    asked = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    with pytest.raises(errors.Invalid):
        access_requests.decide(cast.alice, request=asked.id, approve=False, role="viewer")
    done = access_requests.decide(cast.bob, request=asked.id, approve=False, answer="Not yet.")
    assert (done.state, done.granted) == ("declined", "")
    assert not Grant.objects.filter(person=cast.people["mallory"]).exists()
    again = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    assert again.id != asked.id


def test_an_approval_never_takes_away_what_somebody_has_meanwhile(cast: Cast) -> None:
    asked = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    sharing.grant(cast.alice, location=PLACE, subject="mallory@example.org", role="editor")
    done = access_requests.decide(cast.alice, request=asked.id, approve=True)
    assert done.state == "approved"
    assert Grant.objects.get(person=cast.people["mallory"]).role == 2


def test_a_place_or_a_person_that_is_gone_meanwhile_is_not_granted(cast: Cast, plan: str) -> None:
    of_document = access_requests.ask(cast.mallory, location=PLAN_AT, role="viewer")
    of_folder = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    documents.delete(cast.alice, location=PLAN_AT)
    with pytest.raises(errors.Gone):
        access_requests.decide(cast.alice, request=of_document.id, approve=True)
    cast.people["mallory"].is_active = False
    cast.people["mallory"].save()
    assert ids(reads.to_decide(cast.alice)) == []
    with pytest.raises(errors.Invalid):
        access_requests.decide(cast.alice, request=of_folder.id, approve=True)
    access_requests.decide(cast.alice, request=of_folder.id, approve=False)
    folders.delete(cast.alice, location="product")
    with pytest.raises(errors.NotFound):
        access_requests.decide(cast.alice, request=of_folder.id, approve=True)


def test_a_request_outlives_the_purge_of_its_place(cast: Cast, plan: str) -> None:
    asked = access_requests.ask(cast.mallory, location=PLAN_AT, role="viewer")
    documents.delete(cast.alice, location=PLAN_AT)
    list(purging.documents(replace(cast.alice, admin=True), before=timezone.now() + timedelta(days=1)))
    assert not Document.objects.exists()
    assert ids(reads.mine(cast.mallory)) == [asked.id]
    with pytest.raises(errors.NotFound):
        access_requests.decide(cast.alice, request=asked.id, approve=True)


def test_nobody_decides_what_they_asked_for_themselves(cast: Cast) -> None:
    asked = access_requests.ask(cast.bob, location=PLACE, role="manager")
    AccessRequest.objects.filter(pk=asked.id).update(role=2)
    for actor in (cast.bob, cast.rover):
        with pytest.raises(errors.Forbidden):
            access_requests.decide(actor, request=asked.id, approve=True)
    assert ids(reads.to_decide(cast.bob)) == []


def test_an_agent_asks_for_its_person_and_says_so(cast: Cast) -> None:
    asked = access_requests.ask(cast.rover, location=PLACE, role="manager", reason="to tidy up")
    (row,) = reads.to_decide(cast.alice).items
    assert (row.by.kind, row.by.label, row.email) == ("agent", "rover", "bob@example.org")
    assert ids(reads.mine(cast.bob)) == [asked.id]
    done = access_requests.decide(cast.scout, request=asked.id, approve=True)
    assert done.granted == "manager"
    assert Grant.objects.get(person=cast.people["bob"]).role == 3
    reader = replace(cast.scout, scopes=(cast.scout.scopes or ()))
    assert isinstance(access_requests.ask(reader, location="nowhere", role="viewer"), Asked)


def test_a_request_is_withdrawn_by_whoever_made_it_alone(cast: Cast) -> None:
    asked = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    for actor in (cast.alice, cast.bob):
        with pytest.raises(errors.NotFound):
            access_requests.withdraw(actor, request=asked.id)
    with pytest.raises(errors.NotFound):
        access_requests.withdraw(cast.mallory, request="acr_none")
    assert access_requests.withdraw(cast.mallory, request=asked.id).state == "withdrawn"
    assert access_requests.withdraw(cast.mallory, request=asked.id).again
    done = access_requests.decide(cast.alice, request=asked.id, approve=True)
    assert (done.state, done.again) == ("withdrawn", True)
    assert not Grant.objects.filter(person=cast.people["mallory"]).exists()


def test_an_id_that_is_not_ones_to_decide_is_answered_as_one_that_never_was(cast: Cast) -> None:
    hidden = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    nowhere = access_requests.ask(cast.mallory, location="nowhere", role="viewer")
    counts = []
    for request in (hidden.id, nowhere.id, "acr_none"):
        with CaptureQueriesContext(connection) as queries, pytest.raises(errors.NotFound):
            access_requests.decide(cast.carol if request != hidden.id else cast.mallory, request=request, approve=True)
        counts.append(len(queries))
    assert counts == [counts[0]] * 3


def test_of_two_decisions_at_once_one_holds(committed_cast: Cast) -> None:
    cast = committed_cast
    asked = access_requests.ask(cast.mallory, location=PLACE, role="viewer")
    barrier, outcomes = threading.Barrier(2), []

    def decide(actor: object, approve: bool) -> None:
        barrier.wait()
        try:
            outcomes.append(access_requests.decide(actor, request=asked.id, approve=approve))  # type: ignore[arg-type]
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=pair) for pair in ((cast.alice, True), (cast.bob, False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.again for outcome in outcomes) == [False, True]
    first = next(outcome for outcome in outcomes if not outcome.again)
    assert {outcome.state for outcome in outcomes} == {first.state}
    held = Grant.objects.filter(person=cast.people["mallory"]).exists()
    assert held == (first.state == "approved")
