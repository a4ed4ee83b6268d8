"""Drafts that could not be merged, kept whole until somebody resolves or discards them."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.agents import Agent
from workspace.models.documents import Blob, Commit, Document
from workspace.models.ids import conflict_id
from workspace.models.people import Person


class ConflictState(models.TextChoices):
    OPEN = "open"
    RESOLVED = "resolved"
    DISCARDED = "discarded"


class Conflict(models.Model):
    """``draft`` was written upon ``base`` while ``head`` was already there."""

    id = models.CharField(primary_key=True, max_length=32, default=conflict_id, editable=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="conflicts", editable=False)
    base = models.ForeignKey(Commit, models.PROTECT, related_name="+", editable=False)
    head = models.ForeignKey(Commit, models.PROTECT, related_name="+", editable=False)
    draft = models.ForeignKey(Blob, models.PROTECT, related_name="+", editable=False)
    state = models.CharField(max_length=16, choices=ConflictState, default=ConflictState.OPEN)
    author = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+", editable=False)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="+", editable=False)
    job = models.CharField(max_length=64, blank=True, editable=False)
    via = models.CharField(max_length=16, editable=False)
    message = models.TextField(blank=True, editable=False)
    reason = models.TextField(blank=True, editable=False)
    merge_version = models.PositiveSmallIntegerField(default=1, editable=False)
    """Of the merge whose hunks were told; choices are for those."""
    hunk_count = models.PositiveIntegerField(editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    closed_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+", editable=False)
    resolution = models.ForeignKey(Commit, models.PROTECT, null=True, related_name="+", editable=False)

    class Meta:
        indexes = [
            # Discarded drafts are kept for a time.
            models.Index(fields=["closed_at"], condition=models.Q(state="discarded"), name="conflict_discarded"),
            models.Index(fields=["document"], condition=models.Q(state="open"), name="conflict_open"),
            models.Index(fields=["-created_at", "id"], name="conflict_recent"),
        ]

    def __str__(self) -> str:
        return self.id


class Settling(models.Model):
    """What somebody has chosen so far for the hunks of a conflict, and that they are at it."""

    conflict = models.ForeignKey(Conflict, models.CASCADE, related_name="settlings", editable=False)
    person = models.ForeignKey(Person, models.CASCADE, related_name="+", editable=False)
    choices = models.JSONField(default=list, editable=False)
    """One for each hunk, in order: a choice as ``workspace.merge.resolve`` takes it, or null."""
    head = models.ForeignKey(Commit, models.CASCADE, related_name="+", editable=False)
    """The head that the hunks were made against."""
    seen_at = models.DateTimeField(db_default=Now(), editable=False)
    page = models.CharField(max_length=64, default="", editable=False)
    """What the opened page that sent the choices calls itself, and its how many-eth ``step`` they are."""
    step = models.BigIntegerField(default=0, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["conflict", "person"], name="settling_once")]

    def __str__(self) -> str:
        return f"{self.conflict_id} by {self.person_id}"
