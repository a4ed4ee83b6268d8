"""Files become documents, through the same writes as everything else.

A second import of the same files changes nothing. Each write says in its reason which file it was made from (by
its SHA-256), so that a file that did not change is left alone whatever people did to its document since, and one
that did is merged with what they wrote, upon the text of the import before.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role, Via
from workspace.errors import AlreadyExists, NotFound, Refusal
from workspace.merge import merge
from workspace.models import Blob, Commit, ConflictState, Document
from workspace.models import Conflict as ConflictRow
from workspace.services import commits, documents, folders, texts
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved, Unchanged
from workspace.services.sources import Entry, Found, LeftOut, Unreadable

SESSION = "import"
_REASON = re.compile(r"Imported, SHA-256 ([0-9a-f]{64})\Z")
LONGEST_NAME = 300


class Came(StrEnum):
    """What came of one file."""

    CREATED = "created"
    UPDATED = "updated"
    MERGED = "merged"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One file of the source: what came of it, where it is, and why not where it was skipped."""

    name: str
    came: Came
    location: str = ""
    why: str = ""
    expected: bool = False


@dataclass(kw_only=True)
class Before:
    """What earlier imports made of one file: its document, the last commit that holds a file's text as it was, the
    hash of the file that was imported last (at ``at``), and of the last one whose text reached the document."""

    document: str
    base: str
    hash: str
    since: str
    at: datetime


def run(actor: Actor, *, entries: Iterable[Entry], into: str) -> Iterator[Result]:
    """Imports each entry into the folder ``into``, which is made where it is missing, and tells what came of it.

    Every file is a transaction of its own: stopped half-way, all that was told of is kept, and a second run does
    the rest. Raises ``NotFound``, ``Forbidden`` or ``Invalid`` for the folder; what is refused of a file is told.
    """
    into = locations.join(*locations.split(into, field="into"))
    actor = replace(actor, session=SESSION)
    _enter(actor, into)
    before = _earlier(into)
    for entry in entries:
        if isinstance(entry, LeftOut):
            yield Result(name=entry.name, came=Came.SKIPPED, why=entry.why, expected=entry.expected)
            continue
        location = locations.join(into, *entry.path)
        try:
            yield _one(actor, entry, location, before.get(location))
        except Unreadable as reason:
            yield Result(name=entry.name, came=Came.SKIPPED, why=str(reason))
        except Refusal as refusal:
            yield Result(name=entry.name, came=Came.SKIPPED, why=refusal.detail)


def _enter(actor: Actor, into: str) -> None:
    try:
        access.folder(actor, location=into, need=Role.EDITOR)
    except NotFound:
        folders.create(actor, location=into)


def _one(actor: Actor, entry: Found, location: str, before: Before | None) -> Result:
    data = entry.read()
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 (byte {error.start:,}).") from None
    digest = hashlib.sha256(data).hexdigest()
    note = {
        "message": f"Import {entry.name}"[:LONGEST_NAME],
        "reason": f"Imported, SHA-256 {digest}",
    }
    if before is None:
        return _create(actor, entry, location, content, digest, note)
    if before.hash == digest:
        return Result(name=entry.name, came=Came.UNCHANGED, location=location)
    document = access.document(actor, id=before.document, need=Role.EDITOR, deleted=True)
    if document.deleted_at:
        why = "was deleted here and has changed since. Undelete it to import the change."
        return Result(name=entry.name, came=Came.SKIPPED, location=location, why=why)
    return _update(actor, entry, document, content, before, note)


def _update(
    actor: Actor, entry: Found, document: Document, content: str, before: Before, note: dict[str, str]
) -> Result:
    """Writes what changed in the file since the last import into the document as it is now."""
    assert document.head is not None
    head = commits.text_of(document.head)
    last = Blob.objects.filter(pk=before.since).values_list("content", flat=True).first()
    merged = merge(last, head, content).text if last is not None else None
    # What cannot be merged goes to the write path upon the last commit that holds a file's text as it was, and is
    # kept there as a conflict. Should somebody write meanwhile, either is merged once more, or kept.
    outcome = documents.edit(
        actor,
        location=location_of(document),
        content=content if merged is None else merged,
        expected_commit=before.base if merged is None else document.head.pk,
        on_conflict="merge",
        **note,
    )
    match outcome:
        case Saved():
            came = Came.UPDATED if merged in (None, content) else Came.MERGED
        case Merged():
            came = Came.MERGED
        case Conflict():
            came = Came.CONFLICT
        case Unchanged() | Replayed():
            came = Came.UNCHANGED
    if came is Came.MERGED:
        # No commit holds the file's own text, and the next import merges upon it.
        commits.store(texts.check(content))
    return Result(name=entry.name, came=came, location=outcome.location)


def _create(actor: Actor, entry: Found, location: str, content: str, digest: str, note: dict[str, str]) -> Result:
    try:
        documents.create(actor, location=location, content=content, **note)
    except AlreadyExists as refusal:
        try:
            there = access.document(actor, location=location)
        except Refusal:
            raise refusal from None
        if there.head is not None and there.head.blob_id == digest:
            return Result(name=entry.name, came=Came.UNCHANGED, location=location)
        why = "is a document here already, with another text that no import wrote. Move one of them."
        return Result(name=entry.name, came=Came.SKIPPED, location=location, why=why)
    return Result(name=entry.name, came=Came.CREATED, location=location)


def _earlier(into: str) -> dict[str, Before]:
    """By the location that a file was imported to, what earlier imports made of it. Two queries."""
    found: dict[str, Before] = {}
    by_document: dict[str, Before] = {}
    commits = Commit.objects.filter(
        via=Via.COMMAND, session=SESSION, location__startswith=into + "/", reason__startswith="Imported, SHA-256 "
    ).order_by("recorded_at", "number")
    rows = commits.values_list("document_id", "location", "pk", "blob_id", "reason", "recorded_at")
    for document, location, pk, blob, reason, at in rows.iterator():
        match = _REASON.match(reason)
        if not match:
            continue
        known = by_document.get(document)
        if known is None:
            known = Before(document=document, base=pk, hash="", since="", at=at)
            found[location] = by_document[document] = known
        known.hash = known.since = match[1]
        known.at = at
        if blob == match[1]:
            # A merge holds more than the file did, so it cannot stand for the file.
            known.base = pk
    drafts = ConflictRow.objects.filter(via=Via.COMMAND, reason__startswith="Imported, SHA-256 ").order_by("created_at")
    for document, draft, state, at in drafts.values_list("document_id", "draft_id", "state", "created_at").iterator():
        known = by_document.get(document)
        if known is not None and at > known.at:
            known.hash, known.at = draft, at
            if state != ConflictState.OPEN:
                known.since = draft
    return found
