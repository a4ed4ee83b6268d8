"""Reading conflicts: for the draft's author and for the document's editors, and nobody else."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from django.db.models import Case, IntegerField, Q, QuerySet, When

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Invalid
from workspace.merge import Hunk, Merge, merge
from workspace.models import Commit, Conflict, ConflictState, Document, Reach
from workspace.queries import pages, who
from workspace.queries.pages import Page
from workspace.queries.who import Who

STATES = tuple(ConflictState.values)
_WHY: Final[tuple[Literal["yours", "against", "editor"], ...]] = ("yours", "against", "editor")


@dataclass(frozen=True, kw_only=True)
class ConflictRow:
    """A conflict in a list."""

    id: str
    location: str
    document: str
    title: str
    state: str
    author: Who
    message: str
    reason: str
    created_at: datetime
    closed_at: datetime | None
    base_commit: str
    head_commit: str
    hunk_count: int
    resolution: str | None


@dataclass(frozen=True, kw_only=True)
class ConflictView:
    """A conflict against the head as it is now.

    ``hunks`` are to be chosen from in this order, upon ``current_commit``. ``mine`` is the draft, ``theirs`` the
    head. ``theirs_author`` wrote the head. ``merged`` is the merge that the hunks are of, for a preview of choices.
    """

    row: ConflictRow
    current_commit: str
    theirs_author: Who
    theirs_message: str
    theirs_at: datetime
    base: str
    mine: str
    theirs: str
    merged: Merge
    hunks: tuple[Hunk, ...]
    merged_preview: str
    may_resolve: bool
    may_discard: bool


def _row(conflict: Conflict) -> ConflictRow:
    return ConflictRow(
        id=conflict.pk,
        location=location_of(conflict.document),
        document=conflict.document_id,
        title=conflict.document.title,
        state=conflict.state,
        author=who.author(conflict),
        message=conflict.message,
        reason=conflict.reason,
        created_at=conflict.created_at,
        closed_at=conflict.closed_at,
        base_commit=conflict.base_id,
        head_commit=conflict.head_id,
        hunk_count=conflict.hunk_count,
        resolution=conflict.resolution_id,
    )


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An open conflict, and why it concerns the actor: the draft is ``yours``, it is about what you wrote
    (``against``), or you may settle it as an ``editor``."""

    row: ConflictRow
    why: Literal["yours", "against", "editor"]


def _visible(actor: Actor) -> QuerySet[Conflict]:
    """Conflicts of documents that the actor may edit, and their own of those that they may read."""
    sees = Reach(actor).documents("document__folder__lineage", "document")
    edits = Reach(actor, Role.EDITOR).documents("document__folder__lineage", "document")
    return Conflict.objects.filter(edits | (Q(author=actor.person, author__isnull=False) & sees))


def waiting(actor: Actor, *, limit: int = 20) -> tuple[Waiting, ...]:
    """Open conflicts that wait for somebody, at most ``limit``: the actor's own drafts first, then those against what
    the actor wrote last or at that time, then those that they may settle as an editor; newest first within each.

    Of documents that are deleted, none.
    """
    mine = Q(author=actor.person, author__isnull=False)
    against = Q(head__author=actor.person) | Q(document__head__author=actor.person)
    if actor.person is None:
        mine = against = Q(pk__in=())
    rank = Case(When(mine, then=0), When(against, then=1), default=2, output_field=IntegerField())
    rows = _visible(actor).filter(state=ConflictState.OPEN, document__deleted_at=None).annotate(rank=rank)
    found = rows.select_related("document__folder", *who.RELATED).order_by("rank", "-created_at", "pk")[:limit]
    return tuple(Waiting(row=_row(conflict), why=_WHY[conflict.rank]) for conflict in found)


def to_settle(actor: Actor) -> QuerySet[Conflict]:
    """Open conflicts that the actor may see."""
    return _visible(actor).filter(state=ConflictState.OPEN)


def listing(
    actor: Actor,
    *,
    state: str | None = ConflictState.OPEN,
    location: str | None = None,
    mine: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[ConflictRow]:
    """Conflicts that the actor may see, newest first. ``state`` is one of ``STATES``, or None for all. ``mine`` leaves
    the drafts of the actor's person, and of that person's agents.

    Raises ``NotFound``, ``Invalid``.
    """
    if state is not None and state not in STATES:
        raise Invalid("state", f"must be one of: {', '.join(STATES)}.")
    rows = _visible(actor)
    if state is not None:
        rows = rows.filter(state=state)
    if mine:
        rows = rows.filter(author=actor.person, author__isnull=False)
    inside = "mine:" if mine else ""
    if location:
        place = access.place(actor, location=location)
        if isinstance(place, Document):
            rows, inside = rows.filter(document=place), f"{inside}document:{place.pk}"
        else:
            rows, inside = rows.filter(document__folder__lineage__contains=[place.pk]), f"{inside}folder:{place.pk}"
    return pages.page(
        actor,
        rows.select_related("document__folder", *who.RELATED),
        _row,
        listing=f"conflicts:{state}:{inside}",
        order=("-created_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def show(actor: Actor, *, id: str) -> ConflictView:
    """One conflict with its texts. Raises ``NotFound``."""
    related = ("document__folder", "base__blob", "draft", *who.RELATED)
    conflict, document = access.conflict(actor, id=id, related=related)
    head = Commit.objects.select_related("blob", *who.RELATED).get(pk=document.head_id)
    # A settled conflict is shown against the head it was about.
    opened = conflict.state == ConflictState.OPEN
    theirs = head.blob.content if opened else conflict.head.blob.content
    base, mine = conflict.base.blob.content, conflict.draft.content
    # By the version whose hunks were told, since choices are read by it.
    merged = merge(base, theirs, mine, version=conflict.merge_version)
    return ConflictView(
        row=_row(conflict),
        current_commit=head.pk,
        theirs_author=who.author(head),
        theirs_message=head.message,
        theirs_at=head.created_at,
        base=base,
        mine=mine,
        theirs=theirs,
        merged=merged,
        hunks=merged.hunks,
        merged_preview=merged.preview,
        may_resolve=opened and document.role >= Role.EDITOR and document.deleted_at is None,
        may_discard=opened and (document.role >= Role.EDITOR or not actor.scopes),
    )
