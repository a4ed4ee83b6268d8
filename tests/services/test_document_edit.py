"""Edits of a document: saved, merged, unchanged, replayed, or a conflict that keeps the draft."""

import pytest

from tests.cast import PLAN, Cast
from workspace import access, errors
from workspace.models import Blob, Commit
from workspace.models import Conflict as ConflictRow
from workspace.services import conflicts, documents
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved, Unchanged

LOCATION = "product/launch/plan.md"


def text(commit: str) -> str:
    return Commit.objects.select_related("blob").get(pk=commit).blob.content


def test_an_edit_upon_the_head_is_saved(cast: Cast, plan: str) -> None:
    saved = documents.edit(cast.bob, location=LOCATION, content=PLAN + "More.\n", expected_commit=plan)
    assert isinstance(saved, Saved)
    assert saved.parents == (plan,)
    assert text(saved.commit) == PLAN + "More.\n"


def test_two_different_paragraphs_are_merged_with_two_parents(cast: Cast, plan: str) -> None:
    first = documents.edit(
        cast.bob, location=LOCATION, content=PLAN.replace("a thousand", "two thousand"), expected_commit=plan
    )
    merged = documents.edit(
        cast.scout,
        location=LOCATION,
        content=PLAN.replace("a progress bar", "a queue"),
        expected_commit=plan,
        on_conflict="merge",
    )
    assert isinstance(merged, Merged)
    assert merged.parents == (first.commit, plan)
    assert "two thousand" in text(merged.commit)
    assert "a queue" in text(merged.commit)


def test_the_same_sentence_is_a_conflict_that_keeps_the_whole_draft(cast: Cast, plan: str) -> None:
    head = documents.edit(cast.bob, location=LOCATION, content=PLAN.replace("second", "third"), expected_commit=plan)
    draft = PLAN.replace("second", "fourth")
    told = documents.edit(cast.scout, location=LOCATION, content=draft, expected_commit=plan, on_conflict="merge")
    assert isinstance(told, Conflict)
    assert (told.base_commit, told.head_commit) == (plan, head.commit)
    row = ConflictRow.objects.get(pk=told.conflict)
    assert row.draft.content == draft
    assert len(told.hunks) == 1
    with pytest.raises(errors.NotFound):
        access.conflict(cast.carol, id=told.conflict)
    done = conflicts.resolve(cast.bob, conflict=told.conflict, choices=["mine"])
    assert done.parents == (head.commit, plan)
    assert "fourth" in text(done.commit)


def test_reject_tells_even_where_a_merge_would_be_clean(cast: Cast, plan: str) -> None:
    documents.edit(cast.bob, location=LOCATION, content=PLAN + "More.\n", expected_commit=plan)
    told = documents.edit(cast.scout, location=LOCATION, content=PLAN.replace("second", "fourth"), expected_commit=plan)
    assert isinstance(told, Conflict)
    assert told.hunks == ()
    assert "fourth" in told.merged_preview
    assert "More." in told.merged_preview


def test_the_same_text_again_makes_no_commit(cast: Cast, plan: str) -> None:
    again = documents.edit(cast.bob, location=LOCATION, content=PLAN, expected_commit=plan)
    assert isinstance(again, Unchanged)
    assert again.commit == plan
    assert Commit.objects.count() == 1


def test_a_repeated_key_is_replayed_and_another_payload_refused(cast: Cast) -> None:
    first = documents.create(cast.scout, location="product/launch/new.md", content="one", idempotency_key="k")
    again = documents.create(cast.scout, location="product/launch/new.md", content="one", idempotency_key="k")
    assert isinstance(again, Replayed)
    assert (again.commit, again.first) == (first.commit, "saved")
    assert Commit.objects.count() == 1
    with pytest.raises(errors.IdempotencyMismatch):
        documents.create(cast.scout, location="product/launch/new.md", content="two", idempotency_key="k")
    other = documents.create(cast.rover, location="product/launch/other.md", content="two", idempotency_key="k")
    assert isinstance(other, Saved)


