"""Keeping who wrote which sentence of a document, so that a long history need not be read for it.

What is kept is derived and may always be made anew: two that make it at once make the same, and it is no
difference which of them ends last.
"""

from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from workspace.merge.authorship import BLAME_VERSION, Runs
from workspace.models import Blame, BlameMark, Commit, Document, Job, JobKind, JobState
from workspace.queries import authorship
from workspace.queries.authorship import Authorship, Mark
from workspace.services import jobs

SECONDS = 20.0
"""How long one job reads a history; what it reached is kept, and the next goes on from there."""
FEW = 20
"""Commits that a reader carries the authorship over without keeping what came of it."""
DEAR = 0.2
"""Seconds of carrying it over after which it is kept all the same."""


def make(document: str, commit: str, *, seconds: float | None = None) -> Authorship:
    """The authorship at ``commit``, or at one before where that takes longer than ``seconds`` (``SECONDS``). Writes
    nothing."""
    row = Commit.objects.select_related("blob", "document").get(pk=commit, document=document)
    return authorship.made(row.document, row, seconds=SECONDS if seconds is None else seconds)


def record(document: str, made: Authorship) -> bool:
    """Keeps what ``make`` made, inside the caller's transaction; False where that of a later commit is kept."""
    commit = Commit.objects.only("number").get(pk=made.commit, document=document)
    with transaction.atomic():
        _mark(document, made.marks)
        kept = Blame.objects.select_for_update(of=("self",)).select_related("commit").filter(pk=document).first()
        if kept and kept.version == BLAME_VERSION and kept.commit.number > commit.number:
            return False
        fields = {"commit_id": made.commit, "version": BLAME_VERSION, **_stored(made.runs)}
        Blame.objects.update_or_create(document_id=document, defaults=fields)
    return True


def _mark(document: str, marks: Sequence[Mark]) -> None:
    if not marks:
        return
    BlameMark.objects.filter(document=document).exclude(version=BLAME_VERSION).delete()
    BlameMark.objects.bulk_create(
        (
            BlameMark(
                commit_id=mark.commit,
                document_id=document,
                number=mark.number,
                version=BLAME_VERSION,
                **_stored(mark.runs),
            )
            for mark in marks
        ),
        batch_size=50,
        ignore_conflicts=True,
    )


def _stored(runs: Runs) -> dict[str, Any]:
    ids = list(dict.fromkeys(run.id for run in runs))
    places = {id: place for place, id in enumerate(ids)}
    return {"commits": ids, "runs": [[places[run.id], run.length] for run in runs]}


def keep(document: str, made: Authorship) -> None:
    """Keeps what a reader had to make, where it was dear, and asks for a job where a reader could not wait for all of
    it. Never in the reader's way."""
    try:
        if made.earlier is not None:
            _enqueue(Document.objects.filter(pk=document), limit=1)
        elif made.walked > FEW or made.took >= DEAR:
            head = Document.objects.filter(pk=document).values_list("head_id", flat=True).first()
            if head == made.commit:
                record(document, made)
    except DatabaseError:
        # A full disk must not stop people from reading what is there; the next index job keeps it.
        return


def enqueue(*, limit: int) -> int:
    """Queues documents of long histories whose authorship is not kept up to the head: those of an earlier version,
    and those whose job was lost. Gives how many."""
    return _enqueue(Document.objects.filter(number__gt=FEW), limit=limit)


def _enqueue(rows: QuerySet[Document], *, limit: int) -> int:
    kept = Blame.objects.filter(pk=OuterRef("pk"), version=BLAME_VERSION, commit=OuterRef("head"))
    # One that failed waits for somebody to retry it.
    states = (JobState.PENDING, JobState.RUNNING, JobState.FAILED)
    asked = Job.objects.filter(kind=JobKind.INDEX, target=OuterRef("pk"), state__in=states)
    found = rows.filter(~Exists(kept), ~Exists(asked)).values_list("pk", "folder_id")[:limit]
    for document, folder in found:
        jobs.enqueue(JobKind.INDEX, document, folder=folder, document=document)
    return len(found)
