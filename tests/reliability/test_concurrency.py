"""Many writers at once: real threads, real commits. What was acknowledged is there, once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from tests.cast import Cast
from workspace.errors import NotFound
from workspace.models import Commit, Document, Folder
from workspace.queries import documents as read_documents
from workspace.services import commits, documents, folders, sharing
from workspace.services.outcomes import Conflict, Merged, Saved

PLACE = "product/launch"


def at_once(call: Callable[[Any], Any], things: Iterable[Any], workers: int = 16) -> list[Any]:
    def run(thing: Any) -> Any:
        try:
            return call(thing)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, things))


def sound() -> None:
    """Every commit is what its id says, every chain is gapless and ends in its document's head."""
    for commit in Commit.objects.all():
        assert commits.identify(commit) == commit.pk
    for document in Document.objects.all():
        numbers = list(document.commits.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, document.number + 1))
        assert document.head.number == document.number


@pytest.mark.django_db(transaction=True)
def test_320_appends_by_16_writers_are_there_once_each(committed_cast: Cast) -> None:
    documents.create(committed_cast.alice, location=f"{PLACE}/log.md", content="# Log\n")
    actors = [committed_cast.alice, committed_cast.bob, committed_cast.scout, committed_cast.rover] * 4
    done = at_once(
        lambda n: documents.append(actors[n % 16], location=f"{PLACE}/log.md", content=f"- entry {n}"), range(320)
    )
    assert [type(d) for d in done] == [Saved] * 320
    lines = read_documents.read(committed_cast.carol, location=f"{PLACE}/log.md").content.splitlines()
    assert sorted(lines[1:]) == sorted(f"- entry {n}" for n in range(320))
    sound()


@pytest.mark.django_db(transaction=True)
def test_16_sections_replaced_from_one_stale_base_are_all_there(committed_cast: Cast) -> None:
    text = "# Page\n\n" + "\n".join(f"## Part {n}\n\nold text {n}\n" for n in range(16))
    base = documents.create(committed_cast.alice, location=f"{PLACE}/parts.md", content=text).commit
    done = at_once(
        lambda n: documents.edit(
            committed_cast.bob,
            location=f"{PLACE}/parts.md",
            content=text.replace(f"old text {n}\n", f"new text {n}\n"),
            expected_commit=base,
            on_conflict="merge",
        ),
        range(16),
    )
    assert sorted(type(d).__name__ for d in done) == ["Merged"] * 15 + ["Saved"]
    read = read_documents.read(committed_cast.carol, location=f"{PLACE}/parts.md").content
    assert all(f"new text {n}\n" in read for n in range(16))
    assert "old text" not in read
    sound()


@pytest.mark.django_db(transaction=True)
def test_64_parallel_creates_are_all_present(committed_cast: Cast) -> None:
    done = at_once(
        lambda n: documents.create(committed_cast.bob, location=f"{PLACE}/new/in/f{n % 4}/d{n}.md", content=f"{n}"),
        range(64),
        workers=32,
    )
    assert [type(d) for d in done] == [Saved] * 64
    assert Document.objects.count() == 64
    assert Folder.objects.filter(path=f"{PLACE}/new/in").count() == 1
    sound()


@pytest.mark.django_db(transaction=True)
def test_one_key_used_by_16_callers_is_one_commit_and_16_equal_answers(committed_cast: Cast) -> None:
    done = at_once(
        lambda _: documents.create(
            committed_cast.scout, location=f"{PLACE}/one.md", content="one", idempotency_key="same"
        ),
        range(16),
    )
    assert len({(d.commit, d.document, d.location, d.parents) for d in done}) == 1
    assert [type(d).__name__ for d in done].count("Saved") == 1
    assert Commit.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_16_creates_of_one_name_one_wins(committed_cast: Cast) -> None:
    done = at_once(
        lambda n: documents.create(committed_cast.bob, location=f"{PLACE}/race.md", content=f"{n}"), range(16)
    )
    assert [type(d).__name__ for d in done].count("Saved") == 1
    assert [type(d).__name__ for d in done].count("AlreadyExists") == 15


