"""Deletion of a capture whose retention is over."""

from collections.abc import Callable

from workspace.models import Job
from workspace.services import captures


def work(job: Job) -> Callable[[], object]:
    """Nothing to prepare; the deletion is the record."""
    return lambda: captures.retain(job.target)
