"""The audit log as somebody may read it.

Administrators read all of it; a manager what happened at and below the folders they manage now, and on documents
they manage; everybody what they did themselves, their agents included. An agent reads what its scopes leave of that:
the acts of others where it is manager, and else its own alone.

What a manager reads tells nothing of any other place, nor from which address somebody came. What somebody reads of
their own refused attempts is what they asked for, the same for what is hidden and for what is absent.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from workspace import access, locations
from workspace.actor import Actor, Role
from workspace.errors import Gone, NotFound
from workspace.models import AuditEntry, Document, Folder, Reach
from workspace.queries import pages, who
from workspace.queries.audit_filters import Filters, narrowed
from workspace.queries.pages import Page
from workspace.queries.who import Who

AT_ONCE = 1_000
"""Entries that an export holds in memory."""
PRIVATE = ("left_out",)
"""Facts that tell of a principal's attempts everywhere, and so not for a manager of one place."""
_RELATED = ("person", "agent__person", "folder", "document__folder")
_UNUSED = (
    *(f"{person}{field}" for person in ("person__", "agent__person__") for field in ("password", "last_login")),
    *(
        f"{folder}__{field}"
        for folder in ("folder", "document__folder")
        for field in ("handoff_lines", "lineage", "twin_key", "created_at")
    ),
    *(f"document__{field}" for field in ("title", "type", "labels", "summary", "twin_key", "created_at", "updated_at")),
)
"""Columns of what an entry names that none of its forms shows."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One act or attempt. ``id`` names it for ever; ``folder`` and ``document`` are ids, None where not told.

    ``by`` is None where nobody was recognised, ``address`` where the reader may not know it. ``data`` are further
    facts, by the action.
    """

    id: str
    at: datetime
    action: str
    denied: bool
    by: Who | None
    person: int | None
    agent: str | None
    job: str
    via: str
    request_id: str
    address: str | None
    location: str
    folder: int | None
    document: str | None
    subject: str
    reason: str
    data: Mapping[str, Any]


# -- whose log it is --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Rows that are read for one reason, by one index, and how such a row is told."""

    rows: "QuerySet[AuditEntry]"
    shape: Callable[[AuditEntry], Entry]


def reads_all(actor: Actor) -> bool:
    """Whether the whole log is open: to an administrator, and to an agent of one that is manager everywhere."""
    everywhere = not actor.scopes or any(
        scope.role >= Role.MANAGER and scope.folder is None and scope.document is None for scope in actor.scopes
    )
    return actor.admin and everywhere


def manages(actor: Actor, *, location: str) -> bool:
    """Whether the actor reads what others did at a place; False where it is not there to be seen."""
    try:
        return access.place(actor, location=location).role >= Role.MANAGER
    except (NotFound, Gone):
        return False


def _parts(actor: Actor, filters: Filters) -> list[_Part]:
    """The rows that the actor reads; a row may be in several, and is told by the first. Raises ``NotFound``."""
    rows = narrowed(AuditEntry.objects.select_related(*_RELATED).defer(*_UNUSED), filters)
    place = _place(actor, filters.place) if filters.place else None
    if reads_all(actor):
        about = _inside(filters.place, place) if filters.place else Q()
        return [_Part(rows=rows.filter(about), shape=_whole)]
    reach = Reach(actor, Role.MANAGER)
    folders = Folder.objects.filter(reach.folders())
    if isinstance(place, Folder):
        folders = folders.filter(lineage__contains=[place.pk])
    elif isinstance(place, Document):
        folders = folders.filter(pk=place.folder_id)
    managed = list(folders.order_by().values_list("pk", flat=True))
    of_document = Q(document=place) if isinstance(place, Document) else Q()
    single = _managed_documents(actor, reach, place, managed)
    own = Q(agent=actor.agent) if actor.agent else Q(person=actor.person)
    if filters.place:
        # By what was asked for and never by where it was: that would tell what is hidden from what is absent.
        own &= _written(filters.place)
    parts = [] if actor.person is None else [_Part(rows=rows.filter(own), shape=_own(frozenset(managed)))]
    if managed:
        parts.append(_Part(rows=rows.filter(of_document, folder__in=managed), shape=_managed))
    if single:
        parts.append(_Part(rows=rows.filter(document__in=single), shape=_of_document))
    return parts


def _managed_documents(actor: Actor, reach: Reach, place: Folder | Document | None, managed: list[int]) -> list[str]:
    """Ids of documents that the actor manages by a grant on themselves."""
    rows = Document.objects.filter(reach.documents()).exclude(folder__in=managed)
    if isinstance(place, Folder):
        rows = rows.filter(folder__lineage__contains=[place.pk])
    elif isinstance(place, Document):
        rows = rows.filter(pk=place.pk)
    return list(rows.order_by().values_list("pk", flat=True))


def _place(actor: Actor, location: str) -> Folder | Document | None:
    """What is at ``location`` now; None, for whoever reads all, where there is nothing. Raises ``NotFound``."""
    try:
        return access.place(actor, location=location)
    except Gone:
        return access.document(actor, location=location, deleted=True)
    except NotFound:
        if reads_all(actor):
            return None
        raise


def _inside(location: str, place: Folder | Document | None) -> Q:
    match place:
        case Folder():
            # By their ids, which let PostgreSQL weigh walking the log against looking the folders up.
            below = Folder.objects.filter(lineage__contains=[place.pk]).order_by().values_list("pk", flat=True)
            return Q(folder__in=list(below))
        case Document():
            return Q(document=place.pk)
    return _written(location)


