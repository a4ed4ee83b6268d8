"""Summaries of captures, and the folder's HANDOFF.md that they are woven into.

The page belongs to people as much as to this job. It is read, woven outside any transaction, and written through
``documents`` upon the commit that was read, merging with what was typed meanwhile; what cannot be merged is woven
again from the new head.
"""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from workspace import locations
from workspace.actor import Actor, Role, Scope
from workspace.digest import handoff
from workspace.digest.summary import Summary, SummaryLine, fold
from workspace.errors import AlreadyExists, Gone, NotFound, Unavailable
from workspace.models import Capture, Commit, Document, Folder, JobKind, ReceiptKind
from workspace.models import Summary as SummaryRow
from workspace.services import audit, conflicts, documents, index, jobs, receipts
from workspace.services.outcomes import Conflict

NAME = "handoff"
"""Of the job that writes the page, as history shows it."""
NEWEST = 200
"""Captures that are looked at; older ones are in the page's history."""
TRIES = 8
PAUSE_S = 0.05


def content(capture: str) -> str | None:
    """The text of a capture; None for one that is not there or was erased."""
    return Capture.objects.filter(pk=capture, deleted_at=None).values_list("content", flat=True).first()


def record(capture: str, lines: Iterable[SummaryLine], engine: str) -> bool:
    """Keeps the summary of a capture and asks for its folder's page, inside the caller's transaction. False, and
    nothing is kept, where the capture was erased meanwhile."""
    row = Capture.objects.select_for_update(no_key=True).filter(pk=capture, deleted_at=None).first()
    if row is None:
        return False
    kept = [{"section": line.section, "text": line.text} for line in lines]
    SummaryRow.objects.update_or_create(capture=row, defaults={"lines": kept, "engine": engine})
    if not row.receipts.filter(kind=ReceiptKind.SUMMARISED).exists():
        actor = Actor.for_job("summarise", scopes=())
        receipts.record(actor, ReceiptKind.SUMMARISED, folder=row.folder_id, capture=row, data={"engine": engine})
        facts = {"capture": row.pk, "engine": engine}
        audit.record(actor, "capture.summarised", folder=row.folder_id, data=facts)
    jobs.enqueue(JobKind.CONSOLIDATE, row.folder_id, folder=row.folder_id)
    return True


@dataclass(frozen=True, kw_only=True)
class _Head:
    """HANDOFF.md as it is now."""

    document: str
    location: str
    commit: str
    text: str


def consolidate(folder: int) -> Callable[[], None] | None:
    """Weaves the folder's summaries into its HANDOFF.md, as an actor of its own that may edit there and nowhere
    else. Returns how to record what came of it, inside the caller's transaction; None where nothing is to be
    done. May be repeated at any point. Raises ``Unavailable`` where others wrote in between each time."""
    for _ in range(TRIES):
        place = Folder.objects.filter(pk=folder, deleted_at=None).first()
        if place is None:
            return None
        lines = _wanted(place)
        head = _head(place)
        previous = _previous(place, head)
        new = handoff.generated(lines)
        if head is None and not set(new) - set(previous):
            return lambda: _remember(place.pk, new)
        text = handoff.weave(head.text if head else "", previous, lines, place.name)
        if head is not None and text == head.text:
            return _recorder(place, head.document, head.commit, lines, new)
        _intend(place.pk, previous, new, head)
        written = _write(place, head, text, lines)
        if written is not None:
            return _recorder(place, *written, lines, new)
        time.sleep(PAUSE_S * random.uniform(0.5, 2.0))
    raise Unavailable("HANDOFF.md was written by others each time. It is tried again.")


def _recorder(
    place: Folder, document: str, commit: str, lines: Sequence[SummaryLine], new: Sequence[str]
) -> Callable[[], None]:
    sources = {line.source for line in lines}
    return lambda: _record(place.pk, document, commit, sources, new)


