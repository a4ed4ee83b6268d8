"""The search index: passages of documents' heads."""

from typing import ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from workspace.models.documents import Commit, Document
from workspace.models.folders import Grant
from workspace.models.reach import Reach


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def visible_to(self, reach: Reach) -> "ChunkQuerySet":
        """Passages of documents in which ``reach`` holds a role."""
        return self.filter(reach.documents(Grant.objects, "document__folder__lineage", "document"))


class Chunk(models.Model):
    """A passage of ``document`` as of ``commit``: lines ``start_line`` to ``end_line`` under ``heading``.

    ``terms`` holds the search terms of heading and text (``workspace.markdown.terms``), joined by spaces as
    lexemes; ``length`` is how many there are."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="chunks", editable=False)
    commit = models.ForeignKey(Commit, models.CASCADE, related_name="+", editable=False)
    ordinal = models.PositiveIntegerField(editable=False)
    heading = models.TextField(blank=True, editable=False)
    start_line = models.PositiveIntegerField(editable=False)
    end_line = models.PositiveIntegerField(editable=False)
    text = models.TextField(editable=False)
    terms = SearchVectorField(editable=False)
    length = models.PositiveIntegerField(default=0, editable=False)

    objects: ClassVar[models.Manager["Chunk"]] = models.Manager.from_queryset(ChunkQuerySet)()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "ordinal"], name="chunk_once")]
        indexes = [GinIndex(fields=["terms"], name="chunk_terms")]

    def __str__(self) -> str:
        return f"{self.document_id}#{self.ordinal}"
