"""What a model should know before it answers a prompt: how things stand where it works, then what answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain, zip_longest
from typing import Final

from workspace.access import location_of
from workspace.actor import Actor
from workspace.digest.handoff import PAGE
from workspace.digest.packing import Part
from workspace.errors import Gone, NotFound
from workspace.markdown import passages
from workspace.markdown.terms import terms
from workspace.models import Document, Folder, Reach
from workspace.queries import citations, conflicts, texts, who
from workspace.queries.deadlines import Deadline, Late
from workspace.queries.ranking import SCORED_TERMS
from workspace.queries.search import Hit, search
from workspace.queries.who import Who

LOOKED_AT: Final = 2_000
"""Characters at each end of a prompt that are looked at: people ask at the beginning or at the end of what they
paste."""
PAGE_SHARE: Final = 0.4
"""Of the budget, for the beginning of HANDOFF.md, so that it leaves room for what answers the prompt."""
CONFLICTS: Final = 5
CHANGES: Final = 10
PASSAGES: Final = 20


@dataclass(frozen=True, kw_only=True)
class Found(Part):
    """A part and where it is from. ``lines`` is None for what is about a whole document."""

    location: str
    document: str
    commit: str
    lines: tuple[int, int] | None
    by: Who
    indexed_at: datetime | None
    stale: bool


def gather(
    actor: Actor, *, folder: Folder | None, since: datetime | None, prompt: str, budget: int, deadline: Deadline
) -> tuple[list[Found], bool]:
    """Parts in the order of their weight, and whether the time was over before all were looked for: the beginning of
    the folder's HANDOFF.md, its open conflicts, what others changed there after ``since``, and passages that answer
    ``prompt`` from everything that the actor reads. Blank or wordless prompts have no such passages."""
    sources: list[Callable[[], Iterator[Found]]] = []
    if folder is not None:
        sources += [partial(_page, actor, folder, budget), partial(_conflicts, actor, folder)]
        if since is not None:
            sources.append(partial(_changes, actor, folder, since))
    if asked := questions(prompt):
        sources.append(partial(_answers, actor, asked, folder))
    found: list[Found] = []
    for source in sources:
        try:
            with deadline.kept():
                found += list(source())
        except Late:
            return found, True
    return found, False


def questions(prompt: str) -> tuple[str, ...]:
    """What a search is asked for a prompt of any length: its words; of a long one, those at its beginning and those
    at its end. Nothing where it has none.

    No more words at once than a search scores: it takes the rarest, and of a pasted trace those are the words that no
    document has.
    """
    beginning, end = prompt[:LOOKED_AT], prompt[-LOOKED_AT:]
    first = list(dict.fromkeys(terms(beginning)))
    if len(first) <= SCORED_TERMS and len(prompt) <= LOOKED_AT:
        return (prompt,) if first else ()
    last = list(dict.fromkeys(reversed(terms(end))))[:SCORED_TERMS][::-1]
    return tuple(" ".join(words) for words in (first[:SCORED_TERMS], last) if words)


def _page(actor: Actor, folder: Folder, budget: int) -> Iterator[Found]:
    try:
        page = texts.read(actor, location=f"{folder.path}/{PAGE}")
    except (NotFound, Gone):
        return
    room = PAGE_SHARE * budget
    # Splitting takes time by the length. What is cut off two passages behind the room changes none that fits into it.
    for passage in passages.split(page.content[: int(room) + 2 * passages.LIMIT]):
        room -= len(passage.text)
        if room < 0:
            return
        lines = (passage.start_line, passage.end_line)
        yield Found(
            text=passage.text,
            citation=citations.citation(page.location, page.commit, lines),
            author=_name(page.author),
            at=page.committed_at,
            notes=("what stands now in the folder that you work in",),
            location=page.location,
            document=page.id,
            commit=page.commit,
            lines=lines,
            by=page.author,
            indexed_at=page.indexed_at,
            stale=False,
        )


def _conflicts(actor: Actor, folder: Folder) -> Iterator[Found]:
    for row in conflicts.listing(actor, location=folder.path, limit=CONFLICTS).items:
        yield Found(
            text=(
                f"Conflict {row.id} on {row.location} is open: a draft by {_name(row.author)} could not be merged in "
                f"{row.hunk_count} {'place' if row.hunk_count == 1 else 'places'}."
                + (f"\nThe draft's message: {row.message}" if row.message else "")
            ),
            citation=citations.citation(row.location, row.head_commit),
            author=_name(row.author),
            at=row.created_at,
            notes=("an open conflict",),
            location=row.location,
            document=row.document,
            commit=row.head_commit,
            lines=None,
            by=row.author,
            indexed_at=None,
            stale=False,
        )


def _changes(actor: Actor, folder: Folder, since: datetime) -> Iterator[Found]:
    rows = (
        Document.objects.live()
        .visible_to(Reach(actor))
        .filter(folder__lineage__contains=[folder.pk], head__created_at__gt=since)
        .exclude(head__author=actor.person, head__agent=actor.agent)
        .select_related("folder", *(f"head__{name}" for name in who.RELATED))
        .order_by("-head__created_at", "pk")[:CHANGES]
    )
    for document in rows:
        head, location = document.head, location_of(document)
        by = who.author(head)
        told = [f"{location} changed since your last prompt."]
        told += [f"Message: {head.message}"] if head.message else []
        told += [f"It begins: {document.summary}"] if document.summary else []
        yield Found(
            text="\n".join(told),
            citation=citations.citation(location, head.pk),
            author=_name(by),
            at=head.created_at,
            notes=("changed since your last prompt",),
            location=location,
            document=document.pk,
            commit=head.pk,
            lines=None,
            by=by,
            indexed_at=document.indexed_at,
            stale=document.indexed_commit_id != head.pk,
        )


def _answers(actor: Actor, asked: tuple[str, ...], folder: Folder | None) -> Iterator[Found]:
    # The hits of each in turn: scores of two questions are not of one scale. Packing drops what comes twice.
    turns = zip_longest(*(search(actor, q=query, limit=PASSAGES) for query in asked))
    for hit in _nearest(list(filter(None, chain.from_iterable(turns))), folder):
        notes = [f"under {hit.heading}"] if hit.heading else []
        notes += ["the document has changed since"] if hit.stale and hit.lines else []
        notes += [f"superseded by {hit.superseded_by}"] if hit.superseded_by else []
        yield Found(
            text=hit.text or hit.snippet,
            citation=hit.citation,
            author=_name(hit.author),
            at=hit.committed_at,
            notes=tuple(notes),
            location=hit.location,
            document=hit.id,
            commit=hit.commit,
            lines=hit.lines,
            by=hit.author,
            indexed_at=hit.indexed_at,
            stale=hit.stale,
        )


def _nearest(hits: list[Hit], folder: Folder | None) -> list[Hit]:
    """The hits in their order, but of those that say the same the one in ``folder`` first: the others are dropped."""
    if folder is None:
        return hits
    places: dict[str, list[int]] = {}
    for at, hit in enumerate(hits):
        places.setdefault(" ".join((hit.text or hit.snippet).split()), []).append(at)
    found = list(hits)
    for group in places.values():
        own_first = sorted((hits[at] for at in group), key=lambda hit: not hit.location.startswith(f"{folder.path}/"))
        for at, hit in zip(group, own_first, strict=True):
            found[at] = hit
    return found


def _name(by: Who) -> str:
    return f"{by.label} for {by.person_label}" if by.kind == "agent" else by.label
