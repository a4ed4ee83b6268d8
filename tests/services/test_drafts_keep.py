"""Unsaved text: the person's alone, never written over by another window, gone once it is saved or old."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast import PLAN, Cast
from workspace.errors import Forbidden, Gone, Invalid, NotFound, TooLarge
from workspace.jobs import sweeping
from workspace.models import AuditEntry, Draft, Person, Receipt
from workspace.services import documents, drafts, purging
from workspace.services.drafts import Kept, Other, Place

LOCATION = "product/launch/plan.md"
THERE = Place(document=LOCATION)
NEW = Place(folder="product/launch")


def test_a_draft_is_kept_for_whoever_typed_it_and_nobody_else(cast: Cast, plan: str) -> None:
    kept = drafts.save(cast.bob, place=THERE, content="one\r\ntwo", base=plan[:8], message="why")
    assert isinstance(kept, Kept)
    assert (kept.content, kept.base, kept.message) == ("one\ntwo", plan, "why")
    assert drafts.mine(cast.bob, place=THERE) == kept
    assert drafts.mine(cast.alice, place=THERE) is None


def test_typing_on_takes_the_place_of_what_was_kept(cast: Cast, plan: str) -> None:
    mark = ""
    for text in ("a", "ab", "abc"):
        kept = drafts.save(cast.bob, place=THERE, content=text, base=plan, follows=mark)
        assert isinstance(kept, Kept)
        mark = kept.mark
    assert Draft.objects.count() == 1
    assert drafts.mine(cast.bob, place=THERE).content == "abc"  # type: ignore[union-attr]


def test_another_window_writes_over_nothing(cast: Cast, plan: str) -> None:
    first = drafts.save(cast.bob, place=THERE, content="first", base=plan)
    assert drafts.save(cast.bob, place=THERE, content="second", base=plan) == Other(kept=first)  # type: ignore[arg-type]
    assert not drafts.drop(cast.bob, place=THERE, mark="")
    assert drafts.mine(cast.bob, place=THERE) == first
    assert drafts.drop(cast.bob, place=THERE, mark=first.mark)
    late = drafts.save(cast.bob, place=THERE, content="late", base=plan, follows=first.mark)
    assert late == Other(kept=None), "what comes in after the save brings nothing back"


def test_the_draft_of_a_new_document_belongs_to_its_folder(cast: Cast) -> None:
    kept = drafts.save(cast.bob, place=NEW, content="x", name="product/launch/new.md")
    assert isinstance(kept, Kept)
    assert (kept.base, kept.name) == ("", "product/launch/new.md")
    assert drafts.mine(cast.bob, place=NEW) == kept


def test_a_draft_whose_text_was_saved_is_none(cast: Cast, plan: str) -> None:
    drafts.save(cast.bob, place=THERE, content=PLAN + "More.\n", base=plan)
    documents.edit(cast.bob, location=LOCATION, content=PLAN + "More.\n", expected_commit=plan)
    documents.append(cast.alice, location=LOCATION, content="Later.\n")
    assert drafts.mine(cast.bob, place=THERE) is None
    assert not Draft.objects.exists()


def test_who_may_not_edit_keeps_no_draft(cast: Cast, plan: str) -> None:
    with pytest.raises(Forbidden):
        drafts.save(cast.carol, place=THERE, content="x", base=plan)
    with pytest.raises(NotFound):
        drafts.save(cast.mallory, place=THERE, content="x", base=plan)
    with pytest.raises(Forbidden):
        drafts.save(cast.rover, place=THERE, content="x", base=plan)
    with pytest.raises(Invalid):
        drafts.save(cast.bob, place=THERE, content="x", base="0" * 64)
    documents.delete(cast.alice, location=LOCATION)
    with pytest.raises(Gone):
        drafts.save(cast.bob, place=THERE, content="x", base=plan)


def test_what_is_no_text_or_too_much_of_it_is_refused(cast: Cast, plan: str, settings: object) -> None:
    settings.BATON_DOCUMENT_BYTES = 1024  # type: ignore[attr-defined]
    with pytest.raises(TooLarge):
        drafts.save(cast.bob, place=THERE, content="x" * 1025, base=plan)
    with pytest.raises(Invalid):
        drafts.save(cast.bob, place=THERE, content="\x00", base=plan)


def test_a_draft_leaves_no_trace(cast: Cast, plan: str) -> None:
    before = AuditEntry.objects.count(), Receipt.objects.count()
    drafts.save(cast.bob, place=THERE, content="very private", base=plan)
    assert (AuditEntry.objects.count(), Receipt.objects.count()) == before


def test_a_draft_that_nobody_came_back_to_goes_with_the_sweep(cast: Cast, plan: str) -> None:
    drafts.save(cast.bob, place=THERE, content="old", base=plan)
    drafts.save(cast.bob, place=NEW, content="young")
    Draft.objects.filter(content="old").update(updated_at=timezone.now() - timedelta(days=91))
    sweeping.sweep()
    assert [row.content for row in Draft.objects.all()] == ["young"]


def test_a_draft_goes_with_its_document(cast: Cast, plan: str) -> None:
    drafts.save(cast.bob, place=THERE, content="x", base=plan)
    documents.delete(cast.alice, location=LOCATION)
    assert Draft.objects.exists(), "the document may be brought back"
    root = cast.people["alice"]
    root.is_superuser = True
    root.save()
    list(purging.documents(cast.alice, before=timezone.now() + timedelta(days=1)))
    assert not Draft.objects.exists()


def test_a_draft_goes_with_its_person(cast: Cast, plan: str) -> None:
    drafts.save(cast.bob, place=THERE, content="x", base=plan)
    Draft.objects.update(person=Person.objects.create_user("gone@example.org", "x", name="Gone"))
    Person.objects.get(email="gone@example.org").delete()
    assert not Draft.objects.exists()
