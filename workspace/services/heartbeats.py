"""Signs of life of the background machinery."""

from django.utils import timezone

from workspace.models import Heartbeat

WORKER = "worker"
BEAT = "beat"
SWEEP = "sweep"


def record(name: str) -> None:
    """Notes that `name` lives now."""
    Heartbeat.objects.bulk_create(
        [Heartbeat(name=name, at=timezone.now())],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["at"],
    )
