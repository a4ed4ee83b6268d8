"""Every change of the tree of folders.

Whatever changes the tree's shape takes one advisory lock, since a move rewrites the paths of a whole subtree and
a folder made below it meanwhile would keep the old one. Order of locks: the tree, folders by path, documents by id.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.db import connection, transaction
from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Concat, Substr
from django.utils import timezone

from workspace import access, locations
from workspace.actor import Actor, Role
from workspace.errors import AccessChange, AlreadyExists, Forbidden, Invalid, NotFound
from workspace.models import Commit, Document, Folder, Grant, Reach, ReceiptKind
from workspace.queries import holders
from workspace.queries.folders import reachable
from workspace.services import audit, captures, commits, receipts
from workspace.services.idempotency import MOVE, once
from workspace.services.outcomes import Made

TREE_LOCK = 0x6261746F6E  # "baton"


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """What deleting a folder would take: the folders below it, the documents, the locations of the first of those.

    ``digest`` stands for the documents and the commit that each is at.
    """

    location: str
    folders: int
    documents: int
    first: tuple[str, ...]
    digest: str


def lock_tree() -> None:
    """Wait until nobody else changes the tree's shape; held to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TREE_LOCK])


def ensure(actor: Actor, names: Sequence[str]) -> tuple[Folder, list[Folder]]:
    """The folder at ``names``, locked, made with those above it where missing; and what was made.

    Needs editor on the deepest folder that exists. At the top level any person may make a folder, of which they
    become manager; an agent or job only where its scopes reach everywhere.
    """
    try:
        return access.folder(actor, location=locations.join(*names), need=Role.EDITOR, lock=True), []
    except NotFound:
        lock_tree()  # it may be missing; and whatever is missing now stays so until it is made
    paths = [locations.join(*names[:n]) for n in range(1, len(names) + 1)]
    above = Folder.objects.live().filter(path__in=paths)
    deepest = max(above, key=lambda folder: len(folder.lineage), default=None)
    if deepest is None:
        _refuse_top_level(actor)
    else:
        # Where the actor has no role in it, only the top tells what they may know of the way: whether the rest is
        # hidden or absent must not show.
        deepest = _held(actor, deepest.path, Role.EDITOR, known=paths[0])
    made: list[Folder] = []
    for name in names[len(deepest.lineage) if deepest else 0 :]:
        deepest = _make(actor, deepest, name)
        made.append(deepest)
    assert deepest is not None
    if made and actor.person is not None:
        _own(actor, made[0])
    return deepest, made


def _refuse_top_level(actor: Actor) -> None:
    if actor.person is None or (
        actor.scopes and not any(s.folder is None and s.document is None for s in actor.scopes)
    ):
        raise NotFound
    if actor.scopes and max(s.role for s in actor.scopes if s.folder is None and s.document is None) < Role.EDITOR:
        raise Forbidden("This agent may only read; this needs editor.", need=Role.EDITOR.label)


def _held(actor: Actor, location: str, need: Role, *, known: str = "") -> Folder:
    """As ``access.folder``, locked; ``Forbidden`` where it, or else ``known``, is on the way to something visible."""
    try:
        return access.folder(actor, location=location, need=need, lock=True)
    except NotFound:
        reachable(actor, known or location)
        raise Forbidden(f"You see this folder's name only; this needs {need.label}.", need=need.label) from None


def _make(actor: Actor, parent: Folder | None, name: str) -> Folder:
    twin = _twin(parent, name)
    if twin is not None:
        taken = locations.join(parent.path if parent else "", twin.name)
        if parent is None:
            # Somebody else's top-level folder: its name may not be told.
            access.folder(actor, location=taken)
        raise AlreadyExists(
            f"{taken} is there already, and names in one folder may not differ only in case or normalisation.",
            location=taken,
        )
    folder = Folder.objects.create(
        parent=parent,
        name=name,
        twin_key=locations.twin_key(name),
        path=locations.join(parent.path if parent else "", name),
        created_by_id=actor.person,
    )
    folder.lineage = [*(parent.lineage if parent else ()), folder.pk]
    folder.save(update_fields=["lineage"])
    receipts.record(actor, ReceiptKind.FOLDER_MADE, folder=folder)
    audit.record(actor, "folder.created", folder=folder)
    return folder


