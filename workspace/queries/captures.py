"""Captures, for those who may read the folder that they are kept in; one that is only proposed, for its author."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Left
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.digest.summary import TITLES
from workspace.errors import Invalid, NotFound
from workspace.models import Capture, Job, JobKind, JobState, Reach, Receipt, ReceiptKind, Summary
from workspace.models.captures import WAITING
from workspace.queries import pages, receipts, who
from workspace.queries.pages import Page
from workspace.queries.receipts import ReceiptRow
from workspace.queries.who import Who

EXCERPT = 160
MOST_READS = 50
PROPOSED = "proposed"
_SECTIONS = {title.casefold() for title in (*TITLES.values(), "Last message")}
"""What hooks and summaries put above what was said; every capture of a turn begins with one."""


@dataclass(frozen=True, kw_only=True)
class CaptureRow:
    """A capture in a list. ``state`` is how far it came: proposed (its author's alone), captured, summarised,
    consolidated (it is in HANDOFF.md), indexed (and found there by search), failed, or deleted. ``excerpt`` is its
    first line."""

    id: str
    folder: str
    host: str
    session: str
    event: str
    author: Who
    created_at: datetime
    redactions: dict[str, int]
    state: str
    deleted: bool
    excerpt: str
    delete_after: datetime | None


@dataclass(frozen=True, kw_only=True)
class LineRow:
    """One line of a summary; ``section`` is asked, decided, tried, changed or open."""

    section: str
    text: str


@dataclass(frozen=True, kw_only=True)
class CaptureView(CaptureRow):
    """A capture with its text and what became of it, oldest first. Who read the page that holds it is part of that."""

    content: str
    summary_lines: tuple[LineRow, ...]
    timeline: tuple[ReceiptRow, ...]
    handed_off: str | None
    """The commit of HANDOFF.md that first holds it."""
    may_erase: bool
    may_approve: bool
    approved_at: datetime | None
    approved_by: str
    """Who let it be kept, where it was proposed; else empty."""


def _visible(actor: Actor) -> QuerySet[Capture]:
    own = Receipt.objects.filter(capture=OuterRef("pk"), kind=ReceiptKind.INDEXED)
    failed = Job.objects.filter(kind=JobKind.SUMMARISE, target=OuterRef("pk"), state=JobState.FAILED)
    return (
        Capture.objects.shown_to(actor)
        .filter(Reach(actor).folders("folder__lineage"), folder__deleted_at=None)
        .select_related("folder", *who.RELATED)
        .annotate(
            indexed=Exists(own),
            failed=Exists(failed),
            summarised=Exists(Summary.objects.filter(capture=OuterRef("pk"))),
            beginning=Left("content", EXCERPT * 2),
        )
    )


def listing(
    actor: Actor,
    *,
    folder: str | None = None,
    state: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[CaptureRow]:
    """Captures in ``folder`` and below, or everywhere, newest first. ``state`` may be proposed: those that wait for
    this person. Raises ``NotFound``, ``Invalid``."""
    rows = _visible(actor).defer("content")
    if state is not None:
        if state != PROPOSED:
            raise Invalid("state", f"must be {PROPOSED}, or left out.")
        rows = rows.filter(WAITING)
    inside = ""
    if folder:
        place = access.folder(actor, location=folder)
        rows = rows.filter(folder__lineage__contains=[place.pk])
        inside = str(place.pk)
    return pages.page(
        actor,
        rows,
        lambda row: CaptureRow(**_fields(row)),
        listing=f"captures:{inside}:{state or ''}",
        order=("-created_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def to_approve(actor: Actor) -> QuerySet[Capture]:
    """Captures that wait for this person's word where they can see them; none for an agent."""
    if actor.person is None or actor.agent:
        return Capture.objects.none()
    return Capture.objects.filter(
        WAITING, Reach(actor).folders("folder__lineage"), author=actor.person, folder__deleted_at=None
    )


def older(actor: Actor, *, folder: str, days: int) -> int:
    """How many captures directly in ``folder`` are at least ``days`` days old, so that keeping them no longer than
    that erases them. Raises ``NotFound``, ``Invalid``."""
    place = access.folder(actor, location=folder)
    before = timezone.now() - timedelta(days=days)
    return Capture.objects.kept().filter(folder=place.pk, deleted_at=None, created_at__lte=before).count()


def show(actor: Actor, *, id: str) -> CaptureView:
    """One capture. Raises ``NotFound``."""
    row = _visible(actor).select_related("summary", "approved_by").filter(pk=id).first()
    if row is None:
        raise NotFound
    role = access.folder(actor, location=row.folder.path).role
    lines = row.summary.lines if row.summarised else ()  # type: ignore[attr-defined]
    return CaptureView(
        **_fields(row),
        content=row.content,
        summary_lines=tuple(LineRow(section=line["section"], text=line["text"]) for line in lines),
        timeline=_timeline(actor, row),
        handed_off=row.handed_off_id,
        may_erase=row.deleted_at is None and row.erasable_by(actor, role),
        may_approve=row.deleted_at is None and row.proposed and role >= Role.EDITOR,
        approved_at=row.approved_at,
        approved_by=row.approved_by.label if row.approved_by else "",
    )


def _timeline(actor: Actor, row: Capture) -> tuple[ReceiptRow, ...]:
    """Receipts of the capture itself, and of the readers of HANDOFF.md since it is in there."""
    facts = list(receipts.visible(actor).filter(capture=row).order_by("at", "pk"))
    page = row.handed_off
    if page is not None:
        reads = receipts.visible(actor).filter(
            kind=ReceiptKind.READ, document=page.document_id, commit__number__gte=page.number
        )
        facts += list(reads.order_by("at", "pk")[:MOST_READS])
    return tuple(receipts.shape(fact) for fact in sorted(facts, key=lambda fact: fact.at))


def _fields(row: Capture) -> dict[str, Any]:
    return {
        "id": row.pk,
        "folder": row.folder.path,
        "host": row.host,
        "session": row.session,
        "event": row.event,
        "author": who.author(row),
        "created_at": row.created_at,
        "redactions": dict(row.redactions),
        "state": _state(row),
        "deleted": row.deleted_at is not None,
        "excerpt": first_line(row.beginning)[:EXCERPT],  # type: ignore[attr-defined]
        "delete_after": row.delete_after,
    }


def first_line(content: str) -> str:
    """The first line of a capture that says something, without the marks of Markdown before it: neither a blank one nor
    the mere name of a section, unless there is no other."""
    said = [line.lstrip("#*- ") for line in content.splitlines() if line.strip()]
    return next((line for line in said if line.rstrip(": *").casefold() not in _SECTIONS), said[0] if said else "")


def _state(row: Capture) -> str:
    if row.deleted_at is not None:
        return "deleted"
    if row.proposed:
        return PROPOSED
    if row.indexed:  # type: ignore[attr-defined]
        return "indexed"
    if row.handed_off_id:
        return "consolidated"
    if row.summarised:  # type: ignore[attr-defined]
        return "summarised"
    return "failed" if row.failed else "captured"  # type: ignore[attr-defined]
