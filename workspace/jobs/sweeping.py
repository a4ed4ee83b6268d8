"""What no message told of: lost rings, killed workers, retention that is over, old rows."""

from datetime import timedelta

from django.utils import timezone

from workspace import dispatch
from workspace.jobs import work
from workspace.models import IdempotencyKey
from workspace.services import captures, jobs

DRAIN_S = 4.0
BELLS = 4
"""Rings of one sweep. Each drains for seconds, so that a long backlog does not fill the broker with messages."""
OVERDUE = timedelta(seconds=3)
"""A job that was just enqueued has its own message under way."""
KEEP_KEYS = timedelta(hours=24)
PURGED = 1_000


def sweep() -> bool:
    """One round. Where the broker takes no message, it does a few seconds of the work itself and says False."""
    captures.enqueue_due()
    _purge()
    overdue = jobs.waiting(limit=BELLS, older_than=OVERDUE)
    rung = [dispatch.ring(jobs.TASK) for _ in overdue]
    if all(rung):
        return True
    work.drain(seconds=DRAIN_S)
    return False


def _purge() -> None:
    jobs.purge(limit=PURGED)
    old = IdempotencyKey.objects.filter(created_at__lt=timezone.now() - KEEP_KEYS)
    IdempotencyKey.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:PURGED])).delete()
