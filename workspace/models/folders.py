"""The tree of folders, and who was granted what where."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.db import models
from django.db.models.functions import Now

from workspace.actor import Role
from workspace.models.agents import ROLES
from workspace.models.people import Group, Person
from workspace.models.reach import EditorsShare, Reach


class FolderQuerySet(models.QuerySet["Folder"]):
    def live(self) -> "FolderQuerySet":
        """Folders that were not deleted."""
        return self.filter(deleted_at=None)

    def visible_to(self, reach: Reach) -> "FolderQuerySet":
        """Folders in which ``reach`` holds a role, by a grant on them or on a folder above."""
        return self.filter(reach.folders())

    def with_role(self, reach: Reach) -> "FolderQuerySet":
        """Each row's ``granted`` role of the person (null where none), before any narrowing of an agent."""
        return self.annotate(granted=reach.role("lineage"))

    def with_shares(self) -> "FolderQuerySet":
        """Whether editors may share each, which no manager turned off there or above (``shares``)."""
        return self.annotate(shares=EditorsShare("lineage"))


class Folder(models.Model):
    """A folder. ``path`` is its location; ``lineage`` the ids from the root down to and including itself."""

    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")
    name = models.CharField(max_length=200)
    twin_key = models.CharField(max_length=64, editable=False)
    path = models.TextField(editable=False)
    lineage = ArrayField(models.BigIntegerField(), editable=False, default=list)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by = models.ForeignKey(Person, models.PROTECT, null=True, editable=False, related_name="+")
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    editors_share = models.BooleanField(
        db_default=True, help_text="Whether editors may share it and what is below it, up to editor."
    )
    retention_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="Captures in it are deleted after so many days; empty keeps them."
    )
    handoff_lines = models.JSONField(default=dict, editable=False)
    """The lines that the last consolidation wrote into HANDOFF.md, as ``{"lines": […]}``, to tell them from what
    people wrote; while it writes, also what it is about to (``workspace.services.summaries``)."""

    granted: int | None
    """The person's role, where ``with_role`` loaded it."""
    role: Role
    """The actor's role, where ``access`` looked it up."""
    shares: bool
    """Whether editors may share it, where ``with_shares`` loaded that."""

    objects: ClassVar[models.Manager["Folder"]] = models.Manager.from_queryset(FolderQuerySet)()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["parent", "twin_key"],
                condition=models.Q(deleted_at=None),
                nulls_distinct=False,
                name="folder_name_once",
            ),
        ]
        indexes = [
            GinIndex(fields=["lineage"], name="folder_lineage"),
            # The few folders where editors may not share are asked for at every place.
            models.Index(fields=["id"], condition=models.Q(editors_share=False), name="folder_closed"),
            # A path may be longer than a B-tree's row; it is only ever looked up whole.
            HashIndex(fields=["path"], name="folder_path"),
        ]

    def __str__(self) -> str:
        return self.path


class Grant(models.Model):
    """A role, for a person or a group, on a folder (and all below it) or on one document."""

    folder = models.ForeignKey(Folder, models.CASCADE, null=True, blank=True, related_name="grants")
    document = models.ForeignKey("Document", models.CASCADE, null=True, blank=True, related_name="grants")
    person = models.ForeignKey(Person, models.CASCADE, null=True, blank=True, related_name="grants")
    group = models.ForeignKey(Group, models.CASCADE, null=True, blank=True, related_name="grants")
    role = models.PositiveSmallIntegerField(choices=ROLES)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by = models.ForeignKey(Person, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(folder=None, document__isnull=False) | models.Q(folder__isnull=False, document=None),
                name="grant_one_place",
            ),
            models.CheckConstraint(
                condition=models.Q(person=None, group__isnull=False) | models.Q(person__isnull=False, group=None),
                name="grant_one_subject",
            ),
            models.UniqueConstraint(
                fields=["folder", "document", "person", "group"], nulls_distinct=False, name="grant_once"
            ),
        ]
        indexes = [
            # Documents granted by themselves are few among what a person was granted, and asked for in every list.
            models.Index(
                fields=["group", "document"], condition=models.Q(document__isnull=False), name="grant_group_document"
            ),
            models.Index(
                fields=["person", "document"], condition=models.Q(document__isnull=False), name="grant_person_document"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} {self.person_id or self.group_id}"
