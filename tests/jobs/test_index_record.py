"""The index follows the head."""

import pytest

from tests.cast import Cast
from workspace.jobs import work
from workspace.models import Chunk, Document, Job, JobState, Receipt
from workspace.services import documents, index

PLACE = "product/launch/notes.md"


@pytest.fixture
def notes(cast: Cast) -> Document:
    documents.create(cast.alice, location=PLACE, content="---\ntitle: Notes\n---\n# One\n\nalpha\n\n# Two\n\nbeta\n")
    return Document.objects.get(name="notes.md")


def test_a_job_indexes_the_head_with_lines_of_the_whole_text(notes: Document) -> None:
    work.drain(seconds=20)
    notes.refresh_from_db()
    assert notes.indexed_commit_id == notes.head_id
    assert notes.indexed_at is not None
    found = [(c.heading, c.start_line, c.end_line) for c in Chunk.objects.filter(document=notes).order_by("ordinal")]
    assert found == [("One", 4, 7), ("Two", 8, 10)]
    assert Receipt.objects.filter(kind="indexed", document=notes, commit=notes.head).count() == 1
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def test_an_older_commit_does_not_replace_a_newer_one(cast: Cast, notes: Document) -> None:
    old = index.make(notes.pk)
    documents.edit(cast.bob, location=PLACE, content="gamma\n", expected_commit=notes.head_id)
    new = index.make(notes.pk)
    assert old is not None
    assert new is not None
    assert index.record(new.document, new.commit, new.entries)
    assert not index.record(old.document, old.commit, old.entries)
    assert [c.text for c in Chunk.objects.filter(document=notes)] == ["gamma\n"]


def test_indexing_twice_is_indexing_once(notes: Document) -> None:
    made = index.make(notes.pk)
    assert made is not None
    for _ in range(2):
        index.record(made.document, made.commit, made.entries)
    assert Chunk.objects.filter(document=notes).count() == 2
    assert Receipt.objects.filter(kind="indexed", document=notes).count() == 1


def test_a_deleted_document_leaves_the_index_and_comes_back(cast: Cast, notes: Document) -> None:
    work.drain(seconds=20)
    documents.delete(cast.alice, location=PLACE)
    work.drain(seconds=20)
    assert not Chunk.objects.filter(document=notes).exists()
    documents.undelete(cast.alice, location=PLACE)
    work.drain(seconds=20)
    assert Chunk.objects.filter(document=notes).count() == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "---\ntitle: x\n---\n",
        "no end of line",
        "\ufeffbom\r\nx\r\n",
        "''' \\ \\' : & | ! <-> *",
        "文書 émoji 😀 a:b",
    ],
)
def test_any_text_can_be_indexed(cast: Cast, text: str) -> None:
    documents.create(cast.alice, location="product/launch/any.md", content=text)
    work.drain(seconds=20)
    assert not Job.objects.exclude(state=JobState.DONE).exists()
    assert Chunk.objects.filter(document__name="any.md").exists()
