"""Reading what happened to a document: log, one commit, diff, blame."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import NotFound
from workspace.markdown import lines as text_lines
from workspace.merge import blame as blaming
from workspace.merge import diff as diffing
from workspace.merge.diff import DiffHunk
from workspace.models import Commit, CommitKind, Document, Reach
from workspace.queries import named, pages, who
from workspace.queries.documents import commit_of
from workspace.queries.pages import Page
from workspace.queries.who import Who

KINDS = tuple(CommitKind.values)


@dataclass(frozen=True, kw_only=True)
class CommitRow:
    """A commit without its text. ``location`` is where the document was then."""

    id: str
    document: str
    location: str
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


@dataclass(frozen=True, kw_only=True)
class CommitView:
    """A commit with its whole text."""

    row: CommitRow
    content: str


@dataclass(frozen=True, kw_only=True)
class Diff:
    """From one commit to another: hunks, and how many lines were added and removed. ``truncated`` says that the hunks
    do not hold all of them."""

    location: str
    from_commit: CommitRow
    to_commit: CommitRow
    hunks: tuple[DiffHunk, ...]
    added: int
    removed: int
    truncated: bool


@dataclass(frozen=True, kw_only=True)
class BlameRun:
    """Lines ``start_line`` to ``end_line`` (1-based, inclusive) with the commit that brought them in."""

    start_line: int
    end_line: int
    text: str
    commit: CommitRow


@dataclass(frozen=True, kw_only=True)
class Blame:
    """Who wrote each line of a document as of ``commit``. ``next_line`` is the first that was left out."""

    location: str
    commit: str
    runs: tuple[BlameRun, ...]
    next_line: int | None


def row(commit: Commit) -> CommitRow:
    """The row of a commit whose ``who.RELATED`` and ``blob`` (text deferred) are loaded."""
    return CommitRow(
        id=commit.pk,
        document=commit.document_id,
        location=commit.location,
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
    )


def log(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[CommitRow]:
    """The commits of the document at ``location``, newest first; of a deleted one too."""
    document = access.document(actor, location=location, deleted=True)
    rows = Commit.objects.filter(document=document).select_related("blob", *who.RELATED).defer("blob__content")
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
    found = named.commit(rows.select_related("blob", *who.RELATED), id, field="id")
    if found is None:
        raise NotFound
    return CommitView(row=row(found), content=found.blob.content)


def diff(
    actor: Actor, *, location: str, frm: str | None = None, to: str | None = None, most: int | None = None
) -> Diff:
    """What changed between two commits of a document; by default the head against its parent.

    With ``most``, the hunks hold no more lines than that.
    """
    document = access.document(actor, location=location, deleted=True)
    after = commit_of(document, to or document.head_id, field="to")
    before = commit_of(document, frm or after.parent_id or after.pk, field="from")
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
    )


def blame(actor: Actor, *, location: str, at: str | None = None, line: int = 1, most: int | None = None) -> Blame:
    """Which commit brought in each line of a document, as of its head or of ``at``.

    From ``line`` (counted from 1) on; with ``most``, that many lines.
    """
    document = access.document(actor, location=location, deleted=True)
    until = commit_of(document, at or document.head_id, field="at")

    rows = Commit.objects.filter(document=document, number__lte=until.number).order_by("number")
    uses = Counter(
        parent for parents in rows.values_list("parent_id", "merged_parent_id") for parent in parents if parent
    )

    def versions() -> Iterator[blaming.Version]:
        # A history of long texts does not fit in memory.
        for pk, parent, merged, text in rows.values_list(
            "pk", "parent_id", "merged_parent_id", "blob__content"
        ).iterator(chunk_size=20):
            yield blaming.Version(id=pk, text=text, parents=tuple(p for p in (parent, merged) if p))

    every = text_lines.split(until.blob.content)
    end = len(every) if most is None else min(line + most - 1, len(every))
    runs = [
        run._replace(start_line=max(run.start_line, line), end_line=min(run.end_line, end))
        for run in blaming.blame(versions(), uses)
        if run.start_line <= end and run.end_line >= line
    ]
    shown = {
        c.pk: row(c)
        for c in Commit.objects.filter(pk__in={run.id for run in runs})
        .select_related("blob", *who.RELATED)
        .defer("blob__content")
    }
    return Blame(
        location=location_of(document),
        commit=until.pk,
        runs=tuple(
            BlameRun(
                start_line=run.start_line,
                end_line=run.end_line,
                text="".join(every[run.start_line - 1 : run.end_line]),
                commit=shown[run.id],
            )
            for run in runs
        ),
        next_line=end + 1 if end < len(every) else None,
    )
