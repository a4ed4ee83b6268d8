"""Claim, work outside any transaction, record: the one way a job is done."""

import logging
import time
from collections.abc import Callable

from django.db import DatabaseError, transaction

from workspace.errors import Refusal
from workspace.jobs import consolidate, index, retain, summarise
from workspace.models import Job, JobKind
from workspace.services import jobs

log = logging.getLogger(__name__)

Record = Callable[[], object]
WORK: dict[str, Callable[[Job], Record | None]] = {
    JobKind.INDEX: index.work,
    JobKind.SUMMARISE: summarise.work,
    JobKind.CONSOLIDATE: consolidate.work,
    JobKind.RETAIN: retain.work,
}
"""For each kind, what works on a job and returns how its result is recorded (None for nothing to record)."""
FIRST = (JobKind.RETAIN, JobKind.CONSOLIDATE, JobKind.SUMMARISE)


def run(job: str) -> bool:
    """Does the job with this id if it is due and nobody has it. True where it was done or failed here."""
    claimed = jobs.claim(ids=[job])
    if claimed and claimed[0].kind == JobKind.INDEX:
        # An import brings thousands of these; somebody's handoff does not wait behind them.
        for urgent in jobs.claim(kinds=FIRST):
            perform(urgent)
    for one in claimed:
        perform(one)
    return bool(claimed)


def drain(*, seconds: float, limit: int = 10_000) -> int:
    """Does what is due, urgent kinds first, until nothing is, or ``seconds`` or ``limit`` are over. Returns how many
    jobs it worked on."""
    end = time.monotonic() + seconds
    done = 0
    while done < limit:
        claimed = jobs.claim(kinds=FIRST) or jobs.claim()
        if not claimed:
            break
        perform(claimed[0])
        done += 1
        if time.monotonic() >= end:
            break
    return done


def perform(job: Job) -> None:
    """Works on a claimed job and records what came of it. Never raises but for a database that is gone: then the
    lease runs out and the job is done again."""
    if job.attempts > jobs.TRIES:
        jobs.fail(job, "The worker was killed each time it worked on this.")
        return
    try:
        record = WORK[job.kind](job)
        with transaction.atomic():
            if not jobs.holds(job):
                log.warning("job %s took longer than its lease; its result is left to its new holder", job.pk)
                return
            if record is not None:
                record()
            jobs.finish(job)
    except Exception as error:
        log.exception("job %s (%s %s) failed, try %s", job.pk, job.kind, job.target, job.attempts)
        jobs.fail(job, _reason(error))


def _reason(error: Exception) -> str:
    """What those who see the job may read: a database's message may quote content, so it is left out."""
    if isinstance(error, Refusal):
        return f"{error.code}: {error.detail}"
    if isinstance(error, DatabaseError):
        return f"The database refused it ({type(error).__name__})."
    return f"{type(error).__name__} while working on it. The worker's log tells more."
