"""Reading who may do what where."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from workspace import access
from workspace.actor import VIEW_AS, Actor, Role, Scope
from workspace.errors import Forbidden, Invalid
from workspace.models import Document, Folder, Grant, Group, Membership, Person
from workspace.queries import holders, pages
from workspace.queries.pages import Page


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
class Through(GrantRow):
    """A grant that gives somebody their role. ``chain`` names the groups by which it reaches them, from the one it was
    given to down to the one that they are in; empty for a grant to themselves."""

    chain: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Holder:
    """A person who can read a place, with the highest role and every grant that gives them one.

    An administrator is manager everywhere, with or without a grant.
    """

    email: str
    label: str
    role: Role
    administrator: bool
    through: tuple[Through, ...]


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The grants that hold at a place, its own first, and a page of those who can read it."""

    grants: tuple[GrantRow, ...]
    who: Page[Holder]


def grants(actor: Actor, *, location: str) -> tuple[GrantRow, ...]:
    """Grants on a place and on the folders above it, the place's own first. Raises ``NotFound``."""
    place = access.place(actor, location=location)
    return tuple(row for _, row in _grants(place))


def _given(place: Folder | Document) -> "QuerySet[Grant]":
    """The grants that hold at a place."""
    above = Q(folder__in=holders.lineage_of(place))
    return Grant.objects.filter(above | Q(document=place) if isinstance(place, Document) else above)


def _grants(place: Folder | Document) -> list[tuple[Grant, GrantRow]]:
    here = place.path if isinstance(place, Folder) else access.location_of(place)
    shaped = []
    for grant in _given(place).select_related("folder", "person", "group"):
        at = grant.folder.path if grant.folder else here
        subject, label, kind = _subject(grant)
        row = GrantRow(
            subject=subject,
            label=label,
            kind=kind,
            role=Role(grant.role),
            location=at,
            inherited_from="" if at == here else at,
            created_at=grant.created_at,
        )
        shaped.append((grant, row))
    return sorted(shaped, key=lambda g: (g[1].inherited_from != "", -len(g[1].location), -g[1].role, g[1].subject))


def _subject(grant: Grant) -> tuple[str, str, Literal["person", "group"]]:
    """How a grant's subject is written and called, and which kind it is."""
    if grant.person is not None:
        return grant.person.email, grant.person.label, "person"
    assert grant.group is not None
    return grant.group.subject, grant.group.name, "group"


def who(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[Holder]:
    """Everybody active who can read a place, administrators among them, by address, in a constant number of queries.

    Raises ``NotFound``, ``Gone``, ``Invalid``.
    """
    return _who(actor, location, _grants(access.place(actor, location=location)), limit, cursor)


def overview(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Overview:
    """``grants`` and ``who`` of a place, by one look at both. Raises as ``who``."""
    rows = _grants(access.place(actor, location=location))
    found = _who(actor, location, rows, limit, cursor)
    return Overview(grants=tuple(row for _, row in rows), who=found)


def _who(
    actor: Actor, location: str, rows: list[tuple[Grant, GrantRow]], limit: int | None, cursor: str | None
) -> Page[Holder]:
    found = pages.page(
        actor,
        _everybody(rows),
        lambda person: person,
        listing=f"who:{location}",
        order=("email",),
        limit=limit,
        cursor=cursor,
    )
    return Page(items=_holders(rows, found.items), next_cursor=found.next_cursor)


def _everybody(rows: list[tuple[Grant, GrantRow]]) -> "QuerySet[Person]":
    return Person.objects.filter(Q(pk__in=_reached(rows)) | Q(is_superuser=True), is_active=True)


def count(actor: Actor, *, location: str) -> int:
    """How many ``who`` would list. Raises as it does."""
    return _everybody(_grants(access.place(actor, location=location))).count()


def readers(actor: Actor, *, location: str) -> tuple[Holder, ...]:
    """Everybody active who can read a place by some grant, the highest role first; administrators are listed only
    where a grant names them. Bounded by nothing: for places that few can read, ``who`` is for all."""
    place = access.place(actor, location=location)
    rows = _grants(place)
    people = Person.objects.filter(pk__in=_reached(rows), is_active=True)
    found = [replace(one, role=max(t.role for t in one.through)) for one in _holders(rows, tuple(people))]
    return tuple(sorted(found, key=lambda r: (-r.role, r.email)))


def _reached(rows: list[tuple[Grant, GrantRow]]) -> RawSQL:
    """Ids of the people whom grants reach, as a subquery."""
    return holders.reached(
        people=[grant.person_id for grant, _ in rows if grant.person_id],
        groups=[grant.group_id for grant, _ in rows if grant.group_id],
    )


def _holders(rows: list[tuple[Grant, GrantRow]], people: tuple[Person, ...]) -> tuple[Holder, ...]:
    """Each of ``people`` with those of the grants that reach them; three queries."""
    inside: dict[int, list[int]] = {}
    for pk, group in Membership.objects.filter(person__in=[p.pk for p in people]).values_list("person", "group"):
        inside.setdefault(pk, []).append(group)
    above = holders.nestings_above({group for groups in inside.values() for group in groups})
    named = dict(Group.objects.filter(pk__in=_all(inside, above)).values_list("pk", "name"))
    found = []
    for person in people:
        ways = holders.chains(inside.get(person.pk, ()), above)
        through = [
            Through(
                **{name: getattr(row, name) for name in GrantRow.__dataclass_fields__},
                chain=tuple(named[pk] for pk in ways[grant.group_id]) if grant.group_id else (),
            )
            for grant, row in rows
            if (grant.group_id in ways if grant.group_id else grant.person_id == person.pk)
        ]
        roles = [one.role for one in through]
        found.append(
            Holder(
                email=person.email,
                label=person.label,
                role=Role.MANAGER if person.is_superuser else max(roles, default=Role.VIEWER),
                administrator=person.is_superuser,
                through=tuple(through),
            )
        )
    return tuple(found)


def _all(inside: dict[int, list[int]], above: dict[int, list[int]]) -> set[int]:
    return {pk for groups in (*inside.values(), *above.values()) for pk in groups}


def view_as(actor: Actor, *, location: str, subject: str) -> Actor:
    """An actor by which queries give what ``subject``, an address, sees at and below ``location``, and nothing else.

    For a manager in person, whose own view is never narrower. It only reads: every service refuses it. Raises
    ``NotFound``, ``Gone``, ``Forbidden``, ``Invalid``.
    """
    place = access.place(actor, location=location, need=Role.MANAGER)
    if actor.agent or actor.person is None:
        raise Forbidden("An agent cannot look at a place as somebody else.", need="a person")
    # The database stores no NUL, and takes none in a question either.
    person = Person.objects.filter(email__iexact=subject.replace("\0", " ").strip(), is_active=True).first()
    if person is None:
        raise Invalid("subject", "names nobody who has an account here. Check the address.")
    scope = (
        Scope(role=Role.VIEWER, folder=place.pk)
        if isinstance(place, Folder)
        else Scope(role=Role.VIEWER, document=place.pk)
    )
    return replace(
        access.person_actor(person, via=actor.via),
        agent=f"{VIEW_AS}{actor.person}:{person.pk}",
        agent_name="view as",
        scopes=(scope,),
    )
