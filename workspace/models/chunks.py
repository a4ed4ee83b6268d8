"""The search index: passages of documents' heads."""

from collections.abc import Mapping
from typing import ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from workspace.models.documents import Commit, Document
from workspace.models.reach import Reach

MOST_POSITIONS = 255  # PostgreSQL keeps no more of one lexeme


def quoted(term: str) -> str:
    """``term`` as PostgreSQL reads one lexeme in a tsvector or a tsquery."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def title_term(term: str) -> str:
    """The lexeme by which a document's first passage says that ``term`` is in its title or name. No term of a
    text holds a colon."""
    return "t:" + term


def lexemes(counts: Mapping[str, int]) -> str:
    """Terms as a tsvector. A term's number of positions is how often it stands there; where is not kept."""
    return " ".join(
        f"{quoted(term)}:{','.join(map(str, range(1, min(count, MOST_POSITIONS) + 1)))}"
        for term, count in counts.items()
    )


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def visible_to(self, reach: Reach) -> "ChunkQuerySet":
        """Passages of documents in which ``reach`` holds a role."""
        return self.filter(reach.documents("document__folder__lineage", "document"))


class Chunk(models.Model):
    """A passage of ``document`` as of ``commit``: lines ``start_line`` to ``end_line`` under ``heading``.

    ``terms`` holds the search terms of heading and text (``workspace.markdown.terms``) as lexemes, and in the
    first passage those of the document's title as ``title_term``; ``length`` is how many there are."""

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