def _twin(parent: Folder | None, name: str, *, but: Folder | None = None) -> Folder | Document | None:
    """The live folder, ``but`` aside, or document in ``parent`` that has this name or a twin of it; one at most."""
    key = locations.twin_key(name)
    folders = Folder.objects.live().filter(parent=parent, twin_key=key)
    if but is not None:
        folders = folders.exclude(pk=but.pk)
    return folders.first() or (
        Document.objects.live().filter(folder=parent, twin_key=key).first() if parent is not None else None
    )


def _own(actor: Actor, folder: Folder) -> None:
    """Make the person manager of the folder they made, unless a grant makes them manager of one above it.

    Of an administrator too, who reaches it without a grant for as long only as they are one.
    """
    held = Folder.objects.with_role(Reach(replace(actor, admin=False))).get(pk=folder.pk)
    if (held.granted or 0) < Role.MANAGER:
        Grant.objects.create(folder=folder, person_id=actor.person, role=Role.MANAGER, created_by_id=actor.person)
        audit.record(
            actor,
            "grant.given",
            folder=folder,
            subject=actor.email,
            data={"role": Role.MANAGER.label, "by": "creation"},
        )


@transaction.atomic(durable=True)
def create(actor: Actor, *, location: str, idempotency_key: str | None = None) -> Made:
    """A new folder and those missing above it. Raises ``AlreadyExists`` when it is there."""
    names = locations.split(location)
    path = locations.join(*names)

    def act() -> Made:
        lock_tree()
        try:
            access.folder(actor, location=path)
        except NotFound:
            pass  # What is hidden goes the way of what is missing, and is refused after the same queries.
        else:
            raise AlreadyExists("This folder is there already.", location=path)
        if len(names) > 1:
            _refuse_document(actor, names)
        folder, made = ensure(actor, names)
        return _made(folder, made)

    return once(actor, "folders.create", idempotency_key, {"location": path}, act)


def _made(folder: Folder, made: Iterable[Folder] = ()) -> Made:
    return Made(id=folder.pk, location=folder.path, created_folders=tuple(f.path for f in made))


def _refuse_document(actor: Actor, names: Sequence[str]) -> None:
    """A folder cannot be made at or below a document."""
    for n in range(2, len(names) + 1):
        parent, name = locations.join(*names[: n - 1]), names[n - 1]
        if Document.objects.live().filter(folder__path=parent, name=name).visible_to(Reach(actor)).exists():
            raise AlreadyExists("A document has this name.", location=locations.join(parent, name))


