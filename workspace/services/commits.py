"""Commits: append-only, content-addressed, one for each accepted write."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict

from django.utils import timezone

from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.merge import Decision
from workspace.models import Blob, Commit, CommitKind, Document, JobKind
from workspace.queries import decisions as settled
from workspace.queries import named as finding
from workspace.services import audit, jobs, texts
from workspace.services.texts import Text

ACTIONS: Mapping[str, str] = {
    CommitKind.CREATE: "document.created",
    CommitKind.EDIT: "document.edited",
    CommitKind.MERGE: "document.merged",
    CommitKind.RESOLVE: "conflict.resolved",
    CommitKind.MOVE: "document.moved",
    CommitKind.DELETE: "document.deleted",
    CommitKind.UNDELETE: "document.undeleted",
    CommitKind.RESTORE: "document.restored",
}
"""What the audit log calls each kind of commit."""


class Notes(TypedDict):
    """What a commit says of itself: what was changed, and why."""

    message: str
    reason: str


def notes(given: Mapping[str, Any]) -> Notes:
    """The checked ``message`` and ``reason`` among ``given``, empty where missing. Raises ``Invalid``."""
    return Notes(
        message=texts.note(given.get("message", ""), field="message"),
        reason=texts.note(given.get("reason", ""), field="reason"),
    )


def canonical(commit: Commit) -> bytes:
    """The bytes whose SHA-256 is the commit's id: compact JSON with sorted keys, in UTF-8."""
    return json.dumps(
        {
            "v": 1,
            "document": commit.document_id,
            "parents": commit.parents,
            "content": commit.blob_id,
            "kind": commit.kind,
            "location": commit.location,
            "author": commit.author_id,
            "agent": commit.agent_id,
            "job": commit.job,
            "imported_author": commit.imported_author,
            "time": commit.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
            "message": commit.message,
            "reason": commit.reason,
        },
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    ).encode()


def identify(commit: Commit) -> str:
    """The id that the commit's own fields give it."""
    return hashlib.sha256(canonical(commit)).hexdigest()


def store(text: Text) -> None:
    """Keep ``text`` as a blob; storing it again is harmless."""
    Blob.objects.bulk_create(
        [Blob(hash=text.hash, content=text.content, size=text.size, lines=text.lines)], ignore_conflicts=True
    )


def record(
    actor: Actor,
    document: Document,
    *,
    kind: CommitKind,
    text: Text | None,
    parents: Iterable[str] = (),
    message: str = "",
    reason: str = "",
    merge_version: int | None = None,
    decisions: Iterable[Decision] = (),
    created_at: datetime | None = None,
    imported_author: str = "",
) -> Commit:
    """Append a commit to a document whose row is locked, or not saved yet, and make it the head.

    ``text`` None keeps the head's text (a move, a delete). ``decisions`` are what the merge of ``merge_version``
    settled beyond lines. Writes the receipt, the entry of the audit log and the index job as well.
    """
    parents = list(parents)
    commit = Commit(
        document=document,
        number=document.number + 1,
        parent_id=parents[0] if parents else None,
        merged_parent_id=parents[1] if len(parents) > 1 else None,
        blob_id=text.hash if text else document.head.blob_id,
        kind=kind,
        location=location_of(document),
        author_id=actor.person,
        agent_id=actor.agent,
        job=actor.job,
        via=actor.via,
        session=actor.session,
        message=texts.note(message, field="message"),
        reason=texts.note(reason or actor.reason, field="reason"),
        imported_author=imported_author,
        created_at=created_at or timezone.now(),
        merge_version=merge_version,
        decisions=settled.stored(decisions),
    )
    commit.id = identify(commit)
    if text:
        store(text)
        for fact, value in texts.facts(text.content, name=document.name).items():
            setattr(document, fact, value)
    document.head = commit
    document.number = commit.number
    document.updated_at = commit.created_at
    document.save()
    Commit.objects.bulk_create([commit])
    audit.written(actor, ACTIONS[kind], document, commit)
    jobs.enqueue(JobKind.INDEX, document.pk, folder=document.folder, document=document)
    return commit


def bury(actor: Actor, document: Document, *, message: str = "", reason: str = "") -> Commit:
    """The tombstone commit of a locked document; the caller checked access."""
    commit = record(
        actor,
        document,
        kind=CommitKind.DELETE,
        text=None,
        parents=[document.head_id],
        message=message,
        reason=reason,
    )
    document.deleted_at = commit.created_at
    document.save(update_fields=["deleted_at"])
    return commit


def named(document: Document, name: object, *, field: str = "expected_commit") -> Commit:
    """The commit of ``document`` called ``name``, whole or by at least 7 hex characters. Raises ``Invalid``."""
    if name == document.head_id:
        return document.head
    found = finding.commit(Commit.objects.filter(document=document), name, field=field)
    if found is None:
        raise Invalid(field, "is no commit of this document. Read it again to get the current one.")
    return found


def text_of(commit: Commit) -> str:
    """The whole text of a commit; one query."""
    return Blob.objects.values_list("content", flat=True).get(pk=commit.blob_id)
