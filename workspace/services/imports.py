"""Files become documents, through the same writes as everything else.

A second import of the same files changes nothing. Each write says in its reason which file it was made from (by
its SHA-256), so that a file that did not change is left alone whatever people did to its document since, and one
that did is merged with what they wrote, upon the text of the import before.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role, Via
from workspace.errors import AlreadyExists, NotFound, Refusal
from workspace.merge import merge
from workspace.models import Blob, Commit, ConflictState, Document
from workspace.models import Conflict as ConflictRow
from workspace.services import commits, documents, folders, replay, texts
from workspace.services.documents.request import Replacement
from workspace.services.entries import Entry, Found, LeftOut, Unreadable, Version
from workspace.services.outcomes import Conflict, Merged, Outcome, Replayed, Saved, Unchanged

SESSION = "import"
_REASON = re.compile(r"Imported, (?:git ([0-9a-f]{40,64}), )?SHA-256 ([0-9a-f]{64})\Z")
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
    versions: int = 0
    """How many commits of a repository it was made from."""


@dataclass(kw_only=True)
class Before:
    """What earlier imports made of one file: its document, the last commit that holds a file's text as it was, the
    hash of the file that was imported last (at ``at``), and of the last one whose text reached the document."""

    document: str
    base: str
    hash: str
    since: str
    at: datetime
    versions: dict[str, str] = field(default_factory=dict)
    """By the id of a repository's commit, the document's commit that was made from it."""


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
    if entry.history is not None and (before is None or before.hash != digest):
        done = _replay(actor, entry, entry.history(), location, before)
        if done is not None:
            return done
    if before is None:
        return _create(actor, entry, location, content, digest, note)
    if before.hash == digest:
        return Result(name=entry.name, came=Came.UNCHANGED, location=location)
    document = access.document(actor, id=before.document, need=Role.EDITOR, deleted=True)
    if document.deleted_at:
        why = "was deleted here and has changed since. Undelete it to import the change."
        return Result(name=entry.name, came=Came.SKIPPED, location=location, why=why)
    return _update(actor, entry, document, content, before, note)


def _replay(actor: Actor, entry: Found, versions: list[Version], location: str, before: Before | None) -> Result | None:
    """Brings in the commits of a repository that are not here yet, each with its author, time and parents.

    None where that would not do: people wrote here since, so the file is merged as a whole; or nothing is new.
    """
    made = dict(before.versions) if before else {}
    document: str | None = None
    if before is not None:
        there = access.document(actor, id=before.document, need=Role.EDITOR, deleted=True)
        if there.deleted_at or there.head_id not in made.values():
            return None
        document, head = there.pk, there.head_id
    count = 0
    for version in versions:
        if version.id in made:
            continue
        try:
            content: str | None = version.read().decode("utf-8")
        except (Unreadable, UnicodeDecodeError):
            # Deleted for a while, or once no text: its neighbours tell the history without it.
            if version.parents and version.parents[0] in made:
                made[version.id] = made[version.parents[0]]
            continue
        assert content is not None
        digest = hashlib.sha256(content.encode()).hexdigest()
        parents = list(dict.fromkeys(made[p] for p in version.parents if p in made))[:2]
        try:
            outcome = replay.commit(
                actor,
                document=document,
                location=location,
                content=content,
                at=version.at,
                parents=parents,
                author="" if f"<{actor.email}>" in version.author.lower() else version.author,
                message=version.message,
                reason=f"Imported, git {version.id}, SHA-256 {digest}",
            )
        except AlreadyExists:
            return None
        document, head = outcome.document, outcome.commit
        made[version.id] = head
        count += 1
    if not count or document is None:
        return None
    came = Came.CREATED if before is None else Came.UPDATED
    return Result(name=entry.name, came=came, location=location, versions=count)


def _update(
    actor: Actor, entry: Found, document: Document, content: str, before: Before, note: dict[str, str]
) -> Result:
    """Writes what changed in the file since the last import into the document as it is now."""
    head = commits.text_of(document.head)
    last = Blob.objects.filter(pk=before.since).values_list("content", flat=True).first()
    made = merge(last, head, content) if last is not None else None
    text = made.text if made is not None else None
    where = location_of(document)
    asks = Replacement(on_conflict="merge", confirm_shrink=True, message=note["message"], reason=note["reason"])
    outcome: Outcome
    if made is not None and text not in (None, head, content):
        outcome = documents.merge_in(
            actor, location=where, merged=made, upon=before.base, expected_commit=document.head.pk, **asks
        )
    else:
        # What cannot be merged goes to the write path upon the last commit that holds a file's text as it was, and is
        # kept there as a conflict. Should somebody write meanwhile, either is merged once more, or kept.
        outcome = documents.edit(
            actor,
            location=where,
            content=content if text is None else text,
            expected_commit=before.base if text is None else document.head.pk,
            **asks,
        )
    match outcome:
        case Saved():
            came = Came.UPDATED
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
        if there.head.blob_id == digest:
            return Result(name=entry.name, came=Came.UNCHANGED, location=location)
        why = "is a document here already, with another text that no import wrote. Move one of them."
        return Result(name=entry.name, came=Came.SKIPPED, location=location, why=why)
    return Result(name=entry.name, came=Came.CREATED, location=location)


def _earlier(into: str) -> dict[str, Before]:
    """By the location that a file was imported to, what earlier imports made of it. Two queries."""
    found: dict[str, Before] = {}
    by_document: dict[str, Before] = {}
    commits = Commit.objects.filter(
        via=Via.COMMAND, session=SESSION, location__startswith=into + "/", reason__startswith="Imported, "
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
        known.hash = known.since = match[2]
        known.at = at
        if match[1]:
            known.versions[match[1]] = pk
        if blob == match[2]:
            # A merge holds more than the file did, so it cannot stand for the file.
            known.base = pk
    drafts = ConflictRow.objects.filter(via=Via.COMMAND, reason__startswith="Imported, ").order_by("created_at")
    for document, draft, state, at in drafts.values_list("document_id", "draft_id", "state", "created_at").iterator():
        known = by_document.get(document)
        if known is not None and at > known.at:
            known.hash, known.at = draft, at
            if state != ConflictState.OPEN:
                known.since = draft
    return found
