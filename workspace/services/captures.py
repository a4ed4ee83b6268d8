"""Captures: what an agent saved of its session, kept in a folder until it is erased or its time is up.

The derived text follows: a summary is made of each, and the summaries of a folder's captures are woven into
its HANDOFF.md. When a capture goes, its summary goes with it and the page is woven again. The page's earlier
commits, like every history, still hold the lines as they were.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import DurationField, ExpressionWrapper, F, Q
from django.db.models.functions import Now
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.digest.redact import redact
from workspace.errors import Forbidden, IdempotencyMismatch, Invalid, NotFound
from workspace.models import Capture, Folder, JobKind, ReceiptKind, Summary
from workspace.services import audit, jobs, receipts, texts

MAX_BYTES = 16 * 1024
MAX_OPERATION_ID = 255
MAX_RETENTION_DAYS = 36_500
ABSENT = "-"


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A capture that is on disk. ``redactions`` counts the secrets taken out of it, by kind; ``replayed`` says
    that this operation_id had brought it before."""

    id: str
    folder: str
    redactions: dict[str, int]
    created_at: datetime
    replayed: bool = False


def commit(
    actor: Actor,
    *,
    folder: str,
    content: str,
    operation_id: str,
    host: str = "",
    session: str = "",
    event: str = "",
    retention_days: int | None = None,
) -> Captured:
    """Keeps ``content`` in ``folder``, secrets redacted, and enqueues its summary.

    ``operation_id`` is the retry identity of this actor: the same one with the same folder and content gives
    the same capture again; with others it is refused. ``retention_days`` may shorten the folder's retention.
    Needs editor. Raises NotFound, Forbidden, Invalid, TooLarge, IdempotencyMismatch("operation_id").
    """
    texts.check(content, limit=MAX_BYTES)
    if not content.strip():
        raise Invalid("content", "is empty. Say what was asked, decided, tried, changed and left open.")
    operation_id = texts.word(operation_id, field="operation_id", limit=MAX_OPERATION_ID)
    if not operation_id:
        raise Invalid("operation_id", "is empty. Give each capture its own, and repeat that on a retry.")
    host, session, event = (
        texts.word(value, field=field, limit=limit)
        for value, field, limit in ((host, "host", 64), (session, "session", 200), (event, "event", 64))
    )
    days = retention(retention_days)
    redacted = redact(content)
    with transaction.atomic(durable=True):
        place = access.folder(actor, location=folder, need=Role.EDITOR)
        now = timezone.now()
        keep = [d for d in (days, place.retention_days) if d is not None]
        row = Capture(
            folder=place,
            content=redacted.text,
            # Of the redacted text: a digest of the raw one would let a short secret be guessed from it.
            digest=_digest(place.pk, redacted.text),
            redactions=dict(redacted.counts),
            host=host or actor.host[:64],
            session=session or actor.session[:200],
            event=event,
            principal=actor.principal,
            operation_id=operation_id,
            author_id=actor.person,
            agent_id=actor.agent,
            via=actor.via.value,
            created_at=now,
            delete_after=now + timedelta(days=min(keep)) if keep else None,
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            return _replay(actor, row)
        for kind in (ReceiptKind.CAPTURED, ReceiptKind.ACKNOWLEDGED):
            receipts.record(actor, kind, folder=place, capture=row)
        audit.record(actor, "capture.created", folder=place, data={"capture": row.pk, "redactions": row.redactions})
        jobs.enqueue(JobKind.SUMMARISE, row.pk, folder=place)
    return _captured(row, place)


def _captured(row: Capture, folder: Folder, *, replayed: bool = False) -> Captured:
    return Captured(
        id=row.pk,
        folder=folder.path,
        redactions=dict(row.redactions),
        created_at=row.created_at,
        replayed=replayed,
    )


def _replay(actor: Actor, again: Capture) -> Captured:
    first = Capture.objects.select_related("folder").get(principal=actor.principal, operation_id=again.operation_id)
    if first.digest != again.digest:
        raise IdempotencyMismatch("operation_id")
    return _captured(first, first.folder, replayed=True)


def _digest(folder: int, content: str) -> str:
    return hashlib.sha256(json.dumps([folder, content]).encode()).hexdigest()


def retention(value: object) -> int | None:
    """``retention_days`` as it is given: whole days, or None for no end. Raises ``Invalid``."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_RETENTION_DAYS:
        raise Invalid("retention_days", f"must be a whole number from 1 to {MAX_RETENTION_DAYS:,}.")
    return value


@transaction.atomic(durable=True)
def erase(actor: Actor, *, capture: str) -> None:
    """Empties a capture and deletes its summary; its lines leave HANDOFF.md by the next consolidation. That
    it was there, and its receipts, stay. Erasing it again changes nothing. Raises NotFound, Forbidden."""
    row = Capture.objects.select_related("folder").filter(pk=capture).first()
    # What is hidden takes the same queries as what never was.
    place = access.folder(actor, location=row.folder.path if row else ABSENT)
    if row is None or place.pk != row.folder_id:
        raise NotFound
    if not row.erasable_by(actor, place.role):
        need = Role.EDITOR if row.author_id == actor.person else Role.MANAGER
        raise Forbidden(f"You are {place.role.label} here; erasing this needs {need.label}.", need=need.label)
    _empty(actor, row)


def _empty(actor: Actor, capture: Capture) -> None:
    row = Capture.objects.select_for_update(no_key=True).get(pk=capture.pk)
    if row.deleted_at is not None:
        return
    Summary.objects.filter(capture=row).delete()
    Capture.objects.filter(pk=row.pk).update(content="", deleted_at=timezone.now())
    receipts.record(actor, ReceiptKind.ERASED, folder=row.folder_id, capture=row)
    audit.record(actor, "capture.erased", folder=row.folder_id, data={"capture": row.pk})
    jobs.enqueue(JobKind.CONSOLIDATE, row.folder_id, folder=row.folder_id)


def _over() -> tuple[Q, Q]:
    """Captures whose own retention is over, and those whose folder's is; in deleted folders too.

    Two conditions, since with an OR over a join no index would serve the sweep, which asks every few seconds.
    """
    age = ExpressionWrapper(F("folder__retention_days") * timedelta(days=1), output_field=DurationField())
    return Q(delete_after__lte=Now()), Q(folder__retention_days__isnull=False, created_at__lte=Now() - age)


def enqueue_due(*, limit: int = 100) -> int:
    """A job for each of up to ``limit`` captures whose retention is over; returns how many."""
    over: dict[str, int] = {}
    for condition in _over():
        rows = Capture.objects.filter(condition, deleted_at=None).order_by("created_at", "pk")
        over |= dict(rows.values_list("pk", "folder_id")[: limit - len(over)])
    with transaction.atomic():
        for capture, folder in over.items():
            jobs.enqueue(JobKind.RETAIN, capture, folder=folder)
    return len(over)


def retain(capture: str) -> None:
    """Erases a capture whose retention is over, as an actor of its own; any other is left alone. Runs inside
    the caller's transaction."""
    own, of_folder = _over()
    row = Capture.objects.filter(own | of_folder, pk=capture, deleted_at=None).first()
    if row is not None:
        _empty(Actor.for_job("retention", scopes=(), reason="Its retention is over."), row)
