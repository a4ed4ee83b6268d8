"""Reading who may do what where."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workspace import access
from workspace.actor import Actor, Role
from workspace.models import Document, Folder, Grant, Membership, Person


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


def _grants(place: Folder | Document) -> tuple[GrantRow, ...]:
    if isinstance(place, Folder):
        lineage, here = place.lineage, place.path
        rows = Grant.objects.filter(folder__in=lineage)
    else:
        lineage, here = place.folder.lineage, access.location_of(place)
        rows = Grant.objects.filter(folder__in=lineage) | Grant.objects.filter(document=place)
    shaped = []
    for grant in rows.select_related("folder", "person", "group"):
        at = grant.folder.path if grant.folder else here
        subject, label, kind = _subject(grant)
        shaped.append(
            GrantRow(
                subject=subject,
                label=label,
                kind=kind,
                role=Role(grant.role),
                location=at,
                inherited_from="" if at == here else at,
                created_at=grant.created_at,
            )
        )
    return tuple(sorted(shaped, key=lambda g: (g.inherited_from != "", -len(g.location), -g.role, g.subject)))


def _subject(grant: Grant) -> tuple[str, str, Literal["person", "group"]]:
    """How a grant's subject is written and called, and which kind it is."""
    if grant.person is not None:
        return grant.person.email, grant.person.label, "person"
    assert grant.group is not None
    return f"group:{grant.group.name}", grant.group.name, "group"


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
