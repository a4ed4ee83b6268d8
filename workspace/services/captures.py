"""Captures: what an agent saved of its session, kept in a folder until it is erased or its time is up.

The derived text follows: a summary is made of each, and the summaries of a folder's captures are woven into
its HANDOFF.md. When a capture goes, its summary goes with it and the page is woven again. The page's earlier
commits, like every history, still hold the lines as they were.

A capture that is only proposed is nobody's but its author's: no job, receipt or entry that others see tells of it
until the author approves it. Declining erases it.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import DurationField, ExpressionWrapper, F, Q
from django.db.models.functions import Now
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role, Via
from workspace.digest.redact import redact
from workspace.errors import Forbidden, Gone, IdempotencyMismatch, Invalid, NotFound
from workspace.models import Capture, Folder, JobKind, ReceiptKind, Summary
from workspace.services import audit, jobs, receipts, texts

MAX_BYTES = 16 * 1024
MAX_OPERATION_ID = 255
MAX_RETENTION_DAYS = 36_500
ABSENT = "-"


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A capture that is on disk. ``redactions`` counts the secrets taken out of it, by kind; ``proposed`` says that it
    waits for its author's word, ``replayed`` that this operation_id had brought it before."""

    id: str
    folder: str
    redactions: dict[str, int]
    created_at: datetime
    proposed: bool = False
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
    propose: bool = False,
) -> Captured:
    """Keeps ``content`` in ``folder``, secrets redacted, and enqueues its summary.

    ``propose`` keeps it for the person alone who acts or whose agent does, until they ``approve`` it; its time
    begins all the same. Not for a job, which has nobody to ask.

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
    if propose and actor.person is None:
        raise Invalid("propose", "is for what a person can approve.")
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
            proposed_at=now if propose else None,
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            return _replay(actor, row)
        if propose:
            # Without the folder, whose managers would read it.
            audit.record(actor, "capture.proposed", data={"capture": row.pk, "redactions": row.redactions})
        else:
            _keep(actor, row, "capture.created")
    return _captured(row, place)


def _captured(row: Capture, folder: Folder, *, replayed: bool = False) -> Captured:
    return Captured(
        id=row.pk,
        folder=folder.path,
        redactions=dict(row.redactions),
        created_at=row.created_at,
        proposed=row.proposed,
        replayed=replayed,
    )


def _keep(actor: Actor, row: Capture, action: str) -> None:
    """Tells of a capture whoever reads its folder, and asks for its summary. Its receipts are those of what captured
    it, whoever let it be kept."""
    source = actor
    if row.approved_at is not None:
        source = replace(actor, person=row.author_id, agent=row.agent_id, via=Via(row.via), host="", reason="")
    source = replace(source, session=row.session, host=row.host)
    facts = {"approved_by": actor.label} if row.approved_at is not None else {}
    for kind in (ReceiptKind.CAPTURED, ReceiptKind.ACKNOWLEDGED):
        receipts.record(source, kind, folder=row.folder_id, capture=row, operation=row.operation_id, data=facts)
    audit.record(actor, action, folder=row.folder, data={"capture": row.pk, "redactions": row.redactions})
    jobs.enqueue(JobKind.SUMMARISE, row.pk, folder=row.folder_id)


def approve(actor: Actor, *, capture: str) -> None:
    """Gives a proposed capture to its folder: from now on it is one like any other. For its author in person, as long
    as they are editor there; approving again changes nothing.

    Raises ``Forbidden`` (every agent, whatever is asked for), ``NotFound``, and ``Gone`` once it was erased.
    """
    if actor.agent or actor.person is None:
        raise Forbidden("Only the person it was proposed to approves a capture, in the browser.", need="a person")
    with transaction.atomic(durable=True):
        row = Capture.objects.select_related("folder").filter(pk=capture, author=actor.person).first()
        # What is hidden takes the same queries as what never was.
        place = access.folder(actor, location=row.folder.path if row else ABSENT)
        if row is None or row.proposed_at is None or place.pk != row.folder_id:
            raise NotFound
        if place.role < Role.EDITOR:
            raise access.refused(f"You are {place.role.label} here now; saving needs editor.", place, need=Role.EDITOR)
        row = Capture.objects.select_for_update(no_key=True).get(pk=row.pk)
        if row.approved_at is not None:
            return
        if row.deleted_at is not None:
            raise Gone("This capture was declined, or its time was over. The host can propose it anew.")
        row.folder = place
        row.approved_at, row.approved_by_id = timezone.now(), actor.person
        row.save(update_fields=["approved_at", "approved_by"])
        _keep(actor, row, "capture.approved")


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
    return texts.whole(value, field="retention_days", least=1, most=MAX_RETENTION_DAYS)


@transaction.atomic(durable=True)
def erase(actor: Actor, *, capture: str) -> None:
    """Empties a capture and deletes its summary; its lines leave HANDOFF.md by the next consolidation. That
    it was there, and its receipts, stay. Erasing it again changes nothing. A proposed one is declined by that.
    Raises NotFound, Forbidden."""
    row = Capture.objects.shown_to(actor).select_related("folder").filter(pk=capture).first()
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
    if row.proposed:
        action = "capture.erased" if actor.person is None else "capture.declined"
        audit.record(actor, action, data={"capture": row.pk})
        return
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
    over: dict[str, int | None] = {}
    for condition in _over():
        rows = Capture.objects.filter(condition, deleted_at=None).order_by("created_at", "pk")
        # The job of what is only proposed names no folder, whose readers would see it.
        over |= {row.pk: None if row.proposed else row.folder_id for row in rows.defer("content")[: limit - len(over)]}
    with transaction.atomic():
        for capture, folder in over.items():
            jobs.enqueue(JobKind.RETAIN, capture, folder=folder)
    return len(over)


def retain(capture: str) -> None:
    """Erases a capture whose retention is over, proposed or not, as an actor of its own; others are left alone. Runs in
    the caller's transaction."""
    own, of_folder = _over()
    row = Capture.objects.filter(own | of_folder, pk=capture, deleted_at=None).first()
    if row is not None:
        _empty(Actor.for_job("retention", scopes=(), reason="Its retention is over."), row)