def _written(location: str) -> Q:
    return Q(location=location) | Q(location__startswith=f"{location}/")


# -- what is told of an entry -----------------------------------------------------


def _told(row: AuditEntry, **changes: Any) -> Entry:
    person, agent = row.person, row.agent
    by = who.of(person, agent, row.job) if row.person_id or row.agent_id or row.job else None
    whole: dict[str, Any] = {
        "id": f"aud_{salted_hmac('workspace.audit', str(row.pk), algorithm='sha256').hexdigest()[:26]}",
        "at": row.at,
        "action": row.action,
        "denied": row.denied,
        "by": by,
        "person": row.person_id,
        "agent": row.agent_id,
        "job": row.job,
        "via": row.via,
        "request_id": row.request_id,
        "address": row.address,
        "location": row.location,
        "folder": row.folder_id,
        "document": row.document_id,
        "subject": row.subject,
        "reason": row.reason,
        "data": row.data,
    }
    return Entry(**whole | changes)


def _whole(row: AuditEntry) -> Entry:
    return _told(row)


def _own(managed: frozenset[int]) -> Callable[[AuditEntry], Entry]:
    """The actor's own acts, in their own words. Ids of the place are told where they manage it: that an attempt or a
    request has some tells that there is something."""

    def shape(row: AuditEntry) -> Entry:
        return _told(row) if row.folder_id in managed else _told(row, folder=None, document=None)

    return shape


def _managed(row: AuditEntry) -> Entry:
    """What a manager is told. A location that lies elsewhere, as before a move, gives way to where it is now."""
    here = row.folder.path if row.folder else ""
    if row.document is not None and row.document.folder_id == row.folder_id:
        now = locations.join(here, row.document.name)
    else:
        now = here
    inside = bool(here) and (row.location == here or row.location.startswith(f"{here}/"))
    data = {name: value for name, value in row.data.items() if name not in PRIVATE}
    return _told(row, address=None, location=row.location if inside else now, data=data)


def _of_document(row: AuditEntry) -> Entry:
    """What a manager of a document, and not of its folder, is told: of another folder, where it was once, nothing."""
    document = row.document
    if document is None or document.folder_id == row.folder_id:
        return _managed(row)
    now = locations.join(document.folder.path, document.name)
    data = {name: value for name, value in row.data.items() if name not in PRIVATE}
    return _told(row, address=None, location=now, folder=None, data=data)


# -- pages ------------------------------------------------------------------------


def listing(actor: Actor, *, filters: Filters, limit: int | None = None, cursor: str | None = None) -> Page[Entry]:
    """Entries that the actor may read, newest first. Raises ``NotFound`` for the place of ``filters``, ``Invalid``."""
    limit = pages.check_limit(limit)
    name = "audit:" + ":".join(str(getattr(filters, field.name)) for field in fields(filters))
    after = _unmask(*pages.decode(actor, name, cursor)) if cursor is not None else None
    found = _next(_parts(actor, filters), after, limit + 1)
    following = None
    if len(found) > limit:
        last = found[limit - 1][0]
        following = pages.encode(actor, name, [last.at, _masked(last.at, last.pk)])
    return Page(items=tuple(entry for _, entry in found[:limit]), next_cursor=following)


def export(actor: Actor, *, filters: Filters) -> Iterator[list[Entry]]:
    """All of ``listing`` in batches, of which one at a time is held. Raises as that does, at once."""
    return _batches(_parts(actor, filters))


def export_rows(rows: "QuerySet[AuditEntry]") -> Iterator[list[Entry]]:
    """Those of ``rows``, whole and in batches, for whoever reads all of the log."""
    chosen = AuditEntry.objects.filter(pk__in=rows.order_by().values("pk"))
    return _batches([_Part(rows=chosen.select_related(*_RELATED).defer(*_UNUSED), shape=_whole)])


def _batches(parts: list[_Part]) -> Iterator[list[Entry]]:
    after: tuple[datetime, int] | None = None
    while found := _next(parts, after, AT_ONCE):
        after = (found[-1][0].at, found[-1][0].pk)
        yield [entry for _, entry in found]


def _next(parts: list[_Part], after: tuple[datetime, int] | None, count: int) -> list[tuple[AuditEntry, Entry]]:
    """The ``count`` newest rows of ``parts`` behind ``after``. One query for each part, each ordered by its index."""
    found: dict[int, tuple[AuditEntry, Entry]] = {}
    for part in parts:
        rows = part.rows
        if after is not None:
            at, pk = after
            # The first condition bounds the index; the second leaves out those of the same moment.
            rows = rows.filter(Q(at__lt=at) | Q(at=at, pk__lt=pk), at__lte=at)
        for row in rows.order_by("-at", "-pk")[:count]:
            if row.pk not in found:
                found[row.pk] = (row, part.shape(row))
    newest = sorted(found.values(), key=lambda pair: (pair[0].at, pair[0].pk), reverse=True)
    return newest[:count]


def _masked(at: datetime, pk: int) -> int:
    """A row's number as a cursor may hold it: numbers are dealt out in turn, so they would tell how much others do."""
    key = salted_hmac("workspace.audit.cursor", at.isoformat(), algorithm="sha256").digest()
    return pk ^ (int.from_bytes(key[:8]) >> 1)


def _unmask(at: datetime, masked: int) -> tuple[datetime, int]:
    return at, _masked(at, masked)
