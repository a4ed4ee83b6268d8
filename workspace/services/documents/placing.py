"""Where a document is and whether it is: moving, deleting, undeleting, and going back to an earlier text."""

from typing import Unpack

from django.db import transaction

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import AlreadyExists, NotFound
from workspace.models import CommitKind, Document
from workspace.services import audit, commits, folders, texts
from workspace.services.documents import shrinking
from workspace.services.documents.request import Guarded, Request, stale, written
from workspace.services.idempotency import MOVE, once
from workspace.services.outcomes import Conflict, Replayed, Saved, Unchanged


@transaction.atomic(durable=True)
def move(
    actor: Actor,
    *,
    source: str,
    target: str,
    acknowledge_access_change: bool = False,
    **request: Unpack[Guarded],
) -> Saved | Unchanged | Replayed | Conflict:
    """Give a document the location ``target``; missing folders are made. Its id and history stay.

    Needs editor on the document and on the target folder. Where more people could read it there, raises
    ``AccessChange`` unless acknowledged. Raises also ``NotFound``, ``Forbidden``, ``Gone``, ``AlreadyExists`` and
    ``Invalid``.
    """
    names, name = locations.split_document(target, field="to")
    expected, notes = request.get("expected_commit"), commits.notes(request)

    def act() -> Saved | Unchanged | Conflict:
        folders.lock_tree()
        document = access.document(actor, location=source, need=Role.EDITOR, lock=True)
        if moved_on := stale(document, expected):
            return moved_on
        if location_of(document) == locations.join(*names, name):
            return written(Unchanged, document, document.head)
        folder, made = folders.ensure(actor, names)
        folders.refuse_taken(folder, name, but=document)
        if not acknowledge_access_change:
            folders.refuse_widening(actor, document.folder.lineage, folder.lineage, document=document.pk)
        # Two entries, one where it left and one where it arrived: neither tells its managers of the other place.
        audit.record(actor.because(""), "document.moved_away", document=document)
        document.folder = folder
        document.name = name
        document.twin_key = locations.twin_key(name)
        commit = commits.record(actor, document, kind=CommitKind.MOVE, text=None, parents=[document.head_id], **notes)
        return written(Saved, document, commit, made)

    payload = {"from": source, "to": target, "expected": expected, **notes}
    return once(actor, MOVE, request.get("idempotency_key"), payload, act)


@transaction.atomic(durable=True)
def delete(actor: Actor, *, location: str, **request: Unpack[Guarded]) -> Saved | Replayed | Conflict:
    """Delete by a tombstone commit; ``undelete`` takes it back. Needs editor."""
    expected, notes = request.get("expected_commit"), commits.notes(request)

    def act() -> Saved | Conflict:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        if moved_on := stale(document, expected):
            return moved_on
        return written(Saved, document, commits.bury(actor, document, **notes))

    payload = {"location": location, "expected": expected, **notes}
    return once(actor, "documents.delete", request.get("idempotency_key"), payload, act)


@transaction.atomic(durable=True)
def undelete(actor: Actor, *, location: str, **request: Unpack[Request]) -> Saved | Replayed:
    """Bring back the document that was last deleted at ``location``, and the folders above it. Needs editor."""
    notes = commits.notes(request)

    def act() -> Saved:
        folders.lock_tree()
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True, deleted=True)
        if document.deleted_at is None:
            raise AlreadyExists("A document is there, so nothing was undeleted.", location=location)
        folders.revive(actor, document.folder)
        _refuse_taken(actor, document)
        document.deleted_at = None
        commit = commits.record(
            actor, document, kind=CommitKind.UNDELETE, text=None, parents=[document.head_id], **notes
        )
        return written(Saved, document, commit)

    payload = {"location": location, **notes}
    return once(actor, "documents.undelete", request.get("idempotency_key"), payload, act)


def _refuse_taken(actor: Actor, document: Document) -> None:
    """``AlreadyExists`` where its name is taken now; who sees this document alone learns no other's name."""
    try:
        folders.refuse_taken(document.folder, document.name, but=document)
    except AlreadyExists:
        try:
            access.folder(actor, location=document.folder.path)
        except NotFound:
            why = "Its name is taken now. Ask somebody who sees its folder to rename what is there."
            raise AlreadyExists(why, location=location_of(document)) from None
        raise


@transaction.atomic(durable=True)
def restore(
    actor: Actor, *, location: str, commit: str, confirm_shrink: bool = False, **request: Unpack[Guarded]
) -> Saved | Unchanged | Replayed | Conflict:
    """Make the text of an earlier ``commit`` the head again, by a new commit. Needs editor.

    One that is all but nothing of what is there is ``Invalid`` unless ``confirm_shrink`` (``shrinking``).
    """
    expected, notes = request.get("expected_commit"), commits.notes(request)

    def act() -> Saved | Unchanged | Conflict:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        earlier = commits.named(document, commit, field="commit")
        if moved_on := stale(document, expected):
            return moved_on
        if earlier.blob_id == document.head.blob_id:
            return written(Unchanged, document, document.head)
        text = texts.check(commits.text_of(earlier))
        # A job has nobody to ask.
        if not confirm_shrink and not actor.job:
            shrinking.refuse(commits.text_of(document.head), text.content)
        done = commits.record(
            actor,
            document,
            kind=CommitKind.RESTORE,
            text=text,
            parents=[document.head_id],
            message=notes["message"] or f"Restore {earlier.pk[:8]}",
            reason=notes["reason"],
        )
        return written(Saved, document, done)

    payload = {"location": location, "commit": commit, "expected": expected, **notes}
    return once(actor, "documents.restore", request.get("idempotency_key"), payload, act)
