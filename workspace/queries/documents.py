"""Listing documents. Reading one is in ``queries.texts``, and known here as ``read`` too."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.models import Conflict, ConflictState, Document, Reach, Receipt, ReceiptKind
from workspace.models.documents import DocumentQuerySet
from workspace.queries import pages, visible, who
from workspace.queries.folders import reachable
from workspace.queries.pages import Page
from workspace.queries.texts import DocumentText, commit_of, read
from workspace.queries.visible import BY_FOLDER
from workspace.queries.who import Who

__all__ = [
    "DocumentRow",
    "DocumentText",
    "below",
    "children",
    "commit_of",
    "read",
    "recent",
]


@dataclass(frozen=True, kw_only=True)
class DocumentRow:
    """A document in a list. ``open_conflicts`` is told to editors only; ``unread`` says that somebody else wrote
    its head and this person has not opened that yet."""

    id: str
    location: str
    name: str
    title: str
    type: str
    labels: tuple[str, ...]
    summary: str
    commit: str
    updated_at: datetime
    updated_by: Who
    role: Role
    open_conflicts: int
    unread: bool


def _listed(actor: Actor, rows: DocumentQuerySet) -> "QuerySet[Any]":
    """What a list shows of each document, loaded in the list's own query."""
    conflicts = (
        Conflict.objects.filter(document=OuterRef("pk"), state=ConflictState.OPEN)
        .order_by()
        .values("document")
        .annotate(n=Count("*"))
        .values("n")
    )
    seen = Receipt.objects.filter(
        kind=ReceiptKind.READ, document=OuterRef("pk"), commit=OuterRef("head"), person=actor.person
    )
    return (
        rows.with_role(Reach(actor))
        .select_related("folder", "head__author", "head__agent__person")
        .annotate(
            open_conflicts=Coalesce(Subquery(conflicts, output_field=IntegerField()), 0),
            unread=~Exists(seen) & (~Q(head__author=actor.person) | Q(head__author=None)),
        )
    )


def _row(actor: Actor, document: Any) -> DocumentRow:
    role = access.effective(actor, document.granted, document.folder.lineage, document.pk) or Role.VIEWER
    return DocumentRow(
        id=document.pk,
        location=location_of(document),
        name=document.name,
        title=document.title,
        type=document.type,
        labels=tuple(document.labels),
        summary=document.summary,
        commit=document.head_id,
        updated_at=document.updated_at,
        updated_by=who.author(document.head),
        role=role,
        open_conflicts=document.open_conflicts if role >= Role.EDITOR else 0,
        unread=document.unread,
    )


def _page(
    actor: Actor,
    rows: DocumentQuerySet,
    *,
    listing: str,
    order: tuple[str, ...],
    limit: int | None,
    cursor: str | None,
) -> Page[DocumentRow]:
    return pages.page(
        actor,
        _listed(actor, rows),
        lambda row: _row(actor, row),
        listing=listing,
        order=order,
        limit=limit,
        cursor=cursor,
    )


def children(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[DocumentRow]:
    """The documents directly in a folder, by name. Raises ``NotFound``, ``Invalid``."""
    folder, role = reachable(actor, location)
    rows = Document.objects.live().filter(folder=folder)
    if role is None:
        rows = rows.visible_to(Reach(actor))
    return _page(actor, rows, listing=f"children:{folder.pk}", order=("name", "pk"), limit=limit, cursor=cursor)


def below(
    actor: Actor,
    *,
    location: str | None = None,
    type: str | None = None,
    label: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[DocumentRow]:
    """All documents below a folder, or everywhere, folder by folder and by name. Raises ``NotFound``, ``Invalid``."""
    rows, role, inside = Document.objects.live(), None, 0
    if location:
        folder, role = reachable(actor, location)
        rows, inside = rows.filter(folder__lineage__contains=[folder.pk]), folder.pk
    if type:
        rows = rows.filter(type=type)
    if label:
        rows = rows.filter(labels__contains=[label])
    listing = f"below:{inside}:{type}:{label}"
    if role is None:  # a role in the folder holds for all below it
        first = 0
        if cursor is not None:
            rows = rows.filter(pages.after(actor, listing, BY_FOLDER, cursor))
            first = pages.decode(actor, listing, cursor)[0]
        rows = visible.by_folder(Reach(actor), rows, most=pages.check_limit(limit) + 1, first=first)
    return _page(actor, rows, listing=listing, order=BY_FOLDER, limit=limit, cursor=cursor)


def recent(actor: Actor, *, limit: int | None = None, cursor: str | None = None) -> Page[DocumentRow]:
    """Documents by the time of their last commit, newest first. Raises ``Invalid``."""
    rows = Document.objects.live().visible_to(Reach(actor))
    return _page(actor, rows, listing="recent", order=("-updated_at", "pk"), limit=limit, cursor=cursor)
