"""Background work, as those may see it who read what it is about."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from workspace.access import effective, location_of
from workspace.actor import Actor, Role
from workspace.errors import Invalid
from workspace.models import Job, JobKind, JobState, Reach
from workspace.queries import pages
from workspace.queries.pages import Page

STATES = tuple(JobState.values)
KINDS = tuple(JobKind.values)


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """A job. ``location`` is that of the document or folder that it is about. ``may_retry`` says that it failed and
    this actor may have it tried again."""

    id: str
    kind: str
    state: str
    location: str
    target: str
    attempts: int
    due_at: datetime
    last_error: str
    created_at: datetime
    finished_at: datetime | None
    may_retry: bool


def listing(
    actor: Actor,
    *,
    state: str | None = None,
    kind: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[JobRow]:
    """Jobs about documents and folders that the actor may read, newest first. Raises ``Invalid``."""
    reach = Reach(actor)
    document = Q(document__isnull=False) & reach.documents("document__folder__lineage", "document")
    folder = Q(document=None, folder__isnull=False) & reach.folders("folder__lineage")
    rows = Job.objects.filter(document | folder).select_related("document__folder", "folder")
    if state is not None:
        if state not in STATES:
            raise Invalid("state", f"must be one of: {', '.join(STATES)}.")
        rows = rows.filter(state=state)
    if kind is not None:
        if kind not in KINDS:
            raise Invalid("kind", f"must be one of: {', '.join(KINDS)}.")
        rows = rows.filter(kind=kind)
    of_document = reach.role("document__folder__lineage", "document")
    of_folder = reach.role("folder__lineage")
    return pages.page(
        actor,
        rows.annotate(document_granted=of_document, folder_granted=of_folder),
        lambda row: _row(actor, row),
        listing=f"jobs:{state}:{kind}",
        order=("-created_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def _row(actor: Actor, job: Job) -> JobRow:
    if job.document is not None:
        location = location_of(job.document)
        lineage, granted = job.document.folder.lineage, job.document_granted  # type: ignore[attr-defined]
    else:
        assert job.folder is not None
        location, lineage = job.folder.path, job.folder.lineage
        granted = job.folder_granted  # type: ignore[attr-defined]
    role = effective(actor, granted, lineage, job.document_id)
    return JobRow(
        id=job.pk,
        kind=job.kind,
        state=job.state,
        location=location,
        target=job.target,
        attempts=job.attempts,
        due_at=job.due_at,
        last_error=job.last_error,
        created_at=job.created_at,
        finished_at=job.finished_at,
        may_retry=job.state == JobState.FAILED and role is not None and role >= Role.EDITOR,
    )
