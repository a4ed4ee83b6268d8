"""How far somebody has been briefed."""

from django.db import models
from django.db.models.functions import Now


class BriefMark(models.Model):
    """``through`` is the moment up to which ``principal`` has acknowledged what changed."""

    principal = models.CharField(max_length=64, unique=True, editable=False)
    through = models.DateTimeField(editable=False)
    acknowledged_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.principal} through {self.through:%Y-%m-%d %H:%M}"
