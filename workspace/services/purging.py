"""Letting go for good of what people deleted, and of records that have served their time.

Each batch is a transaction; stopped anywhere, the next run does the rest. What is purged cannot come back: a
document goes with its whole history, its drafts and its index, and one receipt says that it did.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from workspace.access import require_admin
from workspace.actor import Actor
from workspace.models import (
    Agent,
    AgentScope,
    AgentToken,
    Blob,
    Capture,
    Chunk,
    Commit,
    Conflict,
    ConflictState,
    Document,
    Draft,
    Grant,
    Job,
    JobState,
    Receipt,
    ReceiptKind,
    SignInLink,
)
from workspace.services import audit, audit_retention, idempotency, receipts

DOCUMENTS_AT_ONCE = 20
ROWS_AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Purgeable:
    """How much a purge would let go."""

    documents: int
    records: int


def extent(*, before: datetime) -> Purgeable:
    """Counts of documents deleted before ``before``, and of records past their use."""
    records = sum(rows.count() for rows in _records(before)) + audit_retention.expired()
    return Purgeable(documents=_deleted(before).count(), records=records)


def documents(actor: Actor, *, before: datetime) -> Iterator[int]:
    """Purges documents that were deleted before ``before``; gives the size of each batch. Administrators only."""
    require_admin(actor)
    while True:
        with transaction.atomic():
            rows = _deleted(before).select_related("folder").select_for_update(of=("self",))
            batch = list(rows.order_by("pk")[:DOCUMENTS_AT_ONCE])
            for document in batch:
                _purge(actor, document)
        if not batch:
            return
        yield len(batch)


def records(actor: Actor, *, before: datetime) -> Iterator[int]:
    """Purges expired keys, sessions and links, finished jobs, and what the audit log kept for its time; gives the size
    of each batch."""
    require_admin(actor)
    for rows in _records(before):
        while True:
            batch = list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE])
            if not batch:
                break
            with transaction.atomic():
                rows.model._default_manager.filter(pk__in=batch).delete()
                facts = {"kind": rows.model._meta.model_name, "count": len(batch)}
                audit.record(actor, "records.purged", data=facts)
            yield len(batch)
    while count := audit_retention.purge(actor):
        yield count


def sessions(*, limit: int = ROWS_AT_ONCE) -> int:
    """Forgets up to ``limit`` browser sessions that have ended by themselves; returns how many."""
    ended = Session.objects.filter(expire_date__lt=timezone.now())
    count, _ = ended.filter(pk__in=list(ended.order_by("expire_date").values_list("pk", flat=True)[:limit])).delete()
    return count


def drafts(actor: Actor, *, limit: int = ROWS_AT_ONCE) -> int:
    """Lets up to ``limit`` conflicts go that were discarded more than ``BATON_CONFLICT_DAYS`` ago, with their drafts
    and receipts; returns how many. The audit log says that they did. With 0 days none goes."""
    if not settings.BATON_CONFLICT_DAYS:
        return 0
    before = timezone.now() - timedelta(days=settings.BATON_CONFLICT_DAYS)
    rows = Conflict.objects.filter(state=ConflictState.DISCARDED, closed_at__lt=before)
    try:
        with transaction.atomic():
            # Another sweep takes others.
            locked = rows.select_for_update(of=("self",), skip_locked=True).select_related("document__folder")
            batch = list(locked.order_by("closed_at")[:limit])
            for row in batch:
                audit.record(actor, "conflict.purged", document=row.document, data={"conflict": row.pk})
            gone = [row.pk for row in batch]
            Conflict.objects.filter(pk__in=gone).delete()
            _drop_unused({row.draft_id for row in batch})
    except IntegrityError:
        # Somebody wrote the very text of a draft meanwhile, so it is in use again; the next round knows.
        return 0
    return len(batch)


def _deleted(before: datetime) -> "QuerySet[Document]":
    return Document.objects.filter(deleted_at__lt=before)


def _records(before: datetime) -> list["QuerySet[Any]"]:
    now = timezone.now()
    return [
        idempotency.expired(),
        Session.objects.filter(expire_date__lt=now),
        SignInLink.objects.filter(Q(expires_at__lt=before) | Q(used_at__lt=before)),
        Job.objects.filter(state=JobState.DONE, finished_at__lt=before),
    ]


def _purge(actor: Actor, document: Document) -> None:
    history = Commit.objects.filter(document=document)
    blobs = set(history.values_list("blob", flat=True))
    drafts = Conflict.objects.filter(document=document)
    blobs |= set(drafts.values_list("draft", flat=True))
    gone = {"document": document.pk, "commits": document.number}
    _end_agents_of(actor, document)
    AgentScope.objects.filter(document=document).delete()
    Capture.objects.filter(handed_off__document=document).update(handed_off=None)
    Receipt.objects.filter(
        Q(document=document) | Q(commit__document=document) | Q(conflict__document=document)
    ).delete()
    Chunk.objects.filter(Q(document=document) | Q(commit__document=document)).delete()
    Grant.objects.filter(document=document).delete()
    Draft.objects.filter(document=document).delete()
    Job.objects.filter(document=document).delete()
    Document.objects.filter(pk=document.pk).update(indexed_commit=None)
    drafts.delete()
    # Commits name each other as parents, which the ORM will not delete together; the database checks at the end.
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(Commit._meta.db_table)
        cursor.execute(f"DELETE FROM {table} WHERE document_id = %s", [document.pk])
    audit.record(actor, "document.purged", document=document, data={"commits": document.number})
    document.delete()
    _drop_unused(blobs)
    receipts.record(actor, ReceiptKind.ERASED, data=gone)


def _end_agents_of(actor: Actor, document: Document) -> None:
    """Ends agents that were narrowed to this document alone: with no scope left they would reach everything."""
    other = AgentScope.objects.filter(agent=OuterRef("pk")).exclude(document=document)
    alone = Agent.objects.filter(
        Exists(AgentScope.objects.filter(agent=OuterRef("pk"), document=document)), ~Exists(other)
    )
    now = timezone.now()
    ended = list(alone.values_list("pk", flat=True))
    AgentToken.objects.filter(agent__in=ended, revoked_at=None).update(revoked_at=now)
    Agent.objects.filter(pk__in=ended, revoked_at=None).update(revoked_at=now)
    for agent in ended:
        audit.record(actor, "agent.revoked", subject=agent, data={"agent": agent, "by": "purge"})


def _drop_unused(hashes: set[str]) -> None:
    """Deletes texts that nothing else holds. A write of the very same text at this moment is refused by the
    database and may be repeated; what was acknowledged keeps its text."""
    Blob.objects.filter(
        ~Exists(Commit.objects.filter(blob=OuterRef("pk"))),
        ~Exists(Conflict.objects.filter(draft=OuterRef("pk"))),
        pk__in=hashes,
    ).delete()
