"""Reading the tree of folders.

A folder in which the actor holds no role, but which is on the way to something they see, shows its name and
nothing else; its ``role`` is None.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Count, Func, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from workspace import access, locations
from workspace.access import Abilities
from workspace.actor import Actor, Role
from workspace.digest import handoff
from workspace.models import Document, Folder, Grant, Reach
from workspace.models.folders import FolderQuerySet
from workspace.queries import pages
from workspace.queries.pages import Page


class Unnest(Func):
    """The elements of an array, one row each."""

    function = "unnest"
    set_returning = True
    output_field = BigIntegerField()


@dataclass(frozen=True, kw_only=True)
class FolderRow:
    """A folder in a list; the counts are of what the actor sees directly in it."""

    id: int
    location: str
    name: str
    role: Role | None
    documents: int
    folders: int


@dataclass(frozen=True, kw_only=True)
class FolderNode:
    """A folder in the tree; ``depth`` is 1 at the top."""

    id: int
    location: str
    name: str
    depth: int
    role: Role | None


@dataclass(frozen=True, kw_only=True)
class FolderView:
    """A folder's own facts. ``abilities`` is None where it is only on the way to something visible; ``handoff`` is
    the name of its page that hands off, where there is one. ``editors_share`` is its own setting, and
    ``closed_above`` says that one of the folders above keeps editors from sharing here whatever that is."""

    id: int
    location: str
    name: str
    role: Role | None
    abilities: Abilities | None
    retention_days: int | None
    created_at: datetime
    created_by: str
    handoff: str | None
    editors_share: bool
    closed_above: bool


def reachable(actor: Actor, location: str) -> tuple[Folder, Role | None]:
    """The live folder at ``location`` and the actor's role in it, None where it is only on the way.

    Raises ``NotFound`` after the same queries for one that is hidden and one that is absent.
    """
    path = locations.join(*locations.split(location))
    rows = Folder.objects.live().filter(path=path).select_related("created_by").with_role(Reach(actor)).with_shares()
    folder = rows.first()
    role = access.effective(actor, folder.granted, folder.lineage, None) if folder else None
    if role is None and not _passes(actor, folder.pk if folder else 0):
        raise access.hidden(folder)
    assert folder is not None
    return folder, role


def _passes(actor: Actor, folder: int) -> bool:
    """Whether something that the actor sees lies below ``folder``; one query."""
    reach = Reach(actor)
    below = Folder.objects.live().filter(lineage__contains=[folder]).visible_to(reach)
    documents = Document.objects.live().filter(folder__lineage__contains=[folder]).visible_to(reach)
    return below.order_by().values("pk").union(documents.order_by().values("folder"), all=True).exists()


def _visible_or_passing(actor: Actor, rows: FolderQuerySet) -> FolderQuerySet:
    reach = Reach(actor)
    if actor.admin and not actor.scopes:
        return rows
    # Ids of every folder from the root to something visible.
    ways = _unnest(Folder.objects.live().visible_to(reach), "lineage")
    documents = _unnest(Document.objects.live().filter(_direct(actor)).visible_to(reach), "folder__lineage")
    return rows.filter(Q(pk__in=ways) | Q(pk__in=documents))


def _unnest(rows: "QuerySet[Any, Any]", lineage: str) -> "QuerySet[Any, Any]":
    return rows.order_by().annotate(way=Unnest(lineage)).values("way").distinct()


def _direct(actor: Actor) -> Q:
    """Documents that the actor may see by a grant or scope on themselves: few, so that the rest are not walked."""
    granted = Grant.objects.filter(Reach(actor).subject(), document__isnull=False).values("document")
    return Q(pk__in=granted) | Q(pk__in=[s.document for s in actor.scopes if s.document])


def _counted(actor: Actor, rows: FolderQuerySet) -> "QuerySet[Any]":
    reach = Reach(actor)

    def count(of: "QuerySet[Any, Any]", key: str) -> Coalesce:
        one = of.filter(**{key: OuterRef("pk")}).order_by().values(key).annotate(n=Count("*")).values("n")
        return Coalesce(Subquery(one, output_field=IntegerField()), 0)

    return rows.with_role(reach).annotate(
        documents_in=count(Document.objects.live().visible_to(reach), "folder"),
        folders_in=count(Folder.objects.live().visible_to(reach), "parent"),
    )


def children(
    actor: Actor, *, parent: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[FolderRow]:
    """The folders directly in ``parent`` (None: the top level) that the actor sees, by name."""
    above, role = reachable(actor, parent) if parent else (None, None)
    rows = Folder.objects.live().filter(parent=above)
    if role is None:
        rows = _visible_or_passing(actor, rows)
    return pages.page(
        actor,
        _counted(actor, rows),
        lambda f: FolderRow(
            id=f.pk,
            location=f.path,
            name=f.name,
            role=access.effective(actor, f.granted, f.lineage, None),
            documents=f.documents_in,
            folders=f.folders_in,
        ),
        listing=f"folders:{above.pk if above else 0}",
        order=("name", "pk"),
        limit=limit,
        cursor=cursor,
    )


def tree(actor: Actor) -> tuple[FolderNode, ...]:
    """Every folder that the actor sees or passes through, parents first, in the order of their names.

    Three queries, however many folders there are; the role is worked out from the grants in memory.
    """
    reach = Reach(actor)
    rows = _visible_or_passing(actor, Folder.objects.live()).values_list("pk", "path", "name", "lineage")
    granted: dict[int, int] = {}
    if actor.person is not None and not actor.admin:
        granted = dict(
            Grant.objects.filter(reach.subject(), folder__isnull=False)
            .order_by()
            .values("folder")
            .annotate(role_there=Max("role"))
            .values_list("folder", "role_there")
        )
    everywhere = actor.person is None or actor.admin

    def role(lineage: list[int]) -> Role | None:
        held = int(Role.MANAGER) if everywhere else max((granted.get(pk, 0) for pk in lineage), default=0)
        cap = reach.cap(lineage, None)
        return min(Role(held), cap) if held and cap else None

    nodes = [
        FolderNode(id=pk, location=path, name=name, depth=len(lineage), role=role(lineage))
        for pk, path, name, lineage in rows
    ]
    return tuple(sorted(nodes, key=lambda n: [part.casefold() for part in n.location.split("/")]))


def show(actor: Actor, *, location: str) -> FolderView:
    """One folder. Raises ``NotFound``, ``Invalid``."""
    folder, role = reachable(actor, location)
    # As the job finds the page it writes: where a twin of the name is there, that is it.
    page = Document.objects.live().filter(folder=folder, twin_key=locations.twin_key(handoff.PAGE))
    if role is None:
        page = page.visible_to(Reach(actor))
    return FolderView(
        id=folder.pk,
        location=folder.path,
        name=folder.name,
        role=role,
        abilities=access.abilities(role, shares=folder.shares) if role else None,
        retention_days=folder.retention_days if role else None,
        created_at=folder.created_at,
        created_by=folder.created_by.label if role and folder.created_by else "",
        handoff=page.values_list("name", flat=True).first(),
        editors_share=folder.editors_share,
        closed_above=folder.editors_share and not folder.shares,
    )
