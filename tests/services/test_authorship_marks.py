"""A long history is read by jobs: who wrote an old version is near at hand, and no reader waits for all of it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.cast import Cast
from tests.services.histories import MERGED, merge_back_to
from workspace.jobs import index as indexing
from workspace.jobs import sweeping, work
from workspace.models import Blame, BlameMark, Blob, Commit, Document, Job, JobState
from workspace.queries import authorship as reading
from workspace.queries import history
from workspace.services import authorship, commits, documents, purging, texts

LOCATION = "product/launch/plan.md"
MANY = 45


@pytest.fixture
def long(cast: Cast, plan: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commits of a document, ``MANY``, of which nothing is kept; marks are ten apart and readers wait for
    fifteen commits."""
    monkeypatch.setattr(reading, "EVERY", 10)
    monkeypatch.setattr(reading, "STEPS", 15)
    work.drain(seconds=20)
    row = Document.objects.get(name="plan.md")
    made = [plan, *lengthened(row, MANY)]
    Blame.objects.all().delete()
    return made


def lengthened(row: Document, until: int) -> Iterator[str]:
    """Sound commits that append a sentence each, without jobs."""
    head = Commit.objects.select_related("blob").get(pk=row.head_id)
    text = head.blob.content
    for number in range(row.number + 1, until + 1):
        text += f"\nSentence number {number} of the log.\n"
        kept = texts.check(text)
        commits.store(kept)
        commit = Commit(
            document=row,
            number=number,
            parent_id=head.pk,
            blob_id=kept.hash,
            kind="edit",
            location=head.location,
            author_id=head.author_id,
            via=head.via,
            created_at=timezone.now(),
        )
        commit.id = commits.identify(commit)
        Commit.objects.bulk_create([commit])
        head = commit
        yield commit.pk
    Document.objects.filter(pk=row.pk).update(head=head, number=head.number)


def of(commit: str) -> reading.Authorship:
    row = Commit.objects.select_related("blob", "document").get(pk=commit)
    return reading.of(row.document, row)


def whole(commit: str) -> reading.Authorship:
    """As a walk from the first commit gives it."""
    row = Commit.objects.select_related("blob", "document").get(pk=commit)
    return reading.made(row.document, row, seconds=1000)


def job() -> None:
    row = Document.objects.get(name="plan.md")
    authorship.record(row.pk, authorship.make(row.pk, row.head_id))


def test_a_job_marks_commits_on_its_way_and_an_old_version_is_made_from_the_nearest(long: list[str]) -> None:
    old = {commit: whole(commit).runs for commit in (long[4], long[9], long[27], long[-1])}
    job()
    assert list(BlameMark.objects.order_by("number").values_list("number", flat=True)) == [10, 20, 30, 40]
    for commit, walked in zip(old, (5, 0, 8, 0), strict=True):
        found = of(commit)
        assert (found.walked, found.earlier) == (walked, None)
        assert found.runs == old[commit]


def test_marks_are_kept_also_where_each_write_has_its_own_job(long: list[str]) -> None:
    row = Document.objects.get(name="plan.md")
    for commit in long:
        authorship.record(row.pk, authorship.make(row.pk, commit))
    assert BlameMark.objects.count() == 4


