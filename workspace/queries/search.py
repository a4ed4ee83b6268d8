"""Search: what an actor may read, by its text and its titles, best first, each hit with where it stands and how
fresh it is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet
from django.db.models.functions import Left

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.markdown import front_matter
from workspace.markdown.terms import fold, terms
from workspace.models import Chunk, Document, Folder, Reach
from workspace.queries import citations, ranking, snippets, who
from workspace.queries.pages import check_limit
from workspace.queries.ranking import Candidate
from workspace.queries.who import Who

MODES = ("auto", "text", "titles", "meaning")
DEFAULT = 20
MOST_CHARACTERS = 4_000
PER_DOCUMENT = 2
"""Passages of one document among the hits, so that a long one does not fill the page."""
FRONT = 4_096
SUPERSEDED_BY = ("superseded_by", "superseded-by", "replaced_by")
UNNAMED = "unknown"
UNINDEXED = 1.5
"""The score of a document known by its whole title only; a passage that also has it comes to 2 or 3."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A passage, or a document whose title matched.

    ``highlights`` are ``(start, end)`` character offsets into ``snippet``. ``commit``, ``author``, ``committed_at``
    and ``lines`` are those of the version that was indexed, and ``stale`` says that the head is a later one.
    ``lines`` is None where only the title is known yet. ``superseded_by`` is what the head's front matter names,
    ``unknown`` where it only says that it was superseded, else None.
    """

    location: str
    id: str
    title: str
    heading: str
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    lines: tuple[int, int] | None
    citation: str
    commit: str
    author: Who
    committed_at: datetime
    indexed_at: datetime | None
    stale: bool
    superseded_by: str | None
    score: float
    text: str = ""
    """The whole passage; empty where only the title is known yet."""


def search(
    actor: Actor, *, q: str, mode: str = "auto", location: str | None = None, limit: int | None = None
) -> tuple[Hit, ...]:
    """Up to ``limit`` (20, at most 100) hits for ``q``, best first, at and below ``location`` if given.

    ``auto`` looks in text and titles, ``text`` and ``titles`` in one of them. A query without a letter or digit
    finds nothing. Raises ``Invalid``, and ``NotFound`` where the actor sees nothing at ``location``.
    """
    limit = DEFAULT if limit is None else check_limit(limit)
    words = _check(q, mode)
    within = _within(actor, location)
    if not words:
        return ()
    try:
        seen = ranking.statistics(within, words)
    except EmptyResultSet:
        return ()
    text, titles = mode in ("auto", "text"), mode in ("auto", "titles")
    prefix = fold(re.split(r"\W", q)[-1]) if titles else ""
    found = ranking.candidates(within, seen, words, text=text, titles=titles, prefix=prefix if len(prefix) > 1 else "")
    chosen = _spread(found, limit)
    hits = _passages(within, chosen, set(words))
    if titles:
        hits += _unindexed(within, seen.unindexed, words, {hit.id for hit in hits})
    return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])


def _check(q: object, mode: object) -> list[str]:
    """The distinct terms of the query, in order."""
    if not isinstance(q, str):
        raise Invalid("q", "must be text.")
    if len(q) > MOST_CHARACTERS:
        raise Invalid("q", f"has {len(q):,} characters. At most {MOST_CHARACTERS:,} are searched for.")
    if mode not in MODES:
        raise Invalid("mode", f"must be one of: {', '.join(MODES)}.")
    if mode == "meaning":
        raise Invalid("mode", "meaning needs embeddings, which this instance does not have yet. Use auto.")
    clean = q.encode("utf-8", "ignore").decode().replace("\x00", " ")
    return list(dict.fromkeys(terms(clean)))[: ranking.MOST_TERMS]


def _within(actor: Actor, location: str | None) -> QuerySet[Document]:
    """The living documents that the actor may read, at and below ``location``."""
    visible = Document.objects.live().visible_to(Reach(actor))
    if location is None or location == "":
        return visible
    names = locations.split(location)
    folder = Folder.objects.live().filter(path=locations.join(*names)).with_role(Reach(actor)).first()
    inside = visible.filter(folder__lineage__contains=[folder.pk if folder else 0])
    role = access.effective(actor, folder.granted, folder.lineage, None) if folder else None
    # A folder on the way to something visible may be searched. What is hidden takes the same queries as what never was.
    if role is not None or inside.exists():
        return inside
    if len(names) > 1:
        return visible.filter(pk=access.document(actor, location=location).pk)
    raise access.hidden(folder)


def _spread(found: Iterable[Candidate], limit: int) -> list[Candidate]:
    chosen: list[Candidate] = []
    count: dict[str, int] = {}
    for one in found:
        if len(chosen) == limit:
            break
        if count.get(one.document, 0) < PER_DOCUMENT:
            count[one.document] = count.get(one.document, 0) + 1
            chosen.append(one)
    return chosen


def _passages(within: QuerySet[Document], chosen: Sequence[Candidate], words: set[str]) -> list[Hit]:
    # Filtered again by what the actor may read: a grant may have gone between the statements.
    rows = (
        Chunk.objects.filter(pk__in=[one.chunk for one in chosen], document__in=within)
        .select_related("document__folder", "commit__author", "commit__agent__person")
        .annotate(front=Left("document__head__blob__content", FRONT))
        .defer("terms")
    )
    scores = {one.chunk: one.score for one in chosen}
    return [_hit(row, scores[row.pk], words) for row in rows]


def _hit(chunk: Chunk, score: float, words: set[str]) -> Hit:
    document, commit = chunk.document, chunk.commit
    lines = (chunk.start_line, chunk.end_line)
    location = location_of(document)
    snippet, highlights = snippets.cut(chunk.text, words)
    return Hit(
        location=location,
        id=document.pk,
        title=document.title,
        heading=chunk.heading,
        snippet=snippet,
        highlights=highlights,
        lines=lines,
        citation=citations.citation(location, commit.pk, lines),
        commit=commit.pk,
        author=who.author(commit),
        committed_at=commit.created_at,
        indexed_at=document.indexed_at,
        stale=document.head_id != commit.pk,
        superseded_by=superseded_by(chunk.front),  # type: ignore[attr-defined]
        score=round(score, 4),
        text=chunk.text,
    )


def superseded_by(text: str) -> str | None:
    """What the front matter at the beginning of ``text`` says has replaced the document; ``unknown`` where its
    status is superseded and nothing is named, else None."""
    if not text.lstrip("\ufeff").startswith("---"):
        return None
    fields = {str(key).lower(): value for key, value in front_matter.split(text).fields.items()}
    for key in SUPERSEDED_BY:
        value = fields.get(key)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str) and value.strip():
            return value.strip()[:400]
    status = fields.get("status")
    return UNNAMED if isinstance(status, str) and status.strip().lower() == "superseded" else None


def _unindexed(within: QuerySet[Document], fresh: Sequence[str], words: Sequence[str], known: set[str]) -> list[Hit]:
    """Documents that the index does not hold as they are, by their titles and names."""
    if not fresh:
        return []
    rows = (
        within.filter(pk__in=fresh)
        .select_related("folder", "head__author", "head__agent__person")
        .annotate(front=Left("head__blob__content", FRONT))
    )
    hits = []
    for document in rows:
        if document.pk in known:
            continue
        title = {*terms(document.title), *terms(document.name.removesuffix(".md"))}
        share = sum(word in title for word in words) / len(words)
        if not share:
            continue
        location, commit = location_of(document), document.head
        snippet, highlights = snippets.cut(document.summary, set(words))
        hits.append(
            Hit(
                location=location,
                id=document.pk,
                title=document.title,
                heading="",
                snippet=snippet,
                highlights=highlights,
                lines=None,
                citation=citations.citation(location, commit.pk),
                commit=commit.pk,
                author=who.author(commit),
                committed_at=commit.created_at,
                indexed_at=document.indexed_at,
                stale=True,
                superseded_by=superseded_by(document.front),
                score=round(UNINDEXED * share, 4),
            )
        )
    return hits
