"""Documents, their commits and the texts these hold."""

from datetime import timedelta
from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models.functions import Now, Upper

from workspace.actor import Role
from workspace.models.agents import Agent
from workspace.models.folders import Folder
from workspace.models.ids import document_id
from workspace.models.people import Person
from workspace.models.reach import EditorsShare, Reach

COMMITTING: Final = timedelta(seconds=1)
"""A commit is dated when it begins and is seen when it ends: who asks what is new looks so much further back. What
ended meanwhile is told twice rather than never."""


class DocumentQuerySet(models.QuerySet["Document"]):
    def live(self) -> "DocumentQuerySet":
        """Documents that were not deleted."""
        return self.filter(deleted_at=None)

    def visible_to(self, reach: Reach) -> "DocumentQuerySet":
        """Documents in which ``reach`` holds a role."""
        return self.filter(reach.documents())

    def with_role(self, reach: Reach) -> "DocumentQuerySet":
        """Each row's ``granted`` role of the person (null where none), before any narrowing of an agent."""
        return self.annotate(granted=reach.role("folder__lineage", "pk"))

    def with_shares(self) -> "DocumentQuerySet":
        """Whether editors may share each, which no manager turned off for a folder above (``shares``)."""
        return self.annotate(shares=EditorsShare("folder__lineage"))


class Document(models.Model):
    """A Markdown document. Its text, author and time are those of ``head``; the id survives moves."""

    id = models.CharField(primary_key=True, max_length=32, default=document_id, editable=False)
    folder = models.ForeignKey(Folder, models.PROTECT, related_name="documents")
    name = models.CharField(max_length=200)
    twin_key = models.CharField(max_length=64, editable=False)
    # A document and its first commit name each other: the database checks both when the transaction ends.
    head = models.ForeignKey("Commit", models.DO_NOTHING, editable=False, related_name="+")
    number = models.PositiveIntegerField(default=0, editable=False)
    """How many commits it has; the head's number."""
    title = models.CharField(max_length=300, blank=True, editable=False)
    type = models.CharField(max_length=100, blank=True, editable=False)
    labels = ArrayField(models.CharField(max_length=100), default=list, blank=True, editable=False)
    summary = models.CharField(max_length=300, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    indexed_commit = models.ForeignKey("Commit", models.SET_NULL, null=True, editable=False, related_name="+")
    indexed_at = models.DateTimeField(null=True, editable=False)

    granted: int | None
    """The person's role, where ``with_role`` loaded it."""
    role: Role
    """The actor's role, where ``access`` looked it up."""
    shares: bool
    """Whether editors may share it, where ``with_shares`` loaded that."""

    objects: ClassVar[models.Manager["Document"]] = models.Manager.from_queryset(DocumentQuerySet)()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["folder", "twin_key"],
                condition=models.Q(deleted_at=None),
                name="document_name_once",
            ),
        ]
        indexes = [
            models.Index(fields=["folder", "name"], name="document_place"),
            models.Index(fields=["-updated_at", "id"], name="document_recent"),
            models.Index(fields=["type", "folder"], condition=models.Q(deleted_at=None), name="document_type"),
            GinIndex(fields=["labels"], name="document_labels"),
            GinIndex(OpClass(Upper("title"), name="gin_trgm_ops"), name="document_title_trgm"),
        ]

    def __str__(self) -> str:
        return self.name


class Blob(models.Model):
    """A text, stored once however many commits hold it. ``hash`` is the SHA-256 of its UTF-8 bytes."""

    hash = models.CharField(primary_key=True, max_length=64, editable=False)
    content = models.TextField(editable=False)
    size = models.PositiveIntegerField(editable=False)
    lines = models.PositiveIntegerField(editable=False)

    def __str__(self) -> str:
        return self.hash[:12]


class CommitKind(models.TextChoices):
    CREATE = "create"
    EDIT = "edit"
    MERGE = "merge"
    RESOLVE = "resolve"
    MOVE = "move"
    DELETE = "delete"
    UNDELETE = "undelete"
    RESTORE = "restore"


class Commit(models.Model):
    """One accepted write; never changed afterwards. ``id`` is the SHA-256 of its canonical form
    (``workspace.services.commits.canonical``), so that a change made behind the product's back shows."""

    id = models.CharField(primary_key=True, max_length=64, editable=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="commits", editable=False)
    number = models.PositiveIntegerField(editable=False)
    parent = models.ForeignKey("self", models.PROTECT, null=True, editable=False, related_name="+")
    merged_parent = models.ForeignKey("self", models.PROTECT, null=True, editable=False, related_name="+")
    blob = models.ForeignKey(Blob, models.PROTECT, editable=False, related_name="+")
    kind = models.CharField(max_length=16, choices=CommitKind, editable=False)
    location = models.TextField(editable=False)
    author = models.ForeignKey(Person, models.PROTECT, null=True, editable=False, related_name="+")
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, editable=False, related_name="+")
    job = models.CharField(max_length=64, blank=True, editable=False)
    via = models.CharField(max_length=16, editable=False)
    session = models.CharField(max_length=200, blank=True, editable=False)
    message = models.TextField(blank=True, editable=False)
    reason = models.TextField(blank=True, editable=False)
    imported_author = models.CharField(max_length=300, blank=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    merge_version = models.PositiveSmallIntegerField(null=True, editable=False)
    decisions = models.JSONField(default=list, editable=False)
    """What a merge settled beyond lines: ``[{"rule": "union", "lines": [4, 5]}]``, lines of its own text from 1, or
    null where nothing is left there."""

    told: bool
    """Whether the reader is told ``location``, where ``workspace.queries.whereabouts`` loaded that."""
    now: str
    """Where the document is, where that loaded it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="commit_number_once"),
            models.CheckConstraint(
                condition=models.Q(author__isnull=False) | ~models.Q(job=""), name="commit_has_author"
            ),
        ]
        indexes = [
            models.Index(fields=["author", "-created_at"], name="commit_by_author"),
            models.Index(fields=["agent", "-created_at"], name="commit_by_agent"),
            # What earlier imports made is asked for by their session.
            models.Index(fields=["session", "via"], name="commit_by_session"),
        ]

    def __str__(self) -> str:
        return self.id[:8]

    @property
    def parents(self) -> list[str]:
        """Ids of the parents, the one written upon first."""
        return [p for p in (self.parent_id, self.merged_parent_id) if p]
