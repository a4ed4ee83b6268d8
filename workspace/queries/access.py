"""Reading who may do what where."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workspace import access
from workspace.actor import Actor, Role
from workspace.models import Folder, Grant, Membership, Person


@dataclass(frozen=True, kw_only=True)
class GrantRow:
    """A grant that holds at a place; ``inherited_from`` is the folder it was given on, empty for the place itself."""

    subject: str
    label: str
    kind: Literal["person", "group"]
    role: Role
    location: str
    inherited_from: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A person who can read a place, with the highest role and the grants that give it."""

    email: str
    label: str
    role: Role
    through: tuple[GrantRow, ...]


def grants(actor: Actor, *, location: str) -> tuple[GrantRow, ...]:
    """Grants on a place and on the folders above it, the place's own first. Raises ``NotFound``."""
    place = access.place(actor, location=location)
    return _grants(place)


def _grants(place: object) -> tuple[GrantRow, ...]:
    folder = place if isinstance(place, Folder) else place.folder  # type: ignore[attr-defined]
    rows = Grant.objects.filter(folder__in=folder.lineage)
    own = {"folder_id": folder.pk}
    if not isinstance(place, Folder):
        rows |= Grant.objects.filter(document=place)  # type: ignore[misc]
        own = {"document_id": place.pk}  # type: ignore[attr-defined]
    here = access.location_of(place) if not isinstance(place, Folder) else folder.path  # type: ignore[arg-type]
    shaped = []
    for grant in rows.select_related("folder", "person", "group"):
        mine = all(getattr(grant, key) == value for key, value in own.items())
        at = here if mine else grant.folder.path
        shaped.append(
            GrantRow(
                subject=grant.person.email if grant.person else f"group:{grant.group.name}",
                label=grant.person.label if grant.person else grant.group.name,
                kind="person" if grant.person else "group",
                role=Role(grant.role),
                location=at,
                inherited_from="" if mine else at,
                created_at=grant.created_at,
            )
        )
    return tuple(sorted(shaped, key=lambda g: (g.inherited_from != "", -len(g.location), -g.role, g.subject)))


def readers(actor: Actor, *, location: str) -> tuple[Reader, ...]:
    """Everybody who can read a place, and through which grants; administrators are not listed."""
    place = access.place(actor, location=location)
    rows = _grants(place)
    groups = {row.subject.removeprefix("group:") for row in rows if row.kind == "group"}
    members: dict[str, list[str]] = {}
    for name, email in Membership.objects.filter(group__name__in=groups, person__is_active=True).values_list(
        "group__name", "person__email"
    ):
        members.setdefault(f"group:{name}", []).append(email)
    through: dict[str, list[GrantRow]] = {}
    for row in rows:
        for email in [row.subject] if row.kind == "person" else members.get(row.subject, []):
            through.setdefault(email, []).append(row)
    people = Person.objects.filter(email__in=through, is_active=True)
    found = [
        Reader(
            email=person.email,
            label=person.label,
            role=max(row.role for row in through[person.email]),
            through=tuple(through[person.email]),
        )
        for person in people
    ]
    return tuple(sorted(found, key=lambda r: (-r.role, r.email)))
