"""A capture that is only proposed is its person's alone: it waits, is approved or declined, and its time runs."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from tests.cast import Cast
from workspace.actor import Actor
from workspace.errors import Forbidden, Gone, IdempotencyMismatch, Invalid, NotFound
from workspace.jobs import work
from workspace.models import AuditEntry, Capture, Document, Job, JobKind, Receipt
from workspace.queries import access, briefs, captures, jobs, receipts
from workspace.queries import audit as log
from workspace.queries.audit_filters import Filters
from workspace.services import captures as services
from workspace.services import folders, sharing

PLACE = "product/launch"
TEXT = "# Decided\n\n- The gate opens on Tuesday.\n"


def propose(actor: Actor, name: str = "one") -> str:
    return services.commit(actor, folder=PLACE, content=TEXT, operation_id=name, propose=True).id


def test_it_is_said_to_wait_and_a_retry_is_the_same(cast: Cast, plan: str) -> None:
    first = services.commit(cast.rover, folder=PLACE, content=TEXT, operation_id="o", propose=True)
    again = services.commit(cast.rover, folder=PLACE, content=TEXT, operation_id="o", propose=True)
    assert (first.proposed, first.replayed) == (True, False)
    assert (again.id, again.proposed, again.replayed) == (first.id, True, True)
    with pytest.raises(IdempotencyMismatch):
        services.commit(cast.rover, folder=PLACE, content="other", operation_id="o", propose=True)
    services.approve(cast.bob, capture=first.id)
    assert not services.commit(cast.rover, folder=PLACE, content=TEXT, operation_id="o", propose=True).proposed


def test_proposing_takes_what_capturing_takes(cast: Cast, plan: str) -> None:
    with pytest.raises(Forbidden):
        propose(cast.carol)
    with pytest.raises(NotFound):
        propose(cast.mallory)
    job = Actor.for_job("x", scopes=())
    with pytest.raises(Invalid):
        propose(job)


@pytest.mark.parametrize("who", ["alice", "carol", "scout", "rover", "mallory"])
def test_nobody_but_the_person_finds_it(cast: Cast, plan: str, who: str) -> None:
    made, actor = propose(cast.rover), getattr(cast, who)
    assert [row.id for row in captures.listing(cast.bob).items] == [made]
    for state in (None, "proposed"):
        assert captures.listing(actor, state=state).items == ()
    assert not captures.to_approve(actor).exists()
    with pytest.raises(NotFound):
        captures.show(actor, id=made)
    with pytest.raises(NotFound):
        services.erase(actor, capture=made)
    with pytest.raises(Forbidden if actor.agent else NotFound):
        services.approve(actor, capture=made)
    assert made not in repr(receipts.listing(actor)) + repr(jobs.listing(actor)) + repr(briefs.brief(actor))
    if who != "rover":
        assert made not in repr(log.listing(actor, filters=Filters()))


def test_who_looks_at_the_folder_as_the_person_does_not_see_it(cast: Cast, plan: str) -> None:
    made = propose(cast.rover)
    seen = access.view_as(cast.alice, location=PLACE, subject="bob@example.org")
    assert made not in repr(captures.listing(seen))


def test_nothing_is_made_of_it_until_it_is_approved(cast: Cast, plan: str) -> None:
    made = propose(cast.rover)
    work.drain(seconds=20)
    assert not Document.objects.filter(name="HANDOFF.md").exists()
    services.approve(cast.bob, capture=made)
    work.drain(seconds=20)
    assert Document.objects.filter(name="HANDOFF.md").exists()
    kinds = [fact.kind for fact in captures.show(cast.alice, id=made).timeline]
    assert kinds[:3] == ["captured", "acknowledged", "summarised"]
    assert captures.show(cast.alice, id=made).approved_by == "Bob"


def test_approving_twice_is_once_and_what_was_declined_is_gone(cast: Cast, plan: str) -> None:
    made, other = propose(cast.rover, "one"), propose(cast.rover, "two")
    for _ in range(2):
        services.approve(cast.bob, capture=made)
    assert Receipt.objects.filter(capture=made).count() == 2
    assert Job.objects.filter(kind=JobKind.SUMMARISE).count() == 1
    services.erase(cast.bob, capture=other)
    with pytest.raises(Gone):
        services.approve(cast.bob, capture=other)
    with pytest.raises(NotFound):
        captures.show(cast.alice, id=other)


def test_who_lost_editor_can_decline_and_not_approve(cast: Cast, plan: str) -> None:
    made = propose(cast.rover)
    sharing.grant(cast.alice, location=PLACE, subject="bob@example.org", role="viewer")
    assert not captures.show(cast.bob, id=made).may_approve
    with pytest.raises(Forbidden):
        services.approve(cast.bob, capture=made)
    services.erase(cast.bob, capture=made)
    assert Capture.objects.get().content == ""


def test_its_time_runs_from_when_it_was_proposed_and_ends_unseen(cast: Cast, plan: str) -> None:
    folders.settings(cast.alice, location=PLACE, retention_days=30)
    made = propose(cast.rover)
    Capture.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert captures.older(cast.alice, folder=PLACE, days=1) == 0
    assert services.enqueue_due() == 1
    assert all(job.target != made for job in jobs.listing(cast.alice).items)
    work.drain(seconds=20)
    row = Capture.objects.get()
    assert (row.content, row.deleted_at is None) == ("", False)
    assert not Receipt.objects.filter(capture=made).exists()
    assert not Document.objects.filter(name="HANDOFF.md").exists()
    entry = AuditEntry.objects.get(action="capture.erased")
    assert (entry.folder_id, entry.location) == (None, "")


@pytest.mark.parametrize("wrong", [{"author": None}, {"approved_at": datetime(2026, 1, 1, tzinfo=UTC)}])
def test_the_database_knows_whose_it_is_and_who_approved(cast: Cast, plan: str, wrong: dict[str, object]) -> None:
    propose(cast.rover)
    with pytest.raises(IntegrityError), transaction.atomic():
        Capture.objects.update(**wrong)
