"""Indexing a document's head."""

from collections.abc import Callable

from workspace.models import Job
from workspace.services import index


def work(job: Job) -> Callable[[], object] | None:
    """The passages of the head as it is now, and how they are recorded."""
    made = index.make(job.target)
    if made is None:
        return None
    return lambda: index.record(made.document, made.commit, made.entries)
