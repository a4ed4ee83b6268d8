"""Reading the tree of folders.

A folder in which the actor holds no role, but which is on the way to something they see, shows its name and
nothing else; its ``role`` is None.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Count, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from workspace import access, locations
from workspace.access import Abilities
from workspace.actor import Actor, Role
from workspace.digest import handoff
from workspace.models import Document, Folder, Grant, Reach
from workspace.models.folders import FolderQuerySet
from workspace.queries import branches, pages
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
    if actor.admin and not actor.scopes:
        return rows
    reach = Reach(actor)
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


def _counted(actor: Actor, rows: FolderQuerySet, *, whole: bool) -> "QuerySet[Any]":
    """``whole`` says that the actor has a role above the rows, which holds for all that is in them."""
    reach = Reach(actor)
    documents, folders = Document.objects.live(), Folder.objects.live()
    if not whole:
        documents, folders = documents.visible_to(reach), folders.visible_to(reach)

    def count(of: "QuerySet[Any, Any]", key: str) -> Coalesce:
        one = of.filter(**{key: OuterRef("pk")}).order_by().values(key).annotate(n=Count("*")).values("n")
        return Coalesce(Subquery(one, output_field=IntegerField()), 0)

    return rows.with_role(reach).annotate(documents_in=count(documents, "folder"), folders_in=count(folders, "parent"))


def children(
    actor: Actor, *, parent: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[FolderRow]:
    """The folders directly in ``parent`` (None: the top level) that the actor sees, by name."""
    above, role = reachable(actor, parent) if parent else (None, None)
    listing = f"folders:{above.pk if above else 0}"
    if role is None and actor.person is not None and not actor.admin and not actor.scopes:
        return _on_the_way(actor, above, listing=listing, limit=limit, cursor=cursor)
    rows = Folder.objects.live().filter(parent=above)
    if role is None:
        rows = _visible_or_passing(actor, rows)
    return pages.page(
        actor,
        _counted(actor, rows, whole=role is not None),
        lambda f: FolderRow(
            id=f.pk,
            location=f.path,
            name=f.name,
            role=access.effective(actor, f.granted, f.lineage, None),
            documents=f.documents_in,
            folders=f.folders_in,
        ),
        listing=listing,
        order=("name", "pk"),
        limit=limit,
        cursor=cursor,
    )


def _on_the_way(
    actor: Actor, above: Folder | None, *, listing: str, limit: int | None, cursor: str | None
) -> Page[FolderRow]:
    """The children of a folder in which a person without scopes holds no role."""
    assert actor.person is not None
    found = branches.children(
        actor.person,
        parent=above.pk if above else None,
        depth=len(above.lineage) + 1 if above else 1,
        most=pages.check_limit(limit) + 1,
        after=None if cursor is None else pages.decode(actor, listing, cursor),
    )
    rows = [
        FolderRow(
            id=pk, location=path, name=name, role=Role(role) if role else None, documents=documents, folders=below
        )
        for pk, path, name, role, documents, below in found
    ]
    return pages.cut(actor, rows, lambda row: row, listing=listing, order=("name", "id"), limit=limit)


def tree(actor: Actor) -> tuple[FolderNode, ...]:
    """Every folder that the actor sees or passes through, parents first, in the order of their names.

    At most two queries, however many folders there are; the role is worked out from the grants in memory.
    """
    if actor.person is None or actor.admin:
        rows = _visible_or_passing(actor, Folder.objects.live()).values_list("pk", "path", "name", "lineage")
        reach = Reach(actor)
        nodes = [
            FolderNode(id=pk, location=path, name=name, depth=len(lineage), role=reach.cap(lineage, None))
            for pk, path, name, lineage in rows
        ]
    else:
        nodes = _granted(actor, actor.person)
    return tuple(sorted(nodes, key=lambda n: [part.casefold() for part in n.location.split("/")]))


def _granted(actor: Actor, person: int) -> list[FolderNode]:
    """The nodes of the tree of a person who needs grants, or of their agent, in any order."""
    reach = Reach(actor)
    roles = {int(role): role for role in Role}
    held: dict[int, int] = {}
    nodes: dict[int, FolderNode] = {}
    rows, alone = branches.reached(person)
    ways = set() if actor.scopes else {pk for lineage in alone for pk in lineage}
    for pk, path, name, lineage, granted in sorted(rows, key=lambda row: len(row[3])):
        depth = len(lineage)
        above = lineage[-2] if depth > 1 else 0
        held[pk] = role = max(granted or 0, held.get(above, 0))
        if actor.scopes:
            role = min(role, reach.cap(lineage, None) or 0)
        if role:
            nodes[pk] = FolderNode(id=pk, location=path, name=name, depth=depth, role=roles[role])
            if above not in nodes:
                ways.update(lineage[:-1])
    for pk, path, name, lineage in _passed(actor, ways):
        nodes.setdefault(pk, FolderNode(id=pk, location=path, name=name, depth=len(lineage), role=None))
    return list(nodes.values())


def _passed(actor: Actor, ways: set[int]) -> Iterable[tuple[int, str, str, list[int]]]:
    """The folders of ``ways``, and for an agent with scopes those to documents that it sees by themselves; one
    query."""
    if not actor.scopes:
        return branches.named(ways)
    documents = Document.objects.live().filter(_direct(actor)).visible_to(Reach(actor))
    passed = Q(pk__in=ways) | Q(pk__in=_unnest(documents, "folder__lineage"))
    return Folder.objects.live().filter(passed).values_list("pk", "path", "name", "lineage")


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