@pytest.mark.django_db(transaction=True)
def test_two_top_level_folders_made_at_once_are_one(committed_cast: Cast) -> None:
    done = at_once(lambda n: documents.create(committed_cast.bob, location=f"fresh/d{n}.md", content="x"), range(8))
    assert [type(d) for d in done] == [Saved] * 8
    assert Folder.objects.filter(path="fresh").count() == 1


@pytest.mark.django_db(transaction=True)
def test_crossing_folder_moves_make_no_cycle(committed_cast: Cast) -> None:
    for location in ("top/a/x", "top/b/y"):
        folders.create(committed_cast.alice, location=location)
    at_once(
        lambda m: folders.move(committed_cast.alice, source=m[0], target=m[1]),
        [("top/a", "top/b/y/a"), ("top/b", "top/a/x/b")],
    )
    for folder in Folder.objects.all():
        assert folder.lineage[-1] == folder.pk
        assert len(set(folder.lineage)) == len(folder.lineage)
        assert folder.path == "/".join(Folder.objects.get(pk=pk).name for pk in folder.lineage)


@pytest.mark.django_db(transaction=True)
def test_edits_while_the_document_is_moved_land_where_it_went(committed_cast: Cast) -> None:
    made = documents.create(committed_cast.alice, location=f"{PLACE}/walks.md", content="# Log\n")

    def act(n: int) -> object:
        if n % 5 == 0:
            return (
                documents.move(committed_cast.alice, source=f"{PLACE}/walks.md", target=f"{PLACE}/elsewhere/walks.md")
                if n == 0
                else None
            )
        return documents.append(committed_cast.bob, location=f"{PLACE}/walks.md", content=f"- {n}")

    done = at_once(act, range(20), workers=8)
    text = read_documents.read(committed_cast.alice, id=made.document).content
    assert text.count("- ") == sum(isinstance(d, Saved) for d in done) - 1
    sound()


@pytest.mark.django_db(transaction=True)
def test_nothing_is_written_into_a_folder_that_is_being_deleted(committed_cast: Cast) -> None:
    folders.create(committed_cast.alice, location=f"{PLACE}/a/b")

    def act(n: int) -> object:
        if n == 8:
            return folders.delete(committed_cast.alice, location=PLACE)
        return documents.create(committed_cast.alice, location=f"{PLACE}/a/b/d{n}.md", content="x")

    done = at_once(act, range(16), workers=8)
    # What was written before went along; what came later made its folder anew.
    for document in Document.objects.live():
        assert document.folder.deleted_at is None
    assert not [d for d in done if not isinstance(d, Saved | int | NotFound)]
    sound()


@pytest.mark.django_db(transaction=True)
def test_two_managers_cannot_leave_at_the_same_moment(committed_cast: Cast) -> None:
    sharing.grant(committed_cast.alice, location="product", subject="bob@example.org", role="manager")
    at_once(
        lambda who: sharing.revoke(committed_cast.person(who), location="product", subject=f"{who}@example.org"),
        ["alice", "bob"],
    )
    assert Folder.objects.get(path="product").grants.filter(role=3).count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_sentence_by_8_writers_is_one_save_and_7_kept_drafts(committed_cast: Cast) -> None:
    base = documents.create(committed_cast.alice, location=f"{PLACE}/s.md", content="One sentence.\n").commit
    done = at_once(
        lambda n: documents.edit(
            committed_cast.bob,
            location=f"{PLACE}/s.md",
            content=f"Sentence {n}.\n",
            expected_commit=base,
            on_conflict="merge",
        ),
        range(8),
    )
    assert [type(d) for d in done].count(Saved) == 1
    kept = [d for d in done if isinstance(d, Conflict)]
    assert len(kept) == 7
    assert len({d.conflict for d in kept}) == 7
    assert not any(isinstance(d, Merged) for d in done)
