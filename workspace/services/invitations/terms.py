"""What an invitation is for: the role at its place, and whether its sender may give that."""

from typing import Any

from workspace import access
from workspace.actor import Actor, Role
from workspace.models import Document, Folder, Invitation
from workspace.services import audit, sharing


def location_of(row: Invitation) -> str:
    """Where the place of an invitation is now; "" without one."""
    if row.document is not None:
        return access.location_of(row.document)
    return row.folder.path if row.folder is not None else ""


def role_of(row: Invitation) -> str:
    """The role that an invitation gives; "" without a place."""
    return Role(row.role).label if row.role else ""


def place_of(actor: Actor, row: Invitation, *, need: Role = Role.VIEWER) -> Folder | Document | None:
    """The place of an invitation as ``actor`` sees it now, None without one. Raises as ``access.place``."""
    if row.document_id:
        return access.document(actor, id=row.document_id, need=need)
    return access.folder(actor, id=row.folder_id, need=need) if row.folder_id else None


def givable(inviter: Actor, row: Invitation) -> Folder | Document | None:
    """The place of an invitation, where its sender may still give what it offers; else a refusal."""
    place = place_of(inviter, row, need=Role.EDITOR)
    if place is not None:
        sharing.check_giving(place, Role(row.role or Role.VIEWER))
    return place


def record(actor: Actor, action: str, row: Invitation, *, email: str = "", **data: Any) -> None:
    """Records what became of an invitation, inside the caller's transaction."""
    told = {"invitation": row.pk, **({"role": role_of(row)} if row.role else {}), **data}
    subject = email or row.email or "link"
    audit.record(actor, action, folder=row.folder, document=row.document, subject=subject, data=told)
