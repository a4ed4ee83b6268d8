"""Indexing a document's head: what search finds, and who wrote it."""

from collections.abc import Callable

from workspace.models import Document, Job, JobKind
from workspace.services import authorship, index, jobs

SECONDS = 2.0
"""How long search waits for a long history to be read, the first time."""


def work(job: Job) -> Callable[[], object] | None:
    """The passages of the head as it is now and who wrote its sentences, and how these are recorded.

    A history that takes longer is gone on with by another job of this kind.
    """
    made = index.make(job.target)
    if made is None:
        return None
    found = Document.objects.filter(pk=made.document, indexed_commit=made.commit).exists()
    written = authorship.make(made.document, made.commit, seconds=None if found else SECONDS)

    def record() -> None:
        index.record(made.document, made.commit, made.entries)
        authorship.record(made.document, written)
        if written.commit != made.commit:
            jobs.enqueue(JobKind.INDEX, made.document, folder=job.folder_id, document=made.document)

    return record