def _wanted(place: Folder) -> tuple[SummaryLine, ...]:
    rows = SummaryRow.objects.filter(capture__folder=place, capture__deleted_at=None).select_related("capture")
    newest = rows.defer("capture__content").order_by("-capture__created_at", "-capture_id")[:NEWEST]
    return fold([(row.capture.created_at, _summary(row)) for row in newest]).lines


def _summary(row: SummaryRow) -> Summary:
    return Summary(
        lines=tuple(
            SummaryLine(section=line["section"], text=line["text"], source=row.capture_id) for line in row.lines
        )
    )


def _head(place: Folder) -> _Head | None:
    found = (
        Document.objects.live()
        .filter(folder=place, twin_key=locations.twin_key(handoff.PAGE))
        .select_related("head__blob")
        .first()
    )
    if found is None:
        return None
    return _Head(
        document=found.pk,
        location=locations.join(place.path, found.name),
        commit=found.head.pk,
        text=found.head.blob.content,
    )


# -- which lines of the page are this job's -----------------------------------
#
# Folder.handoff_lines is {"lines": …} after a run. The page and the folder are written in two transactions, so
# before the first it also says {"next": …, "upon": …}: whoever finds that asks the history whether the page was
# written. Without it a worker killed in between would take lines that a person deleted since for missing ones.


def _previous(place: Folder, head: _Head | None) -> list[str]:
    state: dict[str, Any] = place.handoff_lines or {}
    lines = list(state.get("lines", ()))
    if "next" not in state or head is None:
        return lines
    mine = Commit.objects.filter(document=head.document, job=NAME)
    if state["upon"]:
        upon = Commit.objects.filter(pk=state["upon"], document=head.document).first()
        mine = mine.filter(number__gt=upon.number) if upon else mine
    return list(state["next"]) if mine.exists() else lines


def _intend(folder: int, previous: Sequence[str], new: Sequence[str], head: _Head | None) -> None:
    state = {"lines": list(previous), "next": list(new), "upon": head.commit if head else ""}
    Folder.objects.filter(pk=folder).update(handoff_lines=state)


def _remember(folder: int, lines: Sequence[str]) -> None:
    Folder.objects.filter(pk=folder).update(handoff_lines={"lines": list(lines)})


def _write(place: Folder, head: _Head | None, text: str, lines: Sequence[SummaryLine]) -> tuple[str, str] | None:
    """Document and commit after the write; None where somebody else was first."""
    actor = Actor.for_job(NAME, scopes=(Scope(role=Role.EDITOR, folder=place.pk),))
    sources = list(dict.fromkeys(line.source for line in lines))
    message = f"Handoff from {len(sources)} capture{'' if len(sources) == 1 else 's'}"
    reason = ("Summarised " + ", ".join(sources))[:1000] if sources else "Their captures were erased."
    try:
        if head is None:
            made = documents.create(
                actor,
                location=locations.join(place.path, handoff.PAGE),
                content=text,
                message=message,
                reason=reason,
            )
            return made.document, made.commit
        outcome = documents.edit(
            actor,
            location=head.location,
            content=text,
            expected_commit=head.commit,
            on_conflict="merge",
            message=message,
            reason=reason,
        )
    except (AlreadyExists, NotFound, Gone):
        return None  # made, moved or deleted since it was looked for
    if isinstance(outcome, Conflict):
        # Nothing of a person's is in this draft; it is made again from the head.
        assert outcome.conflict is not None
        conflicts.discard(actor, conflict=outcome.conflict, reason="Woven again from the new head.")
        return None
    return outcome.document, outcome.commit


def _record(folder: int, document: str, commit: str, sources: set[str], lines: Sequence[str]) -> None:
    _remember(folder, lines)
    # Indexing records which captures it reached: it has to see these or be seen here.
    index.lock(document)
    actor = Actor.for_job(NAME, scopes=())
    fresh = Capture.objects.filter(pk__in=sources, folder=folder, handed_off=None, deleted_at=None)
    for pk in list(fresh.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)):
        Capture.objects.filter(pk=pk).update(handed_off=commit)
        receipts.record(actor, ReceiptKind.CONSOLIDATED, folder=folder, document=document, commit=commit, capture=pk)
    index.reached(document)
