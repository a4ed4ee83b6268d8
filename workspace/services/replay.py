"""Bringing in history that was made elsewhere: commits with the authors, times and parents they had there.

For imports, by commands only: no surface lets its caller choose a time. ``recorded_at`` tells when the row was
really written, and ``via`` by what.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Invalid
from workspace.models import Commit, CommitKind, Document
from workspace.services import commits, folders, texts
from workspace.services.outcomes import Saved, Unchanged

AUTHOR = 300


@transaction.atomic(durable=True)
def commit(
    actor: Actor,
    *,
    content: str | None,
    at: datetime,
    location: str = "",
    document: str | None = None,
    parents: Sequence[str] | None = None,
    author: str = "",
    message: str = "",
    reason: str = "",
) -> Saved | Unchanged:
    """Appends a commit dated ``at`` to ``document``, or begins a new document at ``location``.

    ``content`` None is a deletion; text after one brings the document back. ``parents`` are ids of its earlier
    commits, the head alone where left out; ``author`` is ``NAME <ADDRESS>`` where that is not the actor. What
    equals its only parent is no commit. Needs editor; raises as ``documents.create`` and ``documents.edit``.
    """
    if at > timezone.now():
        raise Invalid("at", "lies in the future.")
    author = texts.check(author, field="author").content[:AUTHOR]
    text = None if content is None else texts.check(content)
    found = None
    if document is not None:
        # The tree first, then the document: the order in which everything takes these locks.
        folders.lock_tree()
        found = access.document(actor, id=document, need=Role.EDITOR, lock=True, deleted=True)
    row = found or _begin(actor, location)
    if found is None and text is None:
        raise Invalid("content", "is missing: a document cannot begin with its deletion.")
    named = [commits.named(row, parent, field="parents") for parent in (parents or ())]
    if found is not None and not named:
        named = [row.head]
    kind = _kind(row, named, text is None, new=found is None)
    if found is not None and _adds_nothing(row, named, text):
        return Unchanged(
            document=row.pk, location=location_of(row), commit=row.head.pk, parents=tuple(row.head.parents)
        )
    if kind is CommitKind.UNDELETE:
        folders.revive(actor, row.folder)
        folders.refuse_taken(row.folder, row.name, but=row)
    row.deleted_at = at if text is None else None
    done = commits.record(
        actor,
        row,
        kind=kind,
        text=text,
        parents=[parent.pk for parent in named],
        message=message,
        reason=reason,
        created_at=at,
        imported_author=author,
    )
    return Saved(document=row.pk, location=location_of(row), commit=done.pk, parents=tuple(done.parents))


def _begin(actor: Actor, location: str) -> Document:
    names, name = locations.split_document(location)
    folder, _ = folders.ensure(actor, names)
    folders.refuse_taken(folder, name)
    return Document(folder=folder, name=name, twin_key=locations.twin_key(name))


def _kind(row: Document, parents: Sequence[Commit], deletion: bool, *, new: bool) -> CommitKind:
    if new:
        return CommitKind.CREATE
    if deletion:
        return CommitKind.DELETE
    if row.deleted_at is not None:
        return CommitKind.UNDELETE
    return CommitKind.MERGE if len(parents) > 1 else CommitKind.EDIT


def _adds_nothing(row: Document, parents: Sequence[Commit], text: texts.Text | None) -> bool:
    if len(parents) > 1 or parents[0].pk != row.head_id:
        return False
    if text is None:
        return row.deleted_at is not None
    return row.deleted_at is None and text.hash == parents[0].blob_id
