"""What the probes ask. Nothing here depends on who asks: ages and counts, no names of things."""

from django.db.models import Count, Min
from django.utils import timezone

from workspace.models import Heartbeat, Job, JobState, Person


def heartbeats() -> dict[str, float]:
    """Seconds since each part of the background machinery showed that it lives."""
    now = timezone.now()
    return {row.name: max(0.0, (now - row.at).total_seconds()) for row in Heartbeat.objects.all()}


def is_new() -> bool:
    """Whether nobody has an account yet."""
    return not Person.objects.exists()


def backlog() -> tuple[dict[str, int], float | None]:
    """Jobs that are not done, counted by state, and the age in seconds of the oldest that is due."""
    unfinished = Job.objects.exclude(state=JobState.DONE)
    counts = dict(unfinished.order_by().values_list("state").annotate(Count("pk")))
    oldest = Job.objects.filter(state=JobState.PENDING).aggregate(at=Min("due_at"))["at"]
    return counts, max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else None
