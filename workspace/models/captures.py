"""What agents saved of their sessions, and the summaries made of that."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from workspace.actor import Actor, Role
from workspace.models.agents import Agent
from workspace.models.documents import Commit
from workspace.models.folders import Folder
from workspace.models.ids import capture_id
from workspace.models.people import Person

PROPOSED = models.Q(proposed_at__isnull=False, approved_at=None)
"""Kept for its author alone: it was proposed, and not approved since."""
WAITING = models.Q(proposed_at__isnull=False, approved_at=None, deleted_at=None)
"""Proposed, and still to be decided."""


def shown_to(actor: Actor, prefix: str = "") -> models.Q:
    """Captures without what was proposed to somebody else. An agent is shown no proposal, its own neither: it is the
    person who decides. To be narrowed to folders besides. ``prefix`` leads to the capture from another row."""
    shown = models.Q(**{f"{prefix}proposed_at": None}) | models.Q(**{f"{prefix}approved_at__isnull": False})
    if actor.person is None or actor.agent:
        return shown
    return shown | models.Q(**{f"{prefix}author": actor.person})


class CaptureQuerySet(models.QuerySet["Capture"]):
    def kept(self) -> "CaptureQuerySet":
        """Those that are the folder's: never proposed, or approved since."""
        return self.exclude(PROPOSED)

    def shown_to(self, actor: Actor) -> "CaptureQuerySet":
        """Those that ``shown_to`` tells of."""
        return self.filter(shown_to(actor))


class Capture(models.Model):
    """An immutable note of one session, kept in a folder. ``content`` was redacted before it was stored; after
    a deletion or its retention it is empty and only the fact remains."""

    id = models.CharField(primary_key=True, max_length=32, default=capture_id, editable=False)
    folder = models.ForeignKey(Folder, models.PROTECT, related_name="captures", editable=False)
    content = models.TextField(editable=False)
    digest = models.CharField(max_length=64, editable=False)
    redactions = models.JSONField(default=dict, editable=False)
    """How many secrets of which kind were taken out of it before it was stored."""
    host = models.CharField(max_length=64, blank=True, editable=False)
    session = models.CharField(max_length=200, blank=True, editable=False)
    event = models.CharField(max_length=64, blank=True, editable=False)
    principal = models.CharField(max_length=64, editable=False)
    operation_id = models.CharField(max_length=255, editable=False)
    author = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+", editable=False)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="+", editable=False)
    via = models.CharField(max_length=16, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    delete_after = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    handed_off = models.ForeignKey(Commit, models.SET_NULL, null=True, related_name="+", editable=False)
    """The commit of the folder's HANDOFF.md that first holds it."""
    proposed_at = models.DateTimeField(null=True, editable=False)
    """When it was kept for its author alone, until they approve it."""
    approved_at = models.DateTimeField(null=True, editable=False)
    approved_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+", editable=False)

    objects: ClassVar[models.Manager["Capture"]] = models.Manager.from_queryset(CaptureQuerySet)()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "operation_id"], name="capture_operation_once"),
            models.CheckConstraint(
                condition=models.Q(proposed_at=None) | models.Q(author__isnull=False), name="capture_proposed_author"
            ),
            models.CheckConstraint(
                condition=models.Q(approved_at=None, approved_by=None)
                | models.Q(approved_at__isnull=False, approved_by__isnull=False, proposed_at__isnull=False),
                name="capture_approved_by",
            ),
        ]
        indexes = [
            models.Index(fields=["folder", "-created_at", "id"], name="capture_recent"),
            models.Index(fields=["delete_after"], condition=models.Q(deleted_at=None), name="capture_due"),
            # Few, and counted on every page.
            models.Index(fields=["author"], condition=WAITING, name="capture_proposed"),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def proposed(self) -> bool:
        """Whether it was never approved, and so is its author's alone."""
        return self.proposed_at is not None and self.approved_at is None

    def erasable_by(self, actor: Actor, role: Role) -> bool:
        """Whether ``actor``, with ``role`` on the folder, may erase it: who made it, as long as they are an editor
        there, and the folder's managers. What is only proposed is its author's to decline."""
        if self.proposed:
            return self.author_id == actor.person
        own = self.author_id is not None and self.author_id == actor.person
        return role >= (Role.EDITOR if own else Role.MANAGER)


class Summary(models.Model):
    """What a summariser made of one capture: ``lines`` is a list of ``{section, text}``."""

    capture = models.OneToOneField(Capture, models.CASCADE, related_name="summary", editable=False)
    lines = models.JSONField(editable=False)
    engine = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "summaries"

    def __str__(self) -> str:
        return f"summary of {self.capture_id}"
