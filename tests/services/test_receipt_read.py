"""Receipts, and who may see them."""

import pytest

from tests.cast import Cast
from workspace.errors import Invalid, NotFound
from workspace.models import Document, Receipt
from workspace.queries import receipts as reads
from workspace.services import documents, receipts

PLACE = "product/launch/plan.md"


def test_a_read_is_recorded_once_for_each_reader_session_and_commit(cast: Cast, plan: str) -> None:
    document = Document.objects.get(name="plan.md")
    for actor in (cast.rover, cast.rover, cast.scout, cast.bob):
        receipts.read(actor, document=document.pk, commit=plan)
    assert Receipt.objects.filter(kind="read").count() == 3
    later = documents.append(cast.bob, location=PLACE, content="More.").commit
    receipts.read(cast.rover, document=document.pk, commit=later)
    assert Receipt.objects.filter(kind="read", commit=later).count() == 1
    first = Receipt.objects.filter(kind="read").earliest("at")
    assert (first.agent_id, first.person_id, first.via) == (cast.rover.agent, cast.people["bob"].pk, "mcp")


def test_a_read_costs_one_query(cast: Cast, plan: str, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    rover, document = cast.rover, Document.objects.get(name="plan.md")
    with django_assert_num_queries(1):
        receipts.read(rover, document=document.pk, commit=plan)


def test_receipts_are_listed_by_place_kind_and_session(cast: Cast, plan: str) -> None:
    document = Document.objects.get(name="plan.md")
    receipts.read(cast.rover, document=document.pk, commit=plan)
    (row,) = reads.listing(cast.carol, kind="read", location=PLACE).items
    assert (row.kind, row.location, row.commit, row.by.label) == ("read", PLACE, plan, "rover")
    kinds = {row.kind for row in reads.listing(cast.alice, location="product").items}
    assert {"written", "read", "folder-made", "granted"} <= kinds
    with pytest.raises(Invalid):
        reads.listing(cast.alice, kind="sung")


def test_a_stranger_sees_no_receipt(cast: Cast, plan: str) -> None:
    assert reads.listing(cast.mallory).items == ()
    for place in (PLACE, "product/launch", "none/none.md"):
        with pytest.raises(NotFound):
            reads.listing(cast.mallory, location=place)


def test_a_reader_does_not_learn_of_anothers_draft(cast: Cast, plan: str) -> None:
    documents.substitute(cast.bob, location=PLACE, old_string="second", new_string="third")
    documents.substitute(cast.rover, location=PLACE, old_string="second", new_string="fourth", expected_commit=plan)
    assert [row.kind for row in reads.listing(cast.alice, kind="conflicted").items] == ["conflicted"]
    assert reads.listing(cast.carol, kind="conflicted").items == ()
