"""What the probes ask. Nothing here depends on who asks: ages and counts, no names of things."""

from dataclasses import dataclass

from django.db.models import Count, Min
from django.utils import timezone

from workspace.models import Heartbeat, Job, JobState, Person


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Jobs that are not done, counted by state, and how long the oldest that is due has waited, in seconds; None
    where none is pending."""

    by_state: dict[str, int]
    oldest_pending_seconds: float | None


def heartbeats() -> dict[str, float]:
    """Seconds since each part of the background machinery showed that it lives."""
    now = timezone.now()
    return {row.name: max(0.0, (now - row.at).total_seconds()) for row in Heartbeat.objects.all()}


def is_new() -> bool:
    """Whether nobody has an account yet."""
    return not Person.objects.exists()


def backlog() -> Backlog:
    """The backlog of the whole instance."""
    unfinished = Job.objects.exclude(state=JobState.DONE)
    counts = dict(unfinished.order_by().values_list("state").annotate(Count("pk")))
    oldest = Job.objects.filter(state=JobState.PENDING).aggregate(at=Min("due_at"))["at"]
    waited = max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else None
    return Backlog(by_state=counts, oldest_pending_seconds=waited)
