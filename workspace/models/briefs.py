"""How far somebody has taken note of what changed."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.folders import Folder


class BriefMark(models.Model):
    """The point up to which a person, or an agent by itself, has acknowledged the briefs of a ``folder``, or those of
    all their work (None). It only moves forward.

    ``told`` are ids (of commits, their beginnings) of what was told and is dated after ``through``: what ends later
    than it is dated has to be looked for again, and what was told is not told twice.
    """

    principal = models.CharField(max_length=64, editable=False)
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, related_name="+", editable=False)
    through = models.DateTimeField(editable=False)
    told = models.JSONField(default=list, editable=False)
    acknowledged_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "folder"], nulls_distinct=False, name="brief_mark_once"),
        ]

    def __str__(self) -> str:
        return self.principal
