"""A write that leaves all but nothing of a long page is asked about, and a short page is let be."""

import pytest

from tests.cast import PLAN, Cast
from workspace.actor import Actor, Role, Scope
from workspace.errors import Invalid
from workspace.models import Document
from workspace.queries import documents as reads
from workspace.services import documents
from workspace.services.documents.shrinking import shrinks
from workspace.services.outcomes import Conflict, Replayed, Saved

LOCATION = "product/launch/plan.md"
LONG = PLAN * 5


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        (200, "", False),
        (201, "", True),
        (201, " \n\n", True),
        (201, "x", False),
        (1_000, "x", False),
        (1_001, "x", True),
        (1_001, "x" * 100, True),
        (1_001, "x" * 101, False),
    ],
)
def test_it_is_asked_from_these_lengths_on(old: int, new: str, asked: bool) -> None:
    assert shrinks("a" * old, new) is asked


@pytest.fixture
def long(cast: Cast) -> str:
    return documents.create(cast.alice, location=LOCATION, content=LONG).commit


@pytest.mark.parametrize("content", ["", "\n \n", "gone"])
def test_a_page_is_not_emptied_unasked(cast: Cast, long: str, content: str) -> None:
    with pytest.raises(Invalid) as refused:
        documents.edit(cast.scout, location=LOCATION, content=content, expected_commit=long)
    assert refused.value.errors[0].field == "confirm_shrink"
    assert "confirm_shrink true" in refused.value.errors[0].message
    assert reads.read(cast.alice, location=LOCATION).commit == long
    done = documents.edit(cast.scout, location=LOCATION, content=content, expected_commit=long, confirm_shrink=True)
    assert isinstance(done, Saved)
    assert reads.read(cast.alice, location=LOCATION).content == content


def test_the_key_of_what_was_asked_about_is_still_good(cast: Cast, long: str) -> None:
    with pytest.raises(Invalid):
        documents.edit(cast.scout, location=LOCATION, content="", expected_commit=long, idempotency_key="k")
    for kind in (Saved, Replayed):
        done = documents.edit(
            cast.scout, location=LOCATION, content="", expected_commit=long, idempotency_key="k", confirm_shrink=True
        )
        assert isinstance(done, kind)


def test_a_part_that_is_nearly_all_is_asked_about_too(cast: Cast, long: str) -> None:
    with pytest.raises(Invalid, match="confirm_shrink"):
        documents.substitute(cast.scout, location=LOCATION, old_string=LONG[10:], new_string="")
    one = documents.edit(cast.scout, location=LOCATION, content="# All\n\n" + "word " * 400, expected_commit=long)
    with pytest.raises(Invalid, match="confirm_shrink"):
        documents.replace_section(cast.scout, location=LOCATION, section="All", content="x")
    assert reads.read(cast.alice, location=LOCATION).commit == one.commit  # type: ignore[union-attr]


def test_what_becomes_a_conflict_is_not_asked_about_for_nothing_is_lost(cast: Cast, long: str) -> None:
    documents.edit(cast.bob, location=LOCATION, content=LONG + "More.\n", expected_commit=long)
    told = documents.edit(cast.scout, location=LOCATION, content="", expected_commit=long)
    assert isinstance(told, Conflict)


@pytest.mark.parametrize("content", ["", "short"])
def test_a_restoration_that_leaves_next_to_nothing_is_asked_about(cast: Cast, long: str, content: str) -> None:
    short = documents.edit(cast.bob, location=LOCATION, content=content, expected_commit=long, confirm_shrink=True)
    assert isinstance(short, Saved)
    back = documents.restore(cast.bob, location=LOCATION, commit=long)
    assert isinstance(back, Saved), "one that brings text back is not"
    with pytest.raises(Invalid, match="confirm_shrink"):
        documents.restore(cast.bob, location=LOCATION, commit=short.commit)
    assert reads.read(cast.alice, location=LOCATION).commit == back.commit
    stale = documents.restore(cast.bob, location=LOCATION, commit=short.commit, expected_commit=long)
    assert isinstance(stale, Conflict), "what is not done is not asked about"
    assert isinstance(documents.restore(cast.bob, location=LOCATION, commit=short.commit, confirm_shrink=True), Saved)
    assert reads.read(cast.alice, location=LOCATION).content == content


def test_a_job_is_not_asked(cast: Cast, long: str) -> None:
    scope = Scope(role=Role.EDITOR, folder=Document.objects.get().folder_id)
    job = Actor.for_job("tidy", scopes=(scope,), reason="Tidying.")
    head = reads.read(cast.alice, location=LOCATION).commit
    emptied = documents.edit(job, location=LOCATION, content="", expected_commit=head)
    assert isinstance(emptied, Saved)
    documents.restore(cast.bob, location=LOCATION, commit=long)
    assert isinstance(documents.restore(job, location=LOCATION, commit=emptied.commit), Saved)
