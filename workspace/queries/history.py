"""Reading what happened to a document: log, one commit, diff, blame."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, groupby

from django.db.models import QuerySet

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import NotFound
from workspace.markdown import lines as text_lines
from workspace.merge import authorship as merging
from workspace.merge import diff as diffing
from workspace.merge.authorship import Owners
from workspace.merge.diff import DiffHunk
from workspace.merge.hunks import Decision
from workspace.models import Commit, CommitKind, Document, Reach
from workspace.queries import authorship, decisions, named, pages, whereabouts, who
from workspace.queries.authorship import Authorship
from workspace.queries.documents import commit_of
from workspace.queries.pages import Page
from workspace.queries.who import Who

KINDS = tuple(CommitKind.values)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class CommitRow:
    """A commit without its text. ``location`` is where the document was then, None where the reader may not know;
    ``now`` is where it is. ``decisions`` are what the merge that made it, of ``merge_version``, settled beyond
    lines."""

    id: str
    document: str
    location: str | None
    now: str
    number: int
    kind: str
    parents: tuple[str, ...]
    author: Who
    message: str
    reason: str
    via: str
    session: str
    created_at: datetime
    bytes: int
    lines: int
    merge_version: int | None
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, kw_only=True)
class CommitView:
    """A commit with its whole text."""

    row: CommitRow
    content: str


@dataclass(frozen=True, kw_only=True)
class Diff:
    """From one commit to another: hunks, and how many lines were added and removed. ``truncated`` says that the hunks
    do not hold all of them. ``authors`` are, hunk by hunk and oldest first, the commits that put its new lines there,
    where that was asked for and is known."""

    location: str
    from_commit: CommitRow
    to_commit: CommitRow
    hunks: tuple[DiffHunk, ...]
    added: int
    removed: int
    truncated: bool
    authors: tuple[tuple[CommitRow, ...], ...]


@dataclass(frozen=True, kw_only=True)
class BlameRun:
    """Lines ``start_line`` to ``end_line`` (1-based, inclusive) with the commit that brought them in."""

    start_line: int
    end_line: int
    text: str
    commit: CommitRow


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """Characters ``start:end`` of the document's text, counted from 0, end excluded: a sentence, a heading, a table
    row or a line of code. ``commits`` wrote it, the one that wrote most of it first. ``gap`` is the white space after
    it."""

    start: int
    end: int
    text: str
    gap: str
    commits: tuple[CommitRow, ...]


@dataclass(frozen=True, kw_only=True)
class Said:
    """Sentences of a document as of a commit; ``known_since`` as in ``Blame``."""

    sentences: tuple[Sentence, ...]
    known_since: CommitRow | None


@dataclass(frozen=True, kw_only=True)
class Blame:
    """Who wrote a document as of ``commit``, line by line and sentence by sentence. ``next_line`` is the first that
    was left out. With ``known_since``, only the commits after that one are told apart yet: what is older is given to
    it, until a job has read the history."""

    location: str
    commit: str
    runs: tuple[BlameRun, ...]
    sentences: tuple[Sentence, ...]
    next_line: int | None
    known_since: CommitRow | None


type Keep = Callable[[str, Authorship], object]
"""What is done with the authorship of a document that had to be made to be read."""


def listed(actor: Actor, commits: "QuerySet[Commit]") -> "QuerySet[Commit]":
    """``commits`` with all that ``row`` needs."""
    return whereabouts.told(actor, commits).select_related("blob", *who.RELATED)


def row(commit: Commit) -> CommitRow:
    """The row of a commit that ``listed`` loaded; of its ``blob`` the text may be deferred."""
    return CommitRow(
        id=commit.pk,
        document=commit.document_id,
        location=whereabouts.then(commit),
        now=commit.now,
        number=commit.number,
        kind=commit.kind,
        parents=tuple(commit.parents),
        author=who.author(commit),
        message=commit.message,
        reason=commit.reason,
        via=commit.via,
        session=commit.session,
        created_at=commit.created_at,
        bytes=commit.blob.size,
        lines=commit.blob.lines,
        merge_version=commit.merge_version,
        decisions=decisions.loaded(commit.decisions),
    )


def log(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[CommitRow]:
    """The commits of the document at ``location``, newest first; of a deleted one too."""
    document = access.document(actor, location=location, deleted=True)
    rows = listed(actor, Commit.objects.filter(document=document)).defer("blob__content")
    return pages.page(
        actor,
        rows,
        row,
        listing=f"log:{document.pk}",
        order=("-number",),
        limit=limit,
        cursor=cursor,
    )


def commit(actor: Actor, *, id: str) -> CommitView:
    """One commit, by its whole id or at least its first 7 characters. Raises ``NotFound``, ``Invalid``."""
    rows = Commit.objects.filter(document__in=Document.objects.visible_to(Reach(actor)))
    found = named.commit(listed(actor, rows), id, field="id")
    if found is None:
        raise NotFound
    return CommitView(row=row(found), content=found.blob.content)


def diff(
    actor: Actor,
    *,
    location: str,
    frm: str | None = None,
    to: str | None = None,
    most: int | None = None,
    authors: bool = False,
) -> Diff:
    """What changed between two commits of a document; by default the head against its parent.

    With ``most``, the hunks hold no more lines than that. With ``authors``, who made each change is found out.
    """
    document = access.document(actor, location=location, deleted=True)
    rows = listed(actor, Commit.objects.filter(document=document))
    after = _named(rows, to or document.head_id, field="to")
    before = _named(rows, frm or after.parent_id or after.pk, field="from")
    old = "" if frm is None and after.parent_id is None else before.blob.content
    found = diffing.compare(old, after.blob.content, most=most)
    return Diff(
        location=location_of(document),
        from_commit=row(before),
        to_commit=row(after),
        hunks=found.hunks,
        added=found.added,
        removed=found.removed,
        truncated=found.truncated,
        authors=_authors(actor, document, before, after, found.hunks) if authors else ((),) * len(found.hunks),
    )


def _named(rows: "QuerySet[Commit]", name: object, *, field: str) -> Commit:
    found = named.commit(rows, name, field=field)
    if found is None:
        raise NotFound
    return found


def _authors(
    actor: Actor, document: Document, before: Commit, after: Commit, hunks: Iterable[DiffHunk]
) -> tuple[tuple[CommitRow, ...], ...]:
    hunks = tuple(hunks)
    runs = authorship.since(document, before, after)
    if runs is None:
        return ((),) * len(hunks)
    owners = Owners(runs)
    starts = [0, *accumulate(map(len, text_lines.split(after.blob.content)))]
    wrote = [
        {
            span.id
            for line in hunk.lines
            if line.kind == "insert" and line.new_number is not None
            for span in owners.between(starts[line.new_number - 1], starts[line.new_number])
            if span.id != before.pk
        }
        for hunk in hunks
    ]
    rows = _rows(actor, (id for ids in wrote for id in ids))
    return tuple(tuple(sorted((rows[id] for id in ids), key=lambda made: made.number)) for ids in wrote)


def _rows(actor: Actor, ids: Iterable[str]) -> dict[str, CommitRow]:
    found = listed(actor, Commit.objects.filter(pk__in=set(ids))).defer("blob__content")
    return {commit.pk: row(commit) for commit in found}


def blame(
    actor: Actor,
    *,
    location: str,
    at: str | None = None,
    line: int = 1,
    most: int | None = None,
    keep: Keep | None = None,
) -> Blame:
    """Which commits wrote each line and each sentence of a document, as of its head or of ``at``.

    From ``line`` (counted from 1) on; with ``most``, that many lines. A line is that of the last commit that wrote in
    it.
    """
    document = access.document(actor, location=location, deleted=True)
    until = commit_of(document, at or document.head_id, field="at")
    every = text_lines.split(until.blob.content)
    end = len(every) if most is None else min(line + most - 1, len(every))
    starts = [0, *accumulate(map(len, every))]
    written = _Written(actor, document, until, keep)
    found = written.read(min(starts[min(line - 1, len(every))], starts[end]), starts[end])
    owners = [found.last(starts[n], starts[n + 1], every[n]) for n in range(line - 1, end)]
    runs: list[BlameRun] = []
    first = line
    for owner, group in groupby(owners):
        size = sum(1 for _ in group)
        runs.append(
            BlameRun(
                start_line=first,
                end_line=first + size - 1,
                text="".join(every[first - 1 : first - 1 + size]),
                commit=found.rows[owner],
            )
        )
        first += size
    return Blame(
        location=location_of(document),
        commit=until.pk,
        runs=tuple(runs),
        sentences=found.sentences(),
        next_line=end + 1 if end < len(every) else None,
        known_since=found.rows.get(written.earlier or ""),
    )


def sentences(
    actor: Actor, *, location: str, at: str | None = None, start: int, end: int, keep: Keep | None = None
) -> Said:
    """The sentences of which some character is in ``start:end`` of the text, with who wrote them."""
    document = access.document(actor, location=location, deleted=True)
    until = commit_of(document, at or document.head_id, field="at")
    every = text_lines.split(until.blob.content)
    starts = [0, *accumulate(map(len, every))]
    # Sentences are cut from whole paragraphs, so from one blank line to the next.
    low, high = bisect_left(starts, start + 1) - 1, bisect_left(starts, end)
    while low > 0 and every[low - 1].strip():
        low -= 1
    while high < len(every) and every[high].strip():
        high += 1
    written = _Written(actor, document, until, keep)
    found = written.read(starts[max(low, 0)], starts[min(high, len(every))])
    return Said(
        sentences=tuple(s for s in found.sentences() if s.start < max(end, start + 1) and s.end > start),
        known_since=found.rows.get(written.earlier or ""),
    )


class _Written:
    """The authorship of a document at a commit."""

    def __init__(self, actor: Actor, document: Document, until: Commit, keep: Keep | None) -> None:
        self._actor = actor
        self._text = until.blob.content
        made = authorship.of(document, until)
        if keep is not None:
            keep(document.pk, made)
        self.earlier = made.earlier
        self._owners = Owners(made.runs)

    def read(self, start: int, end: int) -> "_Part":
        """What is known of characters ``start:end``."""
        ids = {span.id for span in self._owners.between(start, end)}
        if self.earlier is not None:
            ids.add(self.earlier)
        return _Part(self._text, self._owners, start, end, _rows(self._actor, ids))


@dataclass(frozen=True)
class _Part:
    text: str
    owners: Owners
    start: int
    end: int
    rows: dict[str, CommitRow]

    def last(self, start: int, end: int, line: str) -> str:
        """The last commit that wrote in a line; of its ending only where there is nothing else."""
        ends = start + len(line.rstrip("\r\n"))
        spans = self.owners.between(start, ends if ends > start else end)
        return max((span.id for span in spans), key=lambda id: self.rows[id].number)

    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(self._sentences(merging.parts(self.text[self.start : self.end])))

    def _sentences(self, parts: Iterable[tuple[int, int]]) -> Iterator[Sentence]:
        for low, high in parts:
            start, end = self.start + low, self.start + high
            spans = list(self.owners.between(start, end))
            if len(spans) == 1:
                commits: tuple[CommitRow, ...] = (self.rows[spans[0].id],)
            else:
                wrote: Counter[str] = Counter()
                for span in spans:
                    wrote[span.id] += span.end - span.start
                commits = tuple(self.rows[id] for id, _ in wrote.most_common())
            # What follows is white space up to the next sentence or the end of what was cut.
            gap = _SPACE.match(self.text, end, self.end)
            yield Sentence(start=start, end=end, text=self.text[start:end], gap=gap[0] if gap else "", commits=commits)
