"""What no message told of: lost rings, killed workers, retention that is over, old rows, histories not read yet."""

from datetime import timedelta

from workspace import dispatch
from workspace.actor import Actor
from workspace.jobs import work
from workspace.services import (
    audit_retention,
    authorship,
    captures,
    drafts,
    idempotency,
    jobs,
    purging,
    registrations,
)

DRAIN_S = 4.0
BELLS = 4
"""Rings of one sweep. Each drains for seconds, so that a long backlog does not fill the broker with messages."""
RETENTION = Actor.for_job("retention", scopes=(), reason="Their time is over.")
HISTORIES = 20
"""Long histories of which one sweep queues the reading."""
OVERDUE = timedelta(seconds=3)
"""A job that was just enqueued has its own message under way."""


def sweep() -> bool:
    """One round. Where the broker takes no message, it does a few seconds of the work itself and says False."""
    captures.enqueue_due()
    jobs.purge()
    idempotency.purge()
    purging.sessions()
    purging.drafts(RETENTION)
    registrations.expire()
    drafts.purge()
    audit_retention.purge(RETENTION)
    authorship.enqueue(limit=HISTORIES)
    overdue = jobs.waiting(limit=BELLS, older_than=OVERDUE)
    rung = [dispatch.ring(jobs.TASK) for _ in overdue]
    if all(rung):
        return True
    work.drain(seconds=DRAIN_S)
    return False
