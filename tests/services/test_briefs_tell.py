"""What somebody is told who comes back, and what is not told again once it was acknowledged."""

import threading
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.cast import PLAN, Cast
from tests.locks import held
from workspace.actor import Actor
from workspace.digest.summary import SummaryLine
from workspace.errors import Invalid, NotFound
from workspace.models import Capture, Commit, Folder, Receipt
from workspace.queries import briefs as reads
from workspace.queries.briefs import Brief
from workspace.services import access_requests, briefs, captures, conflicts, documents, summaries

PLACE = "product/launch/plan.md"
"""Which bob and alice both may edit; alice wrote it."""


def changed(actor: Actor, location: str | None = None) -> list[str]:
    return [row.location for row in reads.brief(actor, location=location).changed]


def acknowledged(actor: Actor) -> Brief:
    """The brief after the one that there was is acknowledged."""
    briefs.acknowledge(actor, ack_through=reads.brief(actor).head)
    return reads.brief(actor)


def test_what_others_changed_near_ones_work_is_told_once(cast: Cast, plan: str) -> None:
    documents.append(cast.bob, location=PLACE, content="More.", message="Say more", reason="It was short.")
    (row,) = reads.brief(cast.alice).changed
    assert (row.location, row.message, row.reason, row.commits) == (PLACE, "Say more", "It was short.", 1)
    assert row.author.label == cast.bob.label
    assert acknowledged(cast.alice).changed == ()
    documents.append(cast.bob, location=PLACE, content="And more.")
    documents.append(cast.bob, location=PLACE, content="And more again.")
    (row,) = reads.brief(cast.alice).changed
    assert row.commits == 2
    assert row.commit == Commit.objects.latest("number").pk


def test_nobody_is_told_of_what_they_wrote_themselves(cast: Cast, plan: str) -> None:
    assert changed(cast.alice) == []
    documents.append(cast.scout, location=PLACE, content="By her agent.")
    assert changed(cast.scout, PLACE.rpartition("/")[0]) == [PLACE]  # alice's first commit, new to her agent
    assert changed(cast.alice) == [PLACE]
    briefs.acknowledge(cast.scout, ack_through=reads.brief(cast.scout).head)
    documents.append(cast.scout, location=PLACE, content="Again by her agent.")
    assert changed(cast.scout) == []


def test_a_page_woven_from_ones_own_captures_alone_is_no_news(cast: Cast, plan: str) -> None:
    acknowledged(cast.scout)
    acknowledged(cast.alice)
    captures.commit(cast.scout, folder="product/launch", content="# Decided\n\n- June", operation_id="o")
    weave()
    assert changed(cast.scout) == []
    assert changed(cast.alice) == ["product/launch/HANDOFF.md"]
    assert [row.excerpt for row in reads.brief(cast.alice).captures] == ["June"]
    assert reads.brief(cast.scout).captures == ()


def weave() -> None:
    """Does what the jobs do."""
    for capture in Capture.objects.filter(summary=None):
        summaries.record(capture.pk, [SummaryLine(section="decided", text=capture.content, source=capture.pk)], "x")
    for folder in Folder.objects.all():
        remember = summaries.consolidate(folder.pk)
        if remember:
            remember()


