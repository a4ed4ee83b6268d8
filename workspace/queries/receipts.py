"""Receipts, for those who may read what they are about."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Invalid
from workspace.models import Document, Reach, Receipt, ReceiptKind
from workspace.queries import pages, who
from workspace.queries.pages import Page
from workspace.queries.who import Who

ACTIVITY: Collection[str] = (
    ReceiptKind.WRITTEN,
    ReceiptKind.CONFLICTED,
    ReceiptKind.RESOLVED,
    ReceiptKind.DISCARDED,
    ReceiptKind.CAPTURED,
    ReceiptKind.ERASED,
    ReceiptKind.GRANTED,
    ReceiptKind.REVOKED,
    ReceiptKind.FOLDER_MADE,
    ReceiptKind.FOLDER_MOVED,
    ReceiptKind.FOLDER_DELETED,
)


@dataclass(frozen=True, kw_only=True)
class ReceiptRow:
    """One fact. ``location`` is that of the document or folder that it is about, empty where there is none."""

    id: str
    kind: str
    at: datetime
    by: Who
    via: str
    session: str
    host: str
    operation: str
    location: str
    document: str | None
    commit: str | None
    capture: str | None
    conflict: str | None
    reason: str
    data: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ActivityRow(ReceiptRow):
    """A fact with the message of its commit, empty where it is about none."""

    message: str


def visible(actor: Actor) -> QuerySet[Receipt]:
    """Receipts about a document that the actor may read, or about a folder and no document; of conflicts, which
    tell of a draft, only to the draft's author and the document's editors; and of the actor's own agents."""
    sees, edits = Reach(actor), Reach(actor, Role.EDITOR)
    document = Q(document__isnull=False) & sees.documents("document__folder__lineage", "document")
    folder = Q(document=None, folder__isnull=False) & sees.folders("folder__lineage")
    draft = Q(conflict=None) | edits.documents("document__folder__lineage", "document")
    about = document | folder
    if actor.person is not None:
        draft |= Q(conflict__author=actor.person)
        if not actor.scopes:
            about |= Q(document=None, folder=None, person=actor.person)
    return Receipt.objects.filter(about, draft).select_related("document__folder", "folder", "person", "agent__person")


def listing(
    actor: Actor,
    *,
    kind: str | None = None,
    location: str | None = None,
    capture: str | None = None,
    session: str | None = None,
    host: str | None = None,
    agent: str | None = None,
    operation: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[ReceiptRow]:
    """Receipts, newest first; at and below ``location``. What became of a capture is of the session, host and agent
    that made it too, whoever did it. Raises ``NotFound``, ``Invalid``."""
    rows = visible(actor)
    if kind is not None:
        if kind not in ReceiptKind.values:
            raise Invalid("kind", f"must be one of: {', '.join(ReceiptKind.values)}.")
        rows = rows.filter(kind=kind)
    inside = ""
    if location:
        rows, inside = _inside(actor, rows, location)
    if capture:
        rows = rows.filter(capture=capture)
    for name, value in {"session": session, "host": host, "agent": agent}.items():
        if value:
            # A page may be moved to readers of a capture's receipt who may not know of the capture itself.
            of_capture = Q(Reach(actor).folders("capture__folder__lineage"), **{f"capture__{name}": value})
            rows = rows.filter(Q(**{name: value}) | of_capture)
    if operation:
        rows = rows.filter(operation=operation)
    return pages.page(
        actor,
        rows,
        shape,
        listing=f"receipts:{kind}:{inside}:{capture}:{session}:{host}:{agent}:{operation}",
        order=("-at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def activity(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[ActivityRow]:
    """What people and agents did at and below ``location``, newest first: ``ACTIVITY`` and nothing of the machinery.
    Raises ``NotFound``, ``Invalid``."""
    rows, inside = _inside(actor, visible(actor).filter(kind__in=ACTIVITY), location)
    return pages.page(
        actor,
        rows.select_related("document__folder", "folder", "person", "agent__person", "commit"),
        lambda row: ActivityRow(**vars(shape(row)), message=row.commit.message if row.commit else ""),
        listing=f"activity:{inside}",
        order=("-at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def _inside(actor: Actor, rows: QuerySet[Receipt], location: str) -> tuple[QuerySet[Receipt], str]:
    """Those of ``rows`` that are about what stands at and below ``location``, and a name of that place."""
    place = access.place(actor, location=location)
    if isinstance(place, Document):
        return rows.filter(document=place), f"document:{place.pk}"
    below = [place.pk]
    about = Q(document__folder__lineage__contains=below) | Q(document=None, folder__lineage__contains=below)
    return rows.filter(about), f"folder:{place.pk}"


def shape(row: Receipt) -> ReceiptRow:
    """A receipt with ``document__folder``, ``folder``, ``person`` and ``agent__person`` loaded."""
    location = location_of(row.document) if row.document else row.folder.path if row.folder else ""
    return ReceiptRow(
        id=row.pk,
        kind=row.kind,
        at=row.at,
        by=who.of(row.person, row.agent, row.job),
        via=row.via,
        session=row.session,
        host=row.host,
        operation=row.operation,
        location=location,
        document=row.document_id,
        commit=row.commit_id,
        capture=row.capture_id,
        conflict=row.conflict_id,
        reason=row.reason,
        # Where it was before may be hidden from who reads this here; the audit log tells it to those who may know.
        data={} if row.kind == ReceiptKind.FOLDER_MOVED else row.data,
    )


@dataclass(frozen=True, kw_only=True)
class LastRead:
    """The newest version of a document that a person has opened, when, and how many versions came after it."""

    commit: str
    at: datetime
    behind: int


def last_read(actor: Actor, *, document: str, number: int) -> LastRead | None:
    """What a person read last of a document whose version ``number`` they are about to read.

    None where they never did, or have read that one. Tells only of the actor's own receipts.
    """
    if actor.person is None:
        return None
    own = Receipt.objects.filter(kind=ReceiptKind.READ, document=document, person=actor.person, agent=None)
    last = own.order_by("-commit__number", "-at").values_list("commit_id", "at", "commit__number").first()
    if last is None or last[2] >= number:
        return None
    return LastRead(commit=last[0], at=last[1], behind=number - last[2])