def test_a_reader_cannot_edit_and_a_stranger_finds_nothing(cast: Cast, plan: str) -> None:
    with pytest.raises(errors.Forbidden) as refused:
        documents.edit(cast.carol, location=LOCATION, content="x", expected_commit=plan)
    assert refused.value.need == "editor"
    with pytest.raises(errors.NotFound):
        documents.edit(cast.mallory, location=LOCATION, content="x", expected_commit=plan)
    with pytest.raises(errors.NotFound):
        documents.create(cast.mallory, location="product/launch/mine.md", content="x")


@pytest.mark.parametrize("name", ["0" * 64, "abc", "zz" * 32, "", 7])
def test_an_expected_commit_that_is_none_of_this_document_is_refused(cast: Cast, plan: str, name: object) -> None:
    with pytest.raises(errors.Invalid) as refused:
        documents.edit(cast.bob, location=LOCATION, content="x", expected_commit=name)  # type: ignore[arg-type]
    assert refused.value.errors[0].field == "expected_commit"
    assert Commit.objects.count() == 1


def test_an_expected_commit_may_be_abbreviated(cast: Cast, plan: str) -> None:
    assert isinstance(documents.edit(cast.bob, location=LOCATION, content="x", expected_commit=plan[:8]), Saved)


def test_exact_text_is_replaced_once_and_the_count_is_told(cast: Cast, plan: str) -> None:
    done = documents.substitute(cast.bob, location=LOCATION, old_string="a thousand", new_string="five")
    assert "We want five teams" in text(done.commit)
    with pytest.raises(errors.Invalid, match="found 0 times"):
        documents.substitute(cast.bob, location=LOCATION, old_string="nowhere", new_string="x")
    with pytest.raises(errors.Invalid, match="found 3 times"):
        documents.substitute(cast.bob, location=LOCATION, old_string="the", new_string="x")


def test_an_append_stands_on_its_own_line(cast: Cast) -> None:
    documents.create(cast.bob, location="product/launch/log.md", content="- one")
    done = documents.append(cast.scout, location="product/launch/log.md", content="- two")
    assert text(done.commit) == "- one\n- two\n"


def test_a_section_is_replaced_and_the_rest_stays(cast: Cast, plan: str) -> None:
    done = documents.replace_section(cast.bob, location=LOCATION, section="Goals", content="None.\n")
    assert "## Goals\n\nNone.\n\n## Risks" in text(done.commit)
    with pytest.raises(errors.Invalid) as refused:
        documents.replace_section(cast.bob, location=LOCATION, section="Nothing", content="x")
    assert refused.value.errors[0].field == "section"


def test_a_deleted_document_is_gone_and_comes_back_whole(cast: Cast, plan: str) -> None:
    documents.delete(cast.bob, location=LOCATION, expected_commit=plan)
    with pytest.raises(errors.Gone):
        documents.append(cast.bob, location=LOCATION, content="x")
    with pytest.raises(errors.NotFound):
        documents.append(cast.mallory, location=LOCATION, content="x")
    back = documents.undelete(cast.bob, location=LOCATION)
    assert text(back.commit) == PLAN


def test_a_document_recreated_at_a_deleted_ones_place_is_another(cast: Cast, plan: str) -> None:
    gone = documents.delete(cast.bob, location=LOCATION)
    new = documents.create(cast.bob, location=LOCATION, content="new")
    assert new.document != gone.document
    with pytest.raises(errors.Invalid):
        documents.edit(cast.bob, location=LOCATION, content="x", expected_commit=plan)
    with pytest.raises(errors.AlreadyExists):
        documents.undelete(cast.bob, location=LOCATION)


def test_blobs_are_stored_once(cast: Cast, plan: str) -> None:
    documents.create(cast.bob, location="product/launch/copy.md", content=PLAN)
    assert Blob.objects.count() == 1


def test_a_restore_is_a_new_commit(cast: Cast, plan: str) -> None:
    documents.edit(cast.bob, location=LOCATION, content="x", expected_commit=plan)
    done = documents.restore(cast.bob, location=LOCATION, commit=plan)
    assert text(done.commit) == PLAN
    assert Commit.objects.count() == 3
