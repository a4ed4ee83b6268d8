"""May this actor do this here? The question about one object; ``models.Reach`` asks it of rows.

What the actor cannot see is ``NotFound``, in the same words and after the same queries as what never existed.
What it sees and may not change is ``Forbidden``, which names the role that may.
"""

from dataclasses import dataclass
from typing import Any

from workspace import locations
from workspace.actor import Actor, Role, Via
from workspace.errors import Forbidden, Gone, NotFound
from workspace.models import Conflict, Document, Folder, Person, Reach


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What a role lets somebody do at a place. Buttons, serializers and services all read it."""

    role: str
    read: bool
    edit: bool
    create: bool
    delete: bool
    share: bool
    manage: bool


def abilities(role: Role, *, shares: bool) -> Abilities:
    """The abilities of ``role``. ``share`` is granting up to one's own role, for editors only where they ``shares``."""
    editor = role >= Role.EDITOR
    return Abilities(
        role=role.label,
        read=True,
        edit=editor,
        create=editor,
        delete=editor,
        share=role >= Role.MANAGER or (editor and shares),
        manage=role >= Role.MANAGER,
    )


def person_actor(person: Person, *, via: Via) -> Actor:
    """A signed-in person as an actor; no query."""
    return Actor(person=person.pk, label=person.label, email=person.email, admin=person.is_superuser, via=via)


def require_admin(actor: Actor, detail: str = "Only an administrator may do this.") -> None:
    """Raises ``Forbidden`` for whoever is not an administrator in person."""
    if not actor.admin or actor.agent:
        raise Forbidden(detail, need="administrator")


def effective(actor: Actor, granted: int | None, lineage: list[int], document: str | None) -> Role | None:
    """The person's role cut down to what the agent's scopes allow there; None where it does not reach."""
    cap = Reach(actor).cap(lineage, document)
    if granted is None or cap is None:
        return None
    return min(Role(granted), cap)


def hidden(found: Folder | Document | None) -> NotFound:
    """The refusal of what is hidden and of what is absent. That of the former knows its place, which the audit log
    keeps and nobody is told."""
    match found:
        case Folder():
            return NotFound().at(folder=found.pk)
        case Document():
            return NotFound().at(folder=found.folder_id, document=found.pk)
    return NotFound()


def refused(detail: str, target: Folder | Document, *, need: Role) -> Forbidden:
    """The refusal of what ``target`` shows and does not let be done; only ``need`` may."""
    refusal = Forbidden(detail, need=need.label)
    refusal.target = hidden(target).target
    return refusal


def _require(role: Role, need: Role, target: Folder | Document) -> None:
    if role < need:
        what = "folder" if isinstance(target, Folder) else "document"
        raise refused(f"You are {role.label} of this {what}; this needs {need.label}.", target, need=need)


def document(
    actor: Actor,
    *,
    location: str | None = None,
    id: str | None = None,
    need: Role = Role.VIEWER,
    lock: bool = False,
    deleted: bool = False,
) -> Document:
    """The document at ``location`` or with ``id``, with ``folder``, ``head``, ``role`` and ``shares`` loaded.

    ``lock`` takes its row lock (inside a transaction) and reads it as it is then. A deleted document is ``Gone``
    for those who could see it, unless ``deleted``. Raises ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid``.
    """
    rows = Document.objects.select_related("folder", "head").with_role(Reach(actor)).with_shares()
    if id is not None:
        rows = rows.filter(pk=id)
    else:
        folders, name = locations.split_document(location)
        # Of several documents that were at one place in turn, the living one, else the last.
        rows = rows.filter(folder__path=locations.join(*folders), name=name).order_by("-deleted_at", "-created_at")
    while True:
        found = rows.first()
        role = effective(actor, found.granted, found.folder.lineage, found.pk) if found is not None else None
        if found is None or role is None:
            raise hidden(found)
        if found.deleted_at and not deleted:
            raise Gone
        _require(role, need, found)
        if not lock:
            found.role = role
            return found
        # The lock is taken on the bare row: PostgreSQL re-reads only the locked row after a wait, so a join to
        # the head or the folder would show what they were before it.
        locked = Document.objects.select_for_update(no_key=True).get(pk=found.pk)
        if (locked.folder_id, locked.name, locked.deleted_at) != (
            found.folder_id,
            found.name,
            found.deleted_at,
        ):
            continue  # moved or deleted while this waited
        locked.folder = found.folder
        if locked.head_id == found.head_id:
            locked.head = found.head
        locked.role = role
        locked.shares = found.shares
        return locked


def folder(
    actor: Actor,
    *,
    location: str | None = None,
    id: int | None = None,
    need: Role = Role.VIEWER,
    lock: bool = False,
) -> Folder:
    """The live folder at ``location`` or with ``id``, with ``role`` and ``shares`` loaded.

    Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    rows = Folder.objects.live().with_role(Reach(actor)).with_shares()
    if id is not None:
        found = rows.filter(pk=id).first()
    else:
        found = rows.filter(path=locations.join(*locations.split(location))).first()
    role = effective(actor, found.granted, found.lineage, None) if found is not None else None
    if found is None or role is None:
        raise hidden(found)
    _require(role, need, found)
    if lock:
        path, shares = found.path, found.shares
        found = Folder.objects.select_for_update(no_key=True).get(pk=found.pk)
        if found.path != path or found.deleted_at:
            raise NotFound
        found.shares = shares
    found.role = role
    return found


def place(actor: Actor, *, location: str, need: Role = Role.VIEWER, lock: bool = False) -> Folder | Document:
    """The folder or the document at ``location``; a name is one or the other, never both. Raises as ``document``."""
    if len(locations.split(location)) == 1:
        return folder(actor, location=location, need=need, lock=lock)
    try:
        return document(actor, location=location, need=need, lock=lock)
    except (NotFound, Gone) as refusal:
        try:
            # A folder may stand where a document once was.
            return folder(actor, location=location, need=need, lock=lock)
        except NotFound as other:
            refusal.target = refusal.target or other.target
            raise refusal from None


def conflict(actor: Actor, *, id: str, lock: bool = False, related: tuple[str, ...] = ()) -> tuple[Conflict, Document]:
    """The conflict with ``id``, with ``related`` loaded, and its document, deleted or not, with ``role`` loaded.

    For those who may see the draft, its author and the document's editors; ``NotFound`` for all others. ``lock``
    takes the document's lock: the conflict was read before that, so what may have changed is to be read again.
    """
    rows = Conflict.objects.filter(pk=id)
    row = (rows.select_related(*related) if related else rows).first()
    held = document(actor, id=row.document_id if row else "", lock=lock, deleted=True)
    if row is None or (held.role < Role.EDITOR and row.author_id != actor.person):
        raise hidden(held)
    return row, held


def location_of(document: Document) -> str:
    """The location of a document whose folder is loaded."""
    return locations.join(document.folder.path, document.name)


def scope_of(target: Folder | Document) -> dict[str, Any]:
    """``{"folder": …}`` or ``{"document": …}``, as grants and scopes name a place."""
    return {"folder": target} if isinstance(target, Folder) else {"document": target}
