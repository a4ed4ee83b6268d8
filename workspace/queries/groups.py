"""Reading groups, for administrators: who is in them, what they are parts of, and where they reach."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Invalid, NotFound
from workspace.models import Grant, Group, Membership, Nesting, Person
from workspace.models.people import GROUP
from workspace.queries import pages
from workspace.queries.pages import Page

SEEN_BY = "Only an administrator may see the groups."


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """A group in a list: how many people are in it directly, how many groups, and at how many places it has a role."""

    id: int
    name: str
    people: int
    groups: int
    places: int


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person who is in the group directly."""

    id: int
    email: str
    label: str
    active: bool
    since: datetime


@dataclass(frozen=True, kw_only=True)
class Part:
    """Another group: one inside this group, or one that this group is inside of."""

    id: int
    name: str


@dataclass(frozen=True, kw_only=True)
class Held:
    """A role that was given to the group at a place."""

    location: str
    of: str
    role: Role


@dataclass(frozen=True, kw_only=True)
class GroupView:
    """A group. ``places`` are those given to it by name; what it has through an outer group is on that one's page."""

    id: int
    name: str
    inner: tuple[Part, ...]
    outer: tuple[Part, ...]
    places: tuple[Held, ...]


def listing(actor: Actor, *, limit: int | None = None, cursor: str | None = None) -> Page[GroupRow]:
    """All groups by name. Raises ``Forbidden``, ``Invalid``."""
    access.require_admin(actor, SEEN_BY)
    live = Grant.objects.filter(Q(folder__deleted_at=None, document__deleted_at=None))
    rows: QuerySet[Any] = Group.objects.annotate(
        people=_count(Membership.objects.all(), "group"),
        parts=_count(Nesting.objects.all(), "outer"),
        places=_count(live, "group"),
    )
    return pages.page(
        actor,
        rows,
        lambda g: GroupRow(id=g.pk, name=g.name, people=g.people, groups=g.parts, places=g.places),
        listing="groups",
        order=("name",),
        limit=limit,
        cursor=cursor,
    )


def _count(rows: "QuerySet[Any]", key: str) -> Coalesce:
    one = rows.filter(**{key: OuterRef("pk")}).order_by().values(key).annotate(n=Count("*")).values("n")
    return Coalesce(Subquery(one, output_field=IntegerField()), 0)


def show(actor: Actor, *, group: int) -> GroupView:
    """One group without its members. Raises ``Forbidden``, ``NotFound``."""
    access.require_admin(actor, SEEN_BY)
    found = Group.objects.filter(pk=group).first()
    if found is None:
        raise NotFound
    grants = Grant.objects.filter(group=found, folder__deleted_at=None, document__deleted_at=None)
    places = [_held(grant) for grant in grants.select_related("folder", "document__folder")]
    return GroupView(
        id=found.pk,
        name=found.name,
        inner=_parts(Nesting.objects.filter(outer=found), "inner"),
        outer=_parts(Nesting.objects.filter(inner=found), "outer"),
        places=tuple(sorted(places, key=lambda p: p.location)),
    )


def _held(grant: Grant) -> Held:
    role = Role(grant.role)
    if grant.document is not None:
        return Held(location=access.location_of(grant.document), of="document", role=role)
    assert grant.folder is not None
    return Held(location=grant.folder.path, of="folder", role=role)


def _parts(rows: "QuerySet[Nesting]", side: str) -> tuple[Part, ...]:
    named = rows.order_by(f"{side}__name").values_list(f"{side}__pk", f"{side}__name")
    return tuple(Part(id=pk, name=name) for pk, name in named)


def members(actor: Actor, *, group: int, limit: int | None = None, cursor: str | None = None) -> Page[Member]:
    """Who is in the group directly, by email. Raises ``Forbidden``, ``Invalid``."""
    access.require_admin(actor, SEEN_BY)
    return pages.page(
        actor,
        Membership.objects.filter(group=group).select_related("person"),
        lambda m: Member(
            id=m.person_id,
            email=m.person.email,
            label=m.person.label,
            active=m.person.is_active,
            since=m.created_at,
        ),
        listing=f"members:{group}",
        order=("person__email",),
        limit=limit,
        cursor=cursor,
    )


def names(actor: Actor, *, q: str = "", most: int = 200) -> tuple[str, ...]:
    """Names of groups in which ``q`` is, to be suggested; none for whoever is no administrator."""
    if not actor.admin or actor.agent:
        return ()
    found = Group.objects.filter(name__icontains=q) if q else Group.objects.all()
    return tuple(found.order_by("name").values_list("name", flat=True)[:most])


def named(actor: Actor, *, name: str) -> int:
    """The id of the group called ``name``, with or without ``group:`` before it. Raises ``Forbidden``, ``Invalid``."""
    access.require_admin(actor, SEEN_BY)
    found = Group.objects.filter(name=name.strip().removeprefix(GROUP)).values_list("pk", flat=True).first()
    if found is None:
        raise Invalid("group", "names no group. Check its name.")
    return found


def person(actor: Actor, *, email: str) -> int:
    """The id of whoever has this address, to be put into a group. Raises ``Forbidden``, ``Invalid``."""
    access.require_admin(actor, SEEN_BY)
    found = Person.objects.filter(email__iexact=email.strip(), is_active=True).values_list("pk", flat=True).first()
    if found is None:
        raise Invalid("email", "names nobody who has an account here. Check the address, or invite them.")
    return found
