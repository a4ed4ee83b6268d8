"""Work for the background: enqueued with the change that needs it, claimed, recorded, retried.

A pending row is the queue. A worker claims by a conditional update that writes a random word and a lease,
works outside any transaction, and records what it came to only while the row still holds its word. A lease
that ran out means a killed worker: the row is claimed again, so everything a job does may happen twice.
"""

import random
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from workspace import access, dispatch
from workspace.actor import Actor, Role
from workspace.errors import NotFound
from workspace.models import Capture, Document, Folder, Job, JobKind, JobState, ReceiptKind
from workspace.models.ids import job_id
from workspace.services import audit, receipts
from workspace.services.receipts import key_of

LEASE_S = 60
TRIES = 6
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 300.0
KEEP_DONE = timedelta(days=1)
TASK = "workspace.jobs.run"

# DO UPDATE and not DO NOTHING: it locks the pending row until the caller commits. With DO NOTHING a worker
# could claim that row now, read the state from before this change, and leave the change without a job.
ENQUEUE = """
INSERT INTO {job} AS job
    (id, kind, target, folder_id, document_id, state, attempts, due_at, claim, last_error)
VALUES (%s, %s, %s, %s, %s, 'pending', 0, clock_timestamp(), '', '')
ON CONFLICT (kind, target) WHERE state = 'pending'
DO UPDATE SET due_at = least(job.due_at, excluded.due_at), attempts = 0,
    folder_id = excluded.folder_id, document_id = excluded.document_id
RETURNING id
"""

# A job whose twin (same kind and target) is running waits for it: one worker for a document or folder. MATERIALIZED,
# since a plan may run a plain subquery again for each row, and so claim more than the limit.
CLAIM = """
WITH next AS MATERIALIZED (
    SELECT id FROM {job} AS mine
    WHERE state IN ('pending', 'running')
      AND CASE state WHEN 'pending' THEN due_at ELSE lease_until END <= clock_timestamp()
      AND (%(ids)s::text[] IS NULL OR id = ANY(%(ids)s::text[]))
      AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s::text[]))
      AND NOT (state = 'pending' AND EXISTS (
          SELECT FROM {job} AS twin
          WHERE twin.state = 'running' AND twin.kind = mine.kind AND twin.target = mine.target))
    ORDER BY due_at LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED)
UPDATE {job} AS job SET state = 'running', claim = %(claim)s, attempts = attempts + 1,
    lease_until = clock_timestamp() + %(lease)s * interval '1 second'
FROM next WHERE job.id = next.id
RETURNING job.id
"""


def _sql(statement: str) -> str:
    return statement.format(job=connection.ops.quote_name(Job._meta.db_table))


def enqueue(
    kind: JobKind | str,
    target: str | int,
    *,
    folder: Folder | int | None = None,
    document: Document | str | None = None,
) -> str:
    """Records, inside the caller's transaction, that ``kind`` of work on ``target`` is needed, and rings a
    worker once that is committed. One job per kind and target is pending: a second call finds its row, makes it
    due and forgets its failures. Returns its id. ``folder`` and ``document`` say whose readers may see it."""
    values = (job_id(), JobKind(kind).value, str(target), key_of(folder), key_of(document))
    with connection.cursor() as cursor:
        cursor.execute(_sql(ENQUEUE), values)
        (found,) = cursor.fetchone()
    dispatch.after_commit(TASK, found)
    return str(found)


def claim(*, limit: int = 1, kinds: Sequence[str] | None = None, ids: Sequence[str] | None = None) -> list[Job]:
    """Up to ``limit`` jobs that are due, or whose worker was lost, now held by the caller for ``LEASE_S``
    seconds. Two callers never get the same one."""
    values: dict[str, Any] = {
        "claim": secrets.token_hex(16),
        "lease": LEASE_S,
        "limit": limit,
        "kinds": list(kinds) if kinds is not None else None,
        "ids": list(ids) if ids is not None else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(_sql(CLAIM), values)
        claimed = [row[0] for row in cursor.fetchall()]
    mine = Job.objects.filter(pk__in=claimed, claim=values["claim"])
    return list(mine.order_by("due_at", "pk"))


def holds(job: Job) -> bool:
    """Locks the row of ``job``; False where its lease ran out and somebody else has it. For the transaction
    that records a result."""
    held = Job.objects.select_for_update(no_key=True)
    return held.filter(pk=job.pk, state=JobState.RUNNING, claim=job.claim).exists()


def extend(job: Job) -> bool:
    """A fresh lease for work that takes long; False where the job was lost to another worker."""
    until = timezone.now() + timedelta(seconds=LEASE_S)
    mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, claim=job.claim)
    return bool(mine.update(lease_until=until))


