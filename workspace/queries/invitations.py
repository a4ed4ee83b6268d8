"""Reading invitations: one's own, all of them for administrators, and those to a place for its managers."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.models import Folder, Invitation
from workspace.queries import pages
from workspace.queries.pages import Page

STATES = ("open", "accepted", "expired", "revoked")


@dataclass(frozen=True, kw_only=True)
class InvitationRow:
    """An invitation without its secret. ``taken`` of ``uses`` have taken it."""

    id: str
    email: str
    invited_by: str
    location: str
    role: str
    groups: tuple[str, ...]
    uses: int
    taken: int
    state: str
    created_at: datetime
    expires_at: datetime


def listing(
    actor: Actor,
    *,
    location: str | None = None,
    everybody: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[InvitationRow]:
    """The actor's own invitations, newest first. ``everybody`` gives an administrator those of all; ``location``
    gives a manager of that place those to it. Raises ``NotFound``, ``Forbidden``, ``Invalid``."""
    rows = Invitation.objects.select_related("invited_by", "folder", "document__folder").prefetch_related("groups")
    if location is not None:
        place = access.place(actor, location=location, need=Role.MANAGER)
        rows = rows.filter(folder=place) if isinstance(place, Folder) else rows.filter(document=place)
    elif not (everybody and actor.admin and not actor.agent):
        # An agent is shown none: whom its person lets in is not its work.
        rows = rows.filter(invited_by=actor.person) if not actor.agent else rows.none()
    return pages.page(
        actor,
        rows,
        _row,
        listing=f"invitations:{location if location is not None else everybody}",
        order=("-created_at", "-id"),
        limit=limit,
        cursor=cursor,
    )


def _row(row: Invitation) -> InvitationRow:
    place = access.location_of(row.document) if row.document else row.folder.path if row.folder else ""
    return InvitationRow(
        id=row.pk,
        email=row.email,
        invited_by=row.invited_by.label,
        location=place,
        role=Role(row.role).label if row.role else "",
        groups=tuple(sorted(group.name for group in row.groups.all())),
        uses=row.uses,
        taken=len(row.accepted_by),
        state=_state(row),
        created_at=row.created_at,
        expires_at=row.expires_at,
    )


def _state(row: Invitation) -> str:
    if len(row.accepted_by) >= row.uses:
        return "accepted"
    if row.revoked_at:
        return "revoked"
    return "expired" if row.expires_at <= timezone.now() else "open"
