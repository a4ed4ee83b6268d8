"""Indexing a document's head: what search finds, and who wrote it."""

from collections.abc import Callable

from workspace.models import Job
from workspace.services import authorship, index


def work(job: Job) -> Callable[[], object] | None:
    """The passages of the head as it is now and who wrote its sentences, and how these are recorded."""
    made = index.make(job.target)
    if made is None:
        return None
    written = authorship.make(made.document, made.commit)

    def record() -> None:
        index.record(made.document, made.commit, made.entries)
        authorship.record(made.document, written)

    return record
