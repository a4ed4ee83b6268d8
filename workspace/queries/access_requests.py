"""Reading requests for access: one's own, and those that one can decide."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from workspace import access, locations
from workspace.actor import Actor, Role
from workspace.errors import Invalid, NotFound
from workspace.models import AccessRequest, Reach, RequestState
from workspace.models.reach import EditorsShare
from workspace.queries import pages, who
from workspace.queries.pages import Page
from workspace.queries.who import Who

STATES = tuple(RequestState.values)


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """A request for access. ``by`` is who asked: an agent asks for its person. ``location`` is where the place is now
    to those who decide, and as it was typed to those who asked. ``granted`` is None where no role came of it."""

    id: str
    by: Who
    email: str
    location: str
    of: str
    role: Role
    reason: str
    state: str
    created_at: datetime
    decided_at: datetime | None
    decided_by: str
    granted: Role | None
    answer: str


def mine(
    actor: Actor, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[RequestRow]:
    """The requests of the person, newest first, in one ``state`` or in any. Raises ``Invalid``.

    A request for what never was looks like one that nobody has answered.
    """
    rows = AccessRequest.objects.filter(person=actor.person)
    if state is not None:
        if state not in STATES:
            raise Invalid("state", f"must be one of: {', '.join(STATES)}.")
        rows = rows.filter(state=state)
    return pages.page(
        actor,
        rows.select_related("person", "agent__person", "decided_by"),
        _mine,
        listing=f"requests:mine:{state}",
        order=("-created_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def to_decide(
    actor: Actor, *, location: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[RequestRow]:
    """Open requests of others that the actor may approve or decline, oldest first; at and below ``location``.

    A manager's are all for what they manage; an editor's those up to editor where editors share. Raises ``Invalid``.
    """
    rows = decidable(actor)
    if location:
        path = locations.join(*locations.split(location))
        rows = rows.filter(_at(path, "folder__path") | _at(path, "document__folder__path") | _named(path))
    return pages.page(
        actor,
        rows.select_related("person", "agent__person", "decided_by", "folder", "document__folder"),
        _row,
        listing=f"requests:decide:{location or ''}",
        order=("created_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def show(actor: Actor, *, request: str) -> RequestRow:
    """An open request that the actor may decide. Raises ``NotFound``."""
    row = (
        decidable(actor)
        .filter(pk=request)
        .select_related("person", "agent__person", "decided_by", "folder", "document__folder")
        .first()
    )
    if row is None:
        raise NotFound
    return _row(row)


def decidable(actor: Actor) -> "QuerySet[AccessRequest]":
    """Open requests of others that the actor may approve or decline."""
    manages, edits = Reach(actor, Role.MANAGER), Reach(actor, Role.EDITOR)
    folders = Q(folder__isnull=False, folder__deleted_at=None)
    documents = Q(document__isnull=False, document__deleted_at=None)
    shared = Q(role__lte=Role.EDITOR)
    of_folder, of_document = ("folder__lineage",), ("document__folder__lineage", "document")
    rows = AccessRequest.objects.filter(state=RequestState.OPEN, person__is_active=True)
    if actor.person is not None:
        rows = rows.exclude(person=actor.person)
    return rows.filter(
        folders & (manages.folders(*of_folder) | shared & _open(*of_folder) & edits.folders(*of_folder))
        | documents & (manages.documents(*of_document) | shared & _open(of_document[0]) & edits.documents(*of_document))
    )


def _open(lineage: str) -> Q:
    """Places where editors may share."""
    return Q(EditorsShare(lineage))


def _at(path: str, field: str) -> Q:
    return Q(**{field: path}) | Q(**{f"{field}__startswith": path + locations.SEPARATOR})


def _named(path: str) -> Q:
    folder, _, name = path.rpartition(locations.SEPARATOR)
    return Q(document__folder__path=folder, document__name=name)


def _row(row: AccessRequest) -> RequestRow:
    """A request as it is shown to those who decide it."""
    if row.document is not None:
        return _shaped(row, location=access.location_of(row.document), of="document")
    return _shaped(row, location=row.folder.path if row.folder else row.location, of="folder")


def _mine(row: AccessRequest) -> RequestRow:
    return _shaped(row, location=row.location, of="")


def _shaped(row: AccessRequest, *, location: str, of: str) -> RequestRow:
    return RequestRow(
        id=row.pk,
        by=who.of(row.person, row.agent),
        email=row.person.email,
        location=location,
        of=of,
        role=Role(row.role),
        reason=row.reason,
        state=row.state,
        created_at=row.created_at,
        decided_at=row.decided_at,
        decided_by=row.decided_by.label if row.decided_by else "",
        granted=Role(row.granted_role) if row.granted_role else None,
        answer=row.answer,
    )
