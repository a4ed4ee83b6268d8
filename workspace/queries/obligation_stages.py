"""The stages of sessions: what each owed, and when it was done or why not.

A stage is told by what the reader may read: documents that were retrieved and are hidden from them are absent.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from django.db.models import Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery

from workspace.actor import Actor
from workspace.models import Capture, Job, JobKind, JobState, Reach, Receipt, ReceiptKind
from workspace.models.receipts import NOTHING_TO_SAY, UNAVAILABLE
from workspace.queries import obligation_facts, who
from workspace.queries.obligation_facts import Identity
from workspace.queries.obligations import Session
from workspace.queries.who import Who

STAGES: Final = (
    "invoked", "retrieved", "attached", "captured", "acknowledged", "summarised", "indexed", "read again",
)  # fmt: skip

type Status = Literal["done", "waiting", "failed", "none"]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One obligation of a session. ``at`` is when it was done, or since when it waits, or when it failed.

    ``status`` is ``none`` where nothing was owed; ``reason`` says why, as it says why something failed or waits.
    ``count`` of ``total`` prompts or captures are done. ``by`` and ``session`` are of who read again.
    """

    name: str
    status: Status
    at: datetime | None = None
    reason: str = ""
    count: int = 0
    total: int = 0
    by: Who | None = None
    session: str = ""

    @property
    def job(self) -> bool:
        """Whether a background job does it, which can be tried again."""
        return self.name in ("summarised", "indexed")


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """What became of a capture: the stages from ``captured`` on. The last stage says who read it again first."""

    id: str
    at: datetime
    event: str
    stages: tuple[Stage, ...]

    @property
    def first(self) -> Stage | None:
        """The stage that it stands at: the first that is not done; None where all are."""
        return next((stage for stage in self.stages if stage.status != "done"), None)


def of_sessions(actor: Actor, sessions: Sequence[Session], *, since: datetime | None = None) -> list[tuple[Stage, ...]]:
    """The stages of each of ``sessions``, in their order, with facts from ``since`` on. A fixed number of queries."""
    if not sessions:
        return []
    identities = [session.identity for session in sessions]
    told, found = _prompts(actor, identities, since), _retrieved(actor, identities, since)
    handoffs = of_captures(actor, obligation_facts.captures(actor).filter(pk__in=[s.lead for s in sessions if s.lead]))
    return [
        (*_of_prompts(session, told[session.identity], found.get(session.identity)), *_of_lead(session, handoffs))
        for session in sessions
    ]


# -- prompts ----------------------------------------------------------------------

type Told = dict[tuple[str, str], tuple[int, datetime, datetime]]
"""By kind and reason: how often, when first and when last."""


def _any(identities: Sequence[Identity]) -> Q:
    keys = [identity.key for identity in identities]
    return Q(session__in=keys) | Q(session="", operation__in=keys)


def _prompts(actor: Actor, identities: Sequence[Identity], since: datetime | None) -> Mapping[Identity, Told]:
    rows = obligation_facts.stages(actor).filter(_any(identities), **_from(since))
    told: Mapping[Identity, Told] = defaultdict(dict)
    for row in (
        rows.values_list("person", "agent", "key", "folder", "kind", "reason")
        .annotate(Count("pk"), Min("at"), Max("at"))
        .order_by()
    ):
        told[Identity(person=row[0], agent=row[1], key=row[2], folder=row[3])][row[4], row[5]] = row[6:]
    return told


def _retrieved(
    actor: Actor, identities: Sequence[Identity], since: datetime | None
) -> Mapping[Identity, tuple[int, datetime]]:
    """For how many prompts documents were found that the reader sees, and when last."""
    rows = (
        found(actor)
        .filter(_any(identities), **_from(since))
        .values_list("person", "agent", "key", "bound")
        .annotate(Count("operation", distinct=True), Max("at"))
        .order_by()
    )
    return {Identity(person=row[0], agent=row[1], key=row[2], folder=row[3]): row[4:] for row in rows}


def found(actor: Actor) -> QuerySet[Any]:
    """Receipts of documents that were retrieved and that the actor reads, with ``key`` and with ``bound``, the folder
    that the prompt was bound to."""
    # A person may ask without an agent, which is null then; of one's own agents each has its own operations.
    asked = Receipt.objects.filter(
        Q(agent=OuterRef("agent")) | Q(agent=None),
        kind=ReceiptKind.INVOKED,
        operation=OuterRef("operation"),
        person=OuterRef("person"),
    ).order_by(F("agent").asc(nulls_last=True))
    return Receipt.objects.filter(
        Reach(actor).documents("document__folder__lineage", "document"),
        kind=ReceiptKind.RETRIEVED,
        document__isnull=False,
    ).annotate(key=obligation_facts.key("operation"), bound=Subquery(asked.values("folder")[:1]))


