"""Work to be done in the background. A pending row is the queue; the broker only rings."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.ids import job_id


class JobKind(models.TextChoices):
    INDEX = "index"
    SUMMARISE = "summarise"
    CONSOLIDATE = "consolidate"
    RETAIN = "retain"


class JobState(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Job(models.Model):
    """``kind`` on ``target`` (the id of a document, capture or folder). A running job whose lease ran out is
    taken to have been killed, and is claimed again."""

    id = models.CharField(primary_key=True, max_length=32, default=job_id, editable=False)
    kind = models.CharField(max_length=16, choices=JobKind, editable=False)
    target = models.CharField(max_length=64, editable=False)
    folder = models.ForeignKey("Folder", models.CASCADE, null=True, editable=False, related_name="jobs")
    document = models.ForeignKey("Document", models.CASCADE, null=True, editable=False, related_name="jobs")
    state = models.CharField(max_length=16, choices=JobState, default=JobState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)
    claim = models.CharField(max_length=32, blank=True, editable=False)
    """A random word of the worker that holds it, so that a worker that lost its lease cannot record a result."""
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "target"], condition=models.Q(state="pending"), name="job_pending_once"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(state__in=["pending", "running"]), name="job_due"),
            models.Index(fields=["kind", "target"], condition=models.Q(state="running"), name="job_running"),
            models.Index(fields=["kind", "target"], condition=models.Q(state="failed"), name="job_failed"),
            models.Index(fields=["finished_at"], condition=models.Q(state="done"), name="job_finished"),
            models.Index(fields=["-created_at", "id"], name="job_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


class Heartbeat(models.Model):
    """When a part of the background machinery last showed that it lives."""

    name = models.CharField(primary_key=True, max_length=64, editable=False)
    at = models.DateTimeField(editable=False)

    def __str__(self) -> str:
        return self.name
