"""Who wrote which sentence of a document, kept up commit by commit."""

from django.db import models

from workspace.models.documents import Commit, Document


class Blame(models.Model):
    """The authorship of a document's text at one commit, from which the next commit's is made."""

    document = models.OneToOneField(Document, models.CASCADE, primary_key=True, related_name="blame", editable=False)
    commit = models.ForeignKey(Commit, models.CASCADE, related_name="+", editable=False)
    version = models.PositiveSmallIntegerField(editable=False)
    """Of the algorithm; a row of another version is made anew."""
    commits = models.JSONField(default=list, editable=False)
    """Ids of the commits that wrote what is left."""
    runs = models.JSONField(default=list, editable=False)
    """``[index into commits, number of characters]`` after one another over the whole text."""

    def __str__(self) -> str:
        return f"{self.document_id} at {self.commit_id}"


class BlameMark(models.Model):
    """The authorship at one commit of a long history, so that an old commit's is made from the nearest before it."""

    commit = models.OneToOneField(Commit, models.CASCADE, primary_key=True, related_name="+", editable=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="blame_marks", editable=False, db_index=False)
    number = models.PositiveIntegerField(editable=False)
    """The commit's."""
    version = models.PositiveSmallIntegerField(editable=False)
    commits = models.JSONField(default=list, editable=False)
    runs = models.JSONField(default=list, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="blame_mark_once")]

    def __str__(self) -> str:
        return f"{self.document_id} #{self.number}"