def finish(job: Job) -> bool:
    """Records that ``job`` is done. Earlier failures of the same work are done with it. A job of the same
    kind and target that waited for this one is rung. False where the claim was lost."""
    now = timezone.now()
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, claim=job.claim)
        if not mine.update(state=JobState.DONE, claim="", lease_until=None, finished_at=now, last_error=""):
            return False
        twins = Job.objects.filter(kind=job.kind, target=job.target)
        twins.filter(state=JobState.FAILED).update(state=JobState.DONE, finished_at=now)
        _ring_waiting(job)
    return True


def _ring_waiting(job: Job) -> None:
    waiting = Job.objects.filter(kind=job.kind, target=job.target, state=JobState.PENDING)
    for pk in waiting.filter(due_at__lte=timezone.now()).values_list("pk", flat=True):
        dispatch.after_commit(TASK, pk)


def wait_after(attempts: int) -> float:
    """Seconds until the next try after so many: doubling, bounded, and jittered so that jobs which failed
    together do not come back together."""
    ceiling = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** max(0, attempts - 1))
    return ceiling * random.uniform(0.5, 1.0)


def fail(job: Job, error: str) -> bool:
    """Records a failed try: due again after a wait, or ``failed``, with a receipt, after ``TRIES``. False where
    the claim was lost. ``error`` is shown to those who see the job, so it may not hold content."""
    with transaction.atomic():
        if not holds(job):
            return False
        mine = Job.objects.filter(pk=job.pk)
        change = {"claim": "", "lease_until": None, "last_error": error[:1000]}
        if job.attempts < TRIES:
            due = timezone.now() + timedelta(seconds=wait_after(job.attempts))
            try:
                with transaction.atomic():
                    mine.update(state=JobState.PENDING, due_at=due, **change)
            except IntegrityError:
                # The same work was asked for again meanwhile, and only one of a kind may be pending.
                mine.update(state=JobState.DONE, finished_at=timezone.now(), **change)
                _ring_waiting(job)
            return True
        mine.update(state=JobState.FAILED, finished_at=timezone.now(), **change)
        receipts.record(
            Actor.for_job(job.kind, scopes=()),
            ReceiptKind.FAILED,
            folder=job.folder_id,
            document=job.document_id,
            capture=Capture.objects.filter(pk=job.target).first(),
            reason=error[:1000],
            data={"job": job.pk, "kind": job.kind, "attempts": job.attempts},
        )
    return True


@transaction.atomic(durable=True)
def retry(actor: Actor, *, job: str) -> None:
    """Makes a failed job due at once, with all its tries. An editor of what it is about may, and an
    administrator. A job that is not failed is left as it is. Raises NotFound, Forbidden."""
    rows = Job.objects.select_for_update(no_key=True, of=("self",)).select_related("folder")
    found = rows.filter(pk=job).first()
    if found is None:
        # What is hidden takes the same queries as what never was.
        access.document(actor, id="", deleted=True)
        raise NotFound
    _may_retry(actor, found)
    if found.state != JobState.FAILED:
        return
    enqueue(found.kind, found.target, folder=found.folder_id, document=found.document_id)
    Job.objects.filter(pk=found.pk).update(state=JobState.DONE)
    facts = {"job": found.pk, "kind": found.kind}
    audit.record(actor, "job.retried", folder=found.folder_id, document=found.document_id, data=facts)


def _may_retry(actor: Actor, job: Job) -> None:
    if job.document_id:
        access.document(actor, id=job.document_id, need=Role.EDITOR, deleted=True)
    elif job.folder is not None:
        access.folder(actor, location=job.folder.path, need=Role.EDITOR)
    elif not actor.admin or actor.agent:
        raise NotFound


def purge(*, older_than: timedelta = KEEP_DONE, limit: int = 1000) -> int:
    """Forgets up to ``limit`` jobs that were done longer ago; receipts keep what they came to."""
    old = Job.objects.filter(state=JobState.DONE, finished_at__lt=timezone.now() - older_than)
    count, _ = Job.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:limit])).delete()
    return count


def waiting(*, limit: int, older_than: timedelta = timedelta(0)) -> list[str]:
    """Ids of jobs that were due so long ago, or whose worker was lost, the longest waiting first."""
    now = timezone.now()
    due = Q(state=JobState.PENDING, due_at__lte=now - older_than)
    lost = Q(state=JobState.RUNNING, lease_until__lte=now)
    return list(Job.objects.filter(due | lost).order_by("due_at").values_list("pk", flat=True)[:limit])
