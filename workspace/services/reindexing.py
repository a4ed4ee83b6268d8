"""Bringing the search index up to date, by queueing documents for the workers."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import F, Q, QuerySet

from workspace.models import Document, Job, JobKind, JobState
from workspace.services import jobs

AT_ONCE = 100


def count(*, everything: bool = False) -> int:
    """How many documents ``enqueue`` will queue."""
    return _behind(everything).count()


def enqueue(*, everything: bool = False) -> Iterator[int]:
    """Queues live documents whose index is behind their head, or all of them, and gives the size of each batch.

    Queueing one twice is harmless, so it may be stopped and run again.
    """
    last = ""
    while True:
        with transaction.atomic():
            batch = list(
                _behind(everything).filter(pk__gt=last).order_by("pk").values_list("pk", "folder_id")[:AT_ONCE]
            )
            for document, folder in batch:
                jobs.enqueue(JobKind.INDEX, document, folder=folder, document=document)
        if not batch:
            return
        last = batch[-1][0]
        yield len(batch)


def unfinished() -> int:
    """How many documents wait for the index or are being indexed."""
    return Job.objects.filter(kind=JobKind.INDEX, state__in=(JobState.PENDING, JobState.RUNNING)).count()


def _behind(everything: bool) -> "QuerySet[Document]":
    rows = Document.objects.live()
    return rows if everything else rows.filter(Q(indexed_commit=None) | ~Q(indexed_commit=F("head")))
