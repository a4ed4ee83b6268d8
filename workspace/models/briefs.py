"""How far somebody has taken note of what changed."""

from django.db import models
from django.db.models.functions import Now


class BriefMark(models.Model):
    """The point up to which a person, or an agent by itself, has acknowledged briefs. It only moves forward.

    ``told`` are ids of what was seen to have happened just before ``through``: what ends later than it is dated has
    to be looked for again, and what was told is not told twice.
    """

    principal = models.CharField(max_length=64, unique=True, editable=False)
    through = models.DateTimeField(editable=False)
    told = models.JSONField(default=list, editable=False)
    acknowledged_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.principal
