"""Reading people: those with whom the actor shares something, and nobody else."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from workspace import access
from workspace.actor import Actor
from workspace.models import Document, Folder, Grant, Membership, Person, Reach
from workspace.queries import pages
from workspace.queries.folders import Unnest
from workspace.queries.pages import Page


@dataclass(frozen=True, kw_only=True)
class PersonRow:
    """A person whom the actor may know of. ``groups`` are those of their groups that hold a grant here."""

    email: str
    label: str
    groups: tuple[str, ...]


def near(
    actor: Actor,
    *,
    location: str | None = None,
    group: str | None = None,
    q: str = "",
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[PersonRow]:
    """Who can read ``location``; without it, who can read anything that the actor can, the actor's person apart.

    By a grant on a place or on a folder above it; administrators, who read everything, are not listed for that.
    ``group`` keeps the members of one group, as far as that group holds such a grant; ``q`` those in whose address
    or name it is. By email, in a constant number of queries. Raises ``NotFound``, ``Invalid``.
    """
    grants = _grants_at(actor, location) if location else _grants_near(actor)
    groups = grants.filter(group__isnull=False).order_by().values("group")
    people = Person.objects.filter(is_active=True)
    if group is not None:
        people = people.filter(memberships__group__in=groups, memberships__group__name=group)
    else:
        direct = grants.filter(person__isnull=False).order_by().values("person")
        members = Membership.objects.filter(group__in=groups).values("person")
        people = people.filter(Q(pk__in=direct) | Q(pk__in=members))
    if not location:
        people = people.exclude(pk=actor.person or 0)
    if q:
        people = people.filter(Q(email__icontains=q) | Q(name__icontains=q))
    found = pages.page(
        actor,
        people,
        lambda person: person,
        listing=f"people:{location or ''}:{group or ''}:{q}",
        order=("email",),
        limit=limit,
        cursor=cursor,
    )
    named: dict[int, list[str]] = {}
    for person, name in (
        Membership.objects.filter(person__in=[p.pk for p in found.items], group__in=groups)
        .order_by("group__name")
        .values_list("person", "group__name")
    ):
        named.setdefault(person, []).append(name)
    return Page(
        items=tuple(PersonRow(email=p.email, label=p.label, groups=tuple(named.get(p.pk, ()))) for p in found.items),
        next_cursor=found.next_cursor,
    )


def _grants_at(actor: Actor, location: str) -> "QuerySet[Grant]":
    """Grants that hold at one place that the actor can read."""
    place = access.place(actor, location=location)
    if isinstance(place, Folder):
        return Grant.objects.filter(folder__in=place.lineage)
    return Grant.objects.filter(Q(folder__in=place.folder.lineage) | Q(document=place))


def _grants_near(actor: Actor) -> "QuerySet[Grant]":
    """Grants that hold at any place that the actor can read: there, or on a folder above it."""
    reach = Reach(actor)
    folders = Folder.objects.live().visible_to(reach)
    # Whatever else is visible lies in a visible folder; these are few, so that the rest are not walked.
    alone = Q(grants__isnull=False) | Q(pk__in=[s.document for s in actor.scopes if s.document])
    documents = Document.objects.live().visible_to(reach).filter(alone)
    above_folders = folders.order_by().annotate(above=Unnest("lineage")).values("above")
    above_documents = documents.order_by().annotate(above=Unnest("folder__lineage")).values("above")
    return Grant.objects.filter(
        Q(folder__in=above_folders) | Q(folder__in=above_documents) | Q(document__in=documents.values("pk"))
    )