def test_places_where_one_did_nothing_are_told_only_to_those_who_did_nothing_anywhere(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/launch/other/notes.md", content="Elsewhere.")
    assert set(changed(cast.carol)) == {PLACE, "product/launch/other/notes.md"}
    documents.append(cast.bob, location=PLACE, content="Bob works here.")
    documents.append(cast.alice, location=PLACE, content="Alice too.")
    assert changed(cast.bob) == [PLACE]
    assert set(changed(cast.bob, "product/launch")) == {PLACE, "product/launch/other/notes.md"}


def test_a_place_narrows_and_one_that_is_hidden_is_not_found(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/launch/other/notes.md", content="Elsewhere.")
    assert changed(cast.carol, "product/launch/other") == ["product/launch/other/notes.md"]
    for location in ("product/launch", "never/was"):
        with pytest.raises(NotFound):
            reads.brief(cast.mallory, location=location)
    assert changed(cast.mallory) == []


def test_what_ends_later_than_it_is_dated_is_still_told(cast: Cast, plan: str) -> None:
    """A commit of another process becomes visible after a brief that is dated later than it."""
    acknowledged(cast.alice)
    documents.append(cast.bob, location=PLACE, content="Seen at once.")
    head = reads.brief(cast.alice).head
    documents.append(cast.bob, location=PLACE, content="Seen late.")
    late = Commit.objects.latest("number")
    told = Commit.objects.get(document=late.document, number=late.number - 1)
    Commit.objects.filter(pk=late.pk).update(created_at=told.created_at)
    briefs.acknowledge(cast.alice, ack_through=head)
    (row,) = reads.brief(cast.alice).changed
    assert (row.commit, row.commits) == (late.pk, 1)


def test_what_was_told_is_not_told_again_however_soon_one_asks(cast: Cast, plan: str) -> None:
    head = acknowledged(cast.alice).head
    told: list[str] = []
    for number in range(6):
        documents.append(cast.bob, location=PLACE, content=f"Line {number}.")
        briefs.acknowledge(cast.alice, ack_through=head)
        found = reads.brief(cast.alice)
        told += [row.commit for row in found.changed]
        assert [row.commits for row in found.changed] == [1]
        head = found.head
    assert len(set(told)) == 6
    briefs.acknowledge(cast.alice, ack_through=head)
    assert changed(cast.alice) == []


def test_a_commit_that_ends_long_after_it_is_dated_is_told_once(committed_cast: Cast) -> None:
    cast, place = committed_cast, "product/launch"
    documents.create(cast.alice, location=f"{place}/first.md", content="It begins.")
    documents.create(cast.alice, location=f"{place}/other/first.md", content="It begins.")
    seen: list[str] = []

    def look() -> None:
        found = reads.brief(cast.alice, location=place)
        seen.extend(row.location for row in found.changed)
        briefs.acknowledge(cast.alice, ack_through=found.head)

    def write() -> None:
        try:
            documents.create(cast.bob, location=f"{place}/other/late.md", content="It takes long.")
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    with held("SELECT 1 FROM workspace_person WHERE id = %s FOR UPDATE", cast.bob.person):
        # Its author is a foreign key, checked as it ends.
        thread.start()
        time.sleep(2)
        for number in range(3):
            documents.create(cast.scout, location=f"{place}/quick-{number}.md", content="At once.")
            look()
            time.sleep(0.6)
        assert f"{place}/other/late.md" not in seen
    thread.join()
    for _ in range(3):
        look()
    quick = [f"{place}/quick-{number}.md" for number in range(3)]
    assert sorted(seen) == sorted([*quick, f"{place}/other/late.md"])


def test_what_was_told_of_one_folder_is_still_told_of_another(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="product/launch/other/notes.md", content="Elsewhere.")
    head = reads.brief(cast.carol, location="product/launch/other").head
    briefs.acknowledge(cast.carol, ack_through=head)
    assert changed(cast.carol, "product/launch/other") == []
    assert set(changed(cast.carol, "product/launch")) == {PLACE, "product/launch/other/notes.md"}
    assert len(changed(cast.carol)) == 2
    documents.append(cast.alice, location="product/launch/other/notes.md", content="More.")
    briefs.acknowledge(cast.carol, ack_through=reads.brief(cast.carol, location="product/launch").head)
    assert changed(cast.carol, "product/launch/other") == []


def test_an_older_cursor_takes_nothing_back(cast: Cast, plan: str) -> None:
    documents.append(cast.bob, location=PLACE, content="More.")
    old = reads.brief(cast.alice).head
    briefs.acknowledge(cast.alice, ack_through=reads.brief(cast.alice).head)
    briefs.acknowledge(cast.alice, ack_through=old)
    assert changed(cast.alice) == []


def test_a_cursor_is_its_reader_s_own(cast: Cast, plan: str) -> None:
    head = reads.brief(cast.bob).head
    for wrong in (head, "", "x", head[:-1]):
        with pytest.raises(Invalid) as refused:
            briefs.acknowledge(cast.alice, ack_through=wrong)
        assert [error.field for error in refused.value.errors] == ["ack_through"]
    assert reads.brief(cast.alice).since is None


def test_conflicts_and_requests_wait_until_they_are_settled(cast: Cast, plan: str) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="second of March", new_string="first of May")
    text = PLAN.replace("second of March", "third of July")
    documents.edit(cast.bob, location=PLACE, content=text, expected_commit=plan, on_conflict="merge")
    access_requests.ask(cast.mallory, location="product/launch", role="viewer", reason="I review it.")
    found = acknowledged(cast.alice)
    assert [(one.why, one.row.location) for one in found.contested] == [("against", PLACE)]
    assert [(one.kind, one.location, one.said) for one in found.approvals] == [
        ("access-request", "product/launch", "I review it.")
    ]
    conflicts.discard(cast.bob, conflict=found.contested[0].row.id)
    assert reads.brief(cast.alice).contested == ()


def test_what_was_proposed_waits_for_its_person_alone(cast: Cast, plan: str) -> None:
    captures.commit(cast.rover, folder="product/launch", content="- June", operation_id="o", propose=True)
    (one,) = reads.brief(cast.bob).approvals
    assert (one.kind, one.location, one.said) == ("capture", "product/launch", "June")
    assert reads.brief(cast.alice).approvals == ()
    assert reads.brief(cast.alice).captures == ()


def test_what_is_left_out_is_counted(cast: Cast, plan: str) -> None:
    for number in range(reads.MOST + 3):
        documents.create(cast.bob, location=f"product/launch/n{number}.md", content=f"Note {number}.")
    found = reads.brief(cast.alice)
    assert len(found.changed) == reads.MOST
    assert found.left_out == {"changed": 3}


def test_it_takes_as_many_statements_however_much_there_is(cast: Cast, plan: str) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            reads.brief(cast.alice)
        return len(caught)

    documents.create(cast.bob, location="product/launch/a.md", content="A.")
    captures.commit(cast.rover, folder="product/launch", content="- June", operation_id="a")
    few = statements()
    for number in range(12):
        documents.create(cast.bob, location=f"product/launch/n{number}.md", content=f"Note {number}.")
        captures.commit(cast.rover, folder="product/launch", content=f"- {number}", operation_id=str(number))
    assert statements() == few <= 12


def test_reading_a_brief_writes_nothing(cast: Cast, plan: str) -> None:
    before = Receipt.objects.count()
    with CaptureQueriesContext(connection) as caught:
        reads.brief(cast.alice)
    assert all(statement["sql"].lstrip(" (").upper().startswith("SELECT") for statement in caught.captured_queries)
    assert Receipt.objects.count() == before