def _from(since: datetime | None) -> dict[str, datetime]:
    return {"at__gte": since} if since is not None else {}


def _of_prompts(session: Session, told: Told, seen: tuple[int, datetime] | None) -> Iterable[Stage]:
    asked = told.get((ReceiptKind.INVOKED, ""))
    if asked is None:
        reason = "no prompt of it asked for context"
        return [Stage(name=name, status="none", reason=reason) for name in STAGES[:3]]
    total, _, last = asked
    return (
        Stage(name="invoked", status="done", at=last, count=total, total=total),
        _retrieving(told, seen, asked),
        _attaching(told, seen, asked),
    )


def _retrieving(told: Told, seen: tuple[int, datetime] | None, asked: tuple[int, datetime, datetime]) -> Stage:
    late = told.get((ReceiptKind.RETRIEVED, UNAVAILABLE))
    silent = told.get((ReceiptKind.RETRIEVED, NOTHING_TO_SAY))
    count = seen[0] if seen else 0
    at = seen[1] if seen else None
    total = asked[0]
    if late and (at is None or late[2] > at):
        reason = f"{UNAVAILABLE}: the time was over before anything was found"
        return Stage(name="retrieved", status="failed", at=late[2], reason=reason, count=count, total=total)
    if count:
        return Stage(name="retrieved", status="done", at=at, count=count, total=total)
    if silent:
        return Stage(name="retrieved", status="none", at=silent[2], reason=NOTHING_TO_SAY, total=total)
    return Stage(name="retrieved", status="none", reason="nothing that you may read", total=total)


def _attaching(told: Told, seen: tuple[int, datetime] | None, asked: tuple[int, datetime, datetime]) -> Stage:
    given = [row for (kind, _), row in told.items() if kind == ReceiptKind.ATTACHED]
    kept = {reason: row for (kind, reason), row in told.items() if kind == ReceiptKind.WITHHELD}
    count, withheld = sum(row[0] for row in given), sum(row[0] for row in kept.values())
    at = max((row[2] for row in given), default=None)
    empty = sum(row[0] for (kind, _), row in told.items() if kind == ReceiptKind.RETRIEVED)
    total = asked[0]
    if kept:
        reason, row = max(kept.items(), key=lambda pair: pair[1][2])
        if at is None or row[2] > at:
            why = f"withheld: {reason or 'the host gave no reason'}"
            return Stage(name="attached", status="failed", at=row[2], reason=why, count=count, total=total)
    silent = total - count - withheld - empty
    if silent > 0 and (at is None or asked[2] > at):
        why = "the host has not said" if silent == 1 else f"the host has not said for {silent} prompts"
        return Stage(name="attached", status="waiting", at=asked[2], reason=why, count=count, total=total)
    if count:
        return Stage(name="attached", status="done", at=at, count=count, total=total)
    return Stage(name="attached", status="none", reason="nothing to attach", total=total)


# -- captures ---------------------------------------------------------------------


def _of_lead(session: Session, handoffs: Mapping[str, Handoff]) -> Iterable[Stage]:
    lead = handoffs.get(session.lead or "")
    if lead is None:
        return [Stage(name=name, status="none", reason="nothing was captured") for name in STAGES[3:]]
    kept, *rest, read = lead.stages
    return (
        _counted(kept, session.captures, session.captures),
        *rest,
        _counted(read, session.again, session.handoffs),
    )


def _counted(stage: Stage, count: int, total: int) -> Stage:
    return Stage(**{**vars(stage), "count": count, "total": total})


def of_captures(actor: Actor, rows: QuerySet[Capture]) -> dict[str, Handoff]:
    """What became of each of ``rows``, which ``obligation_facts.captures`` gave, by id, in order. Three queries."""
    facts = Receipt.objects.filter(capture=OuterRef("pk"))
    loaded = list(
        rows.select_related("summary", "handed_off")
        .defer("content", "redactions")
        .annotate(
            acknowledged_at=Subquery(facts.filter(kind=ReceiptKind.ACKNOWLEDGED).values("at")[:1]),
            indexed_at=Subquery(facts.filter(kind=ReceiptKind.INDEXED).order_by("at").values("at")[:1]),
            reread=Subquery(obligation_facts.rereads(actor).order_by("at", "pk").values("pk")[:1]),
        )
    )
    jobs = _jobs(loaded)
    readers = Receipt.objects.select_related("person", "agent__person").in_bulk(
        {row.reread for row in loaded if row.reread}
    )
    return {row.pk: _handoff(row, jobs, readers.get(row.reread)) for row in loaded}


type Jobs = Mapping[tuple[str, str], Job]