@transaction.atomic(durable=True)
def move(
    actor: Actor,
    *,
    source: str,
    target: str,
    acknowledge_access_change: bool = False,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Made:
    """Move or rename a folder with all that is below it.

    Needs manager on the folder and editor where it goes (a rename in place needs editor only). Raises
    ``AccessChange`` where more people could read or share it there, unless acknowledged. A folder has no commits:
    ``message`` and ``reason`` go onto its receipt.
    """
    names = locations.split(target, field="to")
    path = locations.join(*locations.split(source, field="from"))
    notes = commits.notes({"message": message, "reason": reason})

    def act() -> Made:
        return _move(actor, path, names, acknowledge_access_change, notes)

    payload = {"from": source, "to": target, "kind": "folder", **notes}
    return once(actor, MOVE, idempotency_key, payload, act)


def _move(actor: Actor, path: str, names: Sequence[str], acknowledged: bool, notes: commits.Notes) -> Made:
    lock_tree()
    wanted = locations.join(*names)
    folder = access.folder(actor, location=path, need=Role.EDITOR, lock=True)
    if path == wanted:
        return _made(folder)
    if wanted.startswith(path + "/"):
        raise Invalid("to", "is inside the folder itself. Choose a place outside it.")
    made: list[Folder] = []
    parent: Folder | None = None
    if names[:-1] != locations.split(path)[:-1]:
        access.folder(actor, location=path, need=Role.MANAGER)
    if len(names) > 1:
        parent, made = ensure(actor, names[:-1])
    else:
        _refuse_top_level(actor)
    twin = _twin(parent, names[-1], but=folder)
    if twin is not None:
        if parent is None:
            # As when one is made there: somebody else's is answered as whatever is hidden.
            access.folder(actor, location=twin.name)
        raise AlreadyExists("This name is taken where it would go. Choose another.", location=wanted)
    lineage = [*(parent.lineage if parent else ()), folder.pk]
    if not acknowledged:
        refuse_widening(actor, folder.lineage, lineage)
    kept = len(folder.lineage)
    # Two entries, one where it left and one where it arrived: neither tells its managers of the other place.
    audit.record(actor.because(""), "folder.moved_away", folder=folder.parent_id, location=path)
    Folder.objects.filter(lineage__contains=[folder.pk]).update(
        path=Concat(Value(wanted), Substr("path", len(path) + 1), output_field=TextField()),
        lineage=Func(
            Value(lineage, output_field=Folder._meta.get_field("lineage")),
            Func(F("lineage"), template=f"(%(expressions)s)[{kept + 1}:]"),
            arg_joiner=" || ",
            template="(%(expressions)s)",
            output_field=Folder._meta.get_field("lineage"),
        ),
    )
    Folder.objects.filter(pk=folder.pk).update(parent=parent, name=names[-1], twin_key=locations.twin_key(names[-1]))
    folder.refresh_from_db()
    facts = {"from": path, "to": wanted} | ({"message": notes["message"]} if notes["message"] else {})
    receipts.record(actor, ReceiptKind.FOLDER_MOVED, folder=folder, reason=notes["reason"], data=facts)
    audit.record(actor, "folder.moved", folder=folder, reason=notes["reason"])
    return _made(folder, made)


@transaction.atomic(durable=True)
def settings(actor: Actor, *, location: str, retention_days: int | None) -> Made:
    """How long captures in a folder are kept, in days; None keeps them. Needs manager."""
    days = captures.retention(retention_days)
    folder = access.folder(actor, location=location, need=Role.MANAGER, lock=True)
    if folder.retention_days == days:
        return _made(folder)
    change = {"retention_days": [folder.retention_days, days]}
    folder.retention_days = days
    folder.save(update_fields=["retention_days"])
    audit.record(actor, "folder.settings_changed", folder=folder, data=change)
    return _made(folder)


@transaction.atomic(durable=True)
def deletion(actor: Actor, *, location: str, most: int = 100) -> Deletion:
    """What ``delete`` would take now, with the locations of at most ``most`` documents. Needs manager, as that does."""
    folder = _held(actor, location, Role.MANAGER)
    below = Folder.objects.live().filter(lineage__contains=[folder.pk])
    documents = Document.objects.live().filter(folder__in=below.values("pk"))
    heads = list(documents.order_by("pk").values_list("pk", "head_id"))
    first = documents.order_by("folder__path", "name").values_list("folder__path", "name")[:most]
    return Deletion(
        location=folder.path,
        folders=below.count() - 1,
        documents=len(heads),
        first=tuple(locations.join(*place) for place in first),
        digest=_digest(heads),
    )


def _digest(heads: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the ids and heads of documents, by id."""
    state = hashlib.sha256()
    for document, head in heads:
        state.update(f"{document}:{head};".encode())
    return state.hexdigest()


@transaction.atomic(durable=True)
def delete(actor: Actor, *, location: str, expected: str | None = None) -> int:
    """Delete a folder with all below it; each document gets a tombstone commit. Returns how many there were.

    ``expected`` is the digest of the ``Deletion`` that was decided upon; ``Invalid`` when it holds no more. Needs
    manager. ``documents.undelete`` brings a document back, with the folders above it.
    """
    lock_tree()
    folder = _held(actor, location, Role.MANAGER)
    # A new document takes its folder's lock and not the tree's: one that is being made is waited for.
    below = {
        row.pk: row
        for row in Folder.objects.select_for_update(no_key=True)
        .live()
        .filter(lineage__contains=[folder.pk])
        .order_by("path")
    }
    documents = list(
        Document.objects.select_for_update(no_key=True).live().filter(folder__in=list(below)).order_by("pk")
    )
    if expected is not None and expected != _digest((document.pk, document.head_id) for document in documents):
        raise Invalid("expected", "was given before something in the folder changed. Look again at what would go.")
    heads = Commit.objects.in_bulk([document.head_id for document in documents])
    for document in documents:
        document.folder, document.head = below[document.folder_id], heads[document.head_id]
        # Not which: who reads the document where it goes later may not know of the folder.
        commits.bury(actor, document, message="Delete with its folder")
    receipts.record(actor, ReceiptKind.FOLDER_DELETED, folder=folder, data={"documents": len(documents)})
    audit.record(actor, "folder.deleted", folder=folder, data={"documents": len(documents), "folders": len(below) - 1})
    Folder.objects.filter(pk__in=list(below)).update(deleted_at=timezone.now())
    return len(documents)


def revive(actor: Actor, folder: Folder) -> None:
    """Undo the deletion of a folder and of those above it; the tree is locked."""
    for row in Folder.objects.filter(pk__in=folder.lineage).exclude(deleted_at=None).order_by("path"):
        if Folder.objects.live().filter(parent_id=row.parent_id, twin_key=row.twin_key).exists():
            raise AlreadyExists("Another folder has its folder's name now. Rename that first.", location=row.path)
        row.deleted_at = None
        row.save(update_fields=["deleted_at"])
        audit.record(actor, "folder.undeleted", folder=row)


TAKEN = """
SELECT name FROM workspace_document
 WHERE folder_id = %(folder)s AND twin_key = %(key)s AND deleted_at IS NULL AND id <> %(but)s
UNION ALL
SELECT name FROM workspace_folder WHERE parent_id = %(folder)s AND twin_key = %(key)s AND deleted_at IS NULL
LIMIT 1
"""


def refuse_taken(folder: Folder, name: str, *, but: Document | None = None) -> None:
    """``AlreadyExists`` when a live document or folder in ``folder`` has this name or a twin of it."""
    with connection.cursor() as cursor:
        key = locations.twin_key(name)
        cursor.execute(TAKEN, {"folder": folder.pk, "key": key, "but": but.pk if but else ""})
        row = cursor.fetchone()
    if row is None:
        return
    taken = row[0]
    why = "This name is taken." if taken == name else f"It differs from {taken} only in case or normalisation."
    raise AlreadyExists(f"{why} Choose another name, or edit what is there.", location=f"{folder.path}/{taken}")


def refuse_widening(actor: Actor, before: Sequence[int], after: Sequence[int], *, document: str | None = None) -> None:
    """``AccessChange`` when somebody else has a higher role by the folders ``after`` than by those ``before``, through
    whatever groups, or when editors may share by ``after`` alone."""
    had, has = holders.subjects(before, after, document=document)
    gains = tuple(sorted(who for who, role in has.items() if role > had.get(who, 0) and who != actor.email))
    opens = _closed(before) and not _closed(after) and Role.EDITOR in has.values()
    if gains or opens:
        loses = tuple(sorted(w for w, role in had.items() if role > has.get(w, 0) and w != actor.email))
        raise AccessChange(gains=gains, loses=loses, opens_sharing=opens)


def _closed(lineage: Sequence[int]) -> bool:
    """Whether a manager turned sharing by editors off in one of these folders."""
    return Folder.objects.filter(pk__in=lineage, editors_share=False).exists()
