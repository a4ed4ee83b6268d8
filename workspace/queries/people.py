"""Reading people: those with whom the actor shares something, and nobody else."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from workspace import access
from workspace.actor import Actor
from workspace.models import Document, Folder, Grant, Person, Reach
from workspace.queries import holders, pages
from workspace.queries.folders import Unnest
from workspace.queries.pages import Page


@dataclass(frozen=True, kw_only=True)
class PersonRow:
    """A person whom the actor may know of. ``groups`` are those of their groups that hold a grant here, whether they
    are in them themselves or by another group."""

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
    given = set(grants.order_by().values_list("person", "group", "group__name"))
    named = {pk: name for _, pk, name in given if pk}
    if group is not None:
        reached = holders.reached(groups=[pk for pk, name in named.items() if name == group])
    else:
        reached = holders.reached(people=[pk for pk, _, _ in given if pk], groups=named)
    people = Person.objects.filter(pk__in=reached, is_active=True)
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
    inside = holders.groups_of([person.pk for person in found.items])
    return Page(
        items=tuple(
            PersonRow(
                email=person.email,
                label=person.label,
                groups=tuple(sorted(named[pk] for pk in inside.get(person.pk, ()) if pk in named)),
            )
            for person in found.items
        ),
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