def _jobs(rows: Sequence[Capture]) -> Jobs:
    """Of the jobs that these captures wait for, the newest of each kind and target that is not done."""
    wanted = (
        Q(kind=JobKind.SUMMARISE, target__in=[row.pk for row in rows])
        | Q(kind=JobKind.CONSOLIDATE, target__in={str(row.folder_id) for row in rows})
        | Q(kind=JobKind.INDEX, target__in={row.handed_off.document_id for row in rows if row.handed_off})
    )
    found = Job.objects.filter(wanted).exclude(state=JobState.DONE).order_by("created_at", "pk")
    return {(job.kind, job.target): job for job in found}


def _handoff(row: Capture, jobs: Jobs, reader: Receipt | None) -> Handoff:
    stages: list[Stage] = [Stage(name="captured", status="done", at=row.created_at, count=1, total=1)]
    if row.proposed and row.deleted_at is None:
        stages[0] = Stage(name="captured", status="waiting", at=row.proposed_at, reason="proposed: it waits for you")
        rest = [Stage(name=name, status="none", reason="not before you approve it") for name in STAGES[4:]]
        return Handoff(id=row.pk, at=row.created_at, event=row.event, stages=(*stages, *rest))
    acknowledged = row.acknowledged_at or row.created_at  # type: ignore[attr-defined]
    stages.append(Stage(name="acknowledged", status="done", at=acknowledged))
    summary = getattr(row, "summary", None)
    if row.deleted_at is not None:
        gone = f"erased {row.deleted_at:%-d %b %Y, %H:%M} UTC"
        stages += _erased(row, reader, gone)
    elif summary is None:
        stages.append(_awaited("summarised", jobs.get((JobKind.SUMMARISE, row.pk)), row.created_at))
        stages += [Stage(name=name, status="none", reason="not before it is summarised") for name in STAGES[6:]]
    else:
        stages.append(Stage(name="summarised", status="done", at=summary.created_at))
        stages += _woven(row, jobs, reader, summary.created_at)
    return Handoff(id=row.pk, at=row.created_at, event=row.event, stages=tuple(stages))


def _erased(row: Capture, reader: Receipt | None, gone: str) -> Iterable[Stage]:
    indexed = row.indexed_at  # type: ignore[attr-defined]
    yield Stage(name="summarised", status="none", at=row.deleted_at, reason=gone)
    if indexed:
        yield Stage(name="indexed", status="done", at=indexed)
    else:
        yield Stage(name="indexed", status="none", at=row.deleted_at, reason=gone)
    yield _reader(reader) if reader else Stage(name="read again", status="none", at=row.deleted_at, reason=gone)


def _woven(row: Capture, jobs: Jobs, reader: Receipt | None, since: datetime) -> Iterable[Stage]:
    page, indexed = row.handed_off, row.indexed_at  # type: ignore[attr-defined]
    weaving = jobs.get((JobKind.CONSOLIDATE, str(row.folder_id)))
    if page is None:
        if weaving is None:
            reason = f"{NOTHING_TO_SAY}: its lines stand in HANDOFF.md already, or it has none"
            yield from (Stage(name=name, status="none", reason=reason) for name in STAGES[6:])
            return
        yield _awaited("indexed", weaving, since, doing="weaving it into HANDOFF.md")
        yield Stage(name="read again", status="none", reason="not before it stands in HANDOFF.md")
        return
    if indexed:
        yield Stage(name="indexed", status="done", at=indexed)
    else:
        job = jobs.get((JobKind.INDEX, page.document_id))
        yield _awaited("indexed", job, page.created_at, doing="indexing HANDOFF.md")
    # The page can be read before search finds it.
    if reader:
        yield _reader(reader)
    else:
        waits = indexed or page.created_at
        yield Stage(name="read again", status="waiting", at=waits, reason="no other session has read HANDOFF.md yet")


def _reader(found: Receipt) -> Stage:
    by = who.of(found.person, found.agent)
    return Stage(name="read again", status="done", at=found.at, by=by, session=found.session)


def _awaited(name: str, job: Job | None, since: datetime, *, doing: str = "") -> Stage:
    """A stage that a job does, or did not."""
    what = f"{doing}: " if doing else ""
    if job is None:
        return Stage(name=name, status="waiting", at=since, reason=f"{what}queued")
    if job.state == JobState.FAILED:
        error = job.last_error or "no reason was recorded"
        tried = f"gave up after {job.attempts} {'try' if job.attempts == 1 else 'tries'}"
        return Stage(name=name, status="failed", at=job.finished_at or since, reason=f"{what}{tried}: {error}")
    if job.last_error:
        how = f"tried {job.attempts} times: {job.last_error}"
    else:
        how = "running" if job.state == JobState.RUNNING else "queued"
    return Stage(name=name, status="waiting", at=since, reason=f"{what}{how}")
