"""Receipts of what happened, and of requests that may be repeated."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.agents import Agent
from workspace.models.captures import Capture
from workspace.models.conflicts import Conflict
from workspace.models.documents import Commit, Document
from workspace.models.folders import Folder
from workspace.models.ids import receipt_id
from workspace.models.people import Person


class ReceiptKind(models.TextChoices):
    WRITTEN = "written"
    CONFLICTED = "conflicted"
    RESOLVED = "resolved"
    DISCARDED = "discarded"
    CAPTURED = "captured"
    ACKNOWLEDGED = "acknowledged"
    SUMMARISED = "summarised"
    CONSOLIDATED = "consolidated"
    INDEXED = "indexed"
    READ = "read"
    INVOKED = "invoked"
    RETRIEVED = "retrieved"
    ATTACHED = "attached"
    WITHHELD = "withheld"
    ERASED = "erased"
    GRANTED = "granted"
    REVOKED = "revoked"
    FOLDER_MADE = "folder-made"
    FOLDER_MOVED = "folder-moved"
    FOLDER_DELETED = "folder-deleted"
    AGENT_MADE = "agent-made"
    AGENT_REVOKED = "agent-revoked"
    FAILED = "failed"


STAGES = (ReceiptKind.INVOKED, ReceiptKind.RETRIEVED, ReceiptKind.ATTACHED, ReceiptKind.WITHHELD)
"""What happens to one prompt: context was asked for, found, and given to the model or kept from it."""
NOTHING_TO_SAY = "nothing to say"
UNAVAILABLE = "unavailable"
"""Why nothing was retrieved: there was nothing, or the time was over before anything was found."""


class Receipt(models.Model):
    """One fact, recorded when it happened and by whom. Append-only."""

    id = models.CharField(primary_key=True, max_length=32, default=receipt_id, editable=False)
    kind = models.CharField(max_length=16, choices=ReceiptKind, editable=False)
    at = models.DateTimeField(db_default=Now(), editable=False)
    person = models.ForeignKey(Person, models.PROTECT, null=True, editable=False, related_name="+")
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, editable=False, related_name="+")
    job = models.CharField(max_length=64, blank=True, editable=False)
    via = models.CharField(max_length=16, editable=False)
    session = models.CharField(max_length=200, blank=True, editable=False)
    host = models.CharField(max_length=64, blank=True, db_default="", editable=False)
    operation = models.CharField(max_length=255, blank=True, db_default="", editable=False)
    """The retry identity of what a host did, by which the stages of one prompt belong together."""
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, editable=False, related_name="receipts")
    document = models.ForeignKey(Document, models.CASCADE, null=True, editable=False, related_name="receipts")
    commit = models.ForeignKey(Commit, models.CASCADE, null=True, editable=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, null=True, editable=False, related_name="receipts")
    conflict = models.ForeignKey(Conflict, models.CASCADE, null=True, editable=False, related_name="receipts")
    reason = models.TextField(blank=True, editable=False)
    data = models.JSONField(default=dict, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["document", "commit", "person", "agent", "session"],
                condition=models.Q(kind="read"),
                nulls_distinct=False,
                name="receipt_read_once",
            ),
            models.UniqueConstraint(
                fields=["operation", "kind", "person", "agent", "document", "commit"],
                condition=models.Q(kind__in=STAGES),
                nulls_distinct=False,
                name="receipt_stage_once",
            ),
        ]
        indexes = [
            models.Index(fields=["-at", "id"], name="receipt_recent"),
            models.Index(fields=["folder", "-at"], name="receipt_folder"),
            models.Index(fields=["person", "-at"], name="receipt_person"),
            models.Index(fields=["session", "-at"], condition=~models.Q(session=""), name="receipt_session"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d %H:%M}"


class IdempotencyKey(models.Model):
    """The first outcome of a request, for its repetitions. Scoped to who asked and what for."""

    principal = models.CharField(max_length=64, editable=False)
    operation = models.CharField(max_length=64, editable=False)
    key = models.CharField(max_length=255, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    outcome = models.JSONField(default=dict, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "operation", "key"], name="idempotency_once"),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]

    def __str__(self) -> str:
        return self.key
