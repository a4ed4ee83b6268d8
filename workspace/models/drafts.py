"""What somebody is typing and has not saved, and who wrote which part of a document."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.documents import Commit, Document
from workspace.models.folders import Folder
from workspace.models.people import Person


class Draft(models.Model):
    """Text that a person typed into the editor and did not save yet: of a document, or of a new one in a folder.

    It is theirs alone. ``base`` is the commit that it was typed upon.
    """

    person = models.ForeignKey(Person, models.CASCADE, related_name="drafts", editable=False)
    document = models.ForeignKey(Document, models.CASCADE, null=True, related_name="drafts", editable=False)
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, related_name="drafts", editable=False)
    name = models.CharField(max_length=200, blank=True, editable=False)
    base = models.ForeignKey(Commit, models.CASCADE, null=True, related_name="+", editable=False)
    content = models.TextField(editable=False)
    message = models.TextField(blank=True, editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "document"], condition=models.Q(document__isnull=False), name="draft_once"
            ),
            models.UniqueConstraint(
                fields=["person", "folder"], condition=models.Q(document=None), name="draft_new_once"
            ),
            models.CheckConstraint(
                condition=models.Q(document__isnull=False, folder=None, base__isnull=False)
                | models.Q(document=None, folder__isnull=False, base=None),
                name="draft_one_place",
            ),
        ]
        indexes = [models.Index(fields=["updated_at"], name="draft_age")]

    def __str__(self) -> str:
        return f"draft {self.pk}"