def test_a_long_text_is_marked_more_often(long: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    size = Blob.objects.get(pk=Commit.objects.get(pk=long[-1]).blob_id).size
    monkeypatch.setattr(reading, "EVERY_BYTES", size * 3)
    job()
    assert of(long[-2]).walked <= 3


def test_what_an_older_algorithm_marked_is_marked_anew(long: list[str]) -> None:
    job()
    BlameMark.objects.update(version=0, runs=[[0, 1]])
    Blame.objects.update(version=0)
    assert of(long[9]).runs == whole(long[9]).runs
    job()
    assert set(BlameMark.objects.values_list("version", flat=True)) == {reading.BLAME_VERSION}
    assert BlameMark.objects.count() == 4


def test_a_reader_of_a_history_that_no_job_has_read_waits_for_a_few_commits_alone(
    cast: Cast, long: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with CaptureQueriesContext(connection) as queries:
        found = history.blame(cast.carol, location=LOCATION, keep=authorship.keep)
    assert len(queries) <= 20
    assert found.known_since is not None
    assert found.known_since.id == long[-16]
    assert found.sentences[0].commits[0].id == long[-16], "what is older is given to the last that was not read"
    assert [s.commits[0].id for s in found.sentences[-15:]] == long[-15:]
    assert not Blame.objects.exists(), "what is not known is not kept"
    assert Job.objects.get(state=JobState.PENDING).target == Document.objects.get(name="plan.md").pk
    work.drain(seconds=20)
    found = history.blame(cast.carol, location=LOCATION, keep=authorship.keep)
    assert found.known_since is None
    assert [s.commits[0].id for s in found.sentences[-44:]] == long[-44:]


def test_a_reader_does_not_ask_again_for_a_job_that_failed(cast: Cast, long: list[str]) -> None:
    Job.objects.update(state=JobState.FAILED)
    history.blame(cast.carol, location=LOCATION, keep=authorship.keep)
    assert not Job.objects.filter(state=JobState.PENDING).exists()
    assert authorship.enqueue(limit=10) == 0


def test_a_merge_upon_a_version_far_back_does_not_make_its_reader_read_all(cast: Cast, long: list[str]) -> None:
    merge_back_to(long[2], upon=long[-1])
    found = of(MERGED)
    assert found.walked <= 15
    assert found.earlier is not None
    assert whole(MERGED).runs == whole(long[2]).runs
    job()
    assert of(MERGED).runs == whole(long[2]).runs


def test_a_diff_of_two_versions_reads_no_more_than_is_between_them(cast: Cast, long: list[str]) -> None:
    found = history.diff(cast.carol, location=LOCATION, frm=long[-5], to=long[-1], authors=True)
    assert [[made.id for made in of] for of in found.authors] == [long[-4:]]
    assert not Blame.objects.exists()


def test_an_index_job_does_not_keep_search_waiting_for_a_long_history(
    cast: Cast, long: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "SECONDS", -1.0)
    documents.append(cast.bob, location=LOCATION, content="The newest sentence.")
    work.drain(seconds=20, limit=1)
    row = Document.objects.get(name="plan.md")
    assert row.indexed_commit_id == row.head_id
    assert Blame.objects.get().commit_id != row.head_id
    work.drain(seconds=20)
    assert Blame.objects.get().commit_id == row.head_id
    assert not Job.objects.filter(state=JobState.PENDING).exists()


def test_the_sweep_has_long_histories_read_that_nothing_is_kept_of(cast: Cast, long: list[str]) -> None:
    documents.create(cast.bob, location="product/launch/short.md", content="Short.\n")
    work.drain(seconds=20)
    Blame.objects.all().delete()
    Job.objects.all().delete()
    sweeping.sweep()
    work.drain(seconds=20)
    assert Blame.objects.get().commit_id == long[-1]
    assert BlameMark.objects.count() == 4
    sweeping.sweep()
    assert not Job.objects.filter(state=JobState.PENDING).exists()


def test_a_side_branch_that_is_open_where_a_job_stopped_is_read_from_where_it_began(
    cast: Cast, long: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = Commit.objects.select_related("document", "blob").get(pk=long[-1])

    def commit(number: int, parent: Commit, text: str, merged: Commit | None = None) -> Commit:
        kept = texts.check(text)
        commits.store(kept)
        made = Commit(
            document=head.document,
            number=number,
            parent=parent,
            merged_parent=merged,
            blob_id=kept.hash,
            kind="edit",
            location=head.location,
            author=head.author,
            via="command",
            created_at=timezone.now(),
        )
        made.id = commits.identify(made)
        Commit.objects.bulk_create([made])
        return made

    text = head.blob.content
    side = commit(46, head, text + "\nWritten on the side.\n")
    main = commit(47, head, "Written on the main line.\n\n" + text)
    side2 = commit(48, side, text + "\nWritten on the side.\n\nAnd more on the side.\n")
    both = "Written on the main line.\n\n" + text + "\nWritten on the side.\n\nAnd more on the side.\n"
    merge = commit(49, main, both, merged=side2)
    expected = whole(merge.pk).runs
    assert {side.pk, main.pk, side2.pk} <= {run.id for run in expected}
    assert merge.pk not in {run.id for run in expected}
    for stop in (side, main, side2):
        Blame.objects.all().delete()
        BlameMark.objects.all().delete()
        authorship.record(head.document_id, authorship.make(head.document_id, stop.pk))
        assert of(merge.pk).runs == expected


def test_a_purge_takes_what_is_kept_with_the_document(cast: Cast, long: list[str]) -> None:
    job()
    documents.delete(cast.alice, location=LOCATION, expected_commit=long[-1])
    list(purging.documents(replace(cast.alice, admin=True), before=timezone.now() + timedelta(days=1)))
    assert not BlameMark.objects.exists()
    assert not Blame.objects.exists()
