"""The facts that obligations are told by, for those who read the folders that these are about."""

from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce

from workspace import access
from workspace.actor import Actor
from workspace.models import Capture, Job, JobKind, JobState, Reach, Receipt, ReceiptKind, Summary
from workspace.models.captures import shown_to
from workspace.models.receipts import STAGES


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a session's facts have in common, by which its receipts and captures are found."""

    person: int | None
    agent: str | None
    key: str
    folder: int | None


def stages(actor: Actor) -> QuerySet[Any]:
    """Receipts of prompts as the reader of their folder sees them, without those about a document; and one's own that
    were bound to no folder. Each with ``key``."""
    about = Q(Reach(actor).folders("folder__lineage"), folder__isnull=False, folder__deleted_at=None)
    if actor.person is not None and not actor.scopes:
        about |= Q(folder=None, person=actor.person)
    rows = Receipt.objects.filter(about, document=None, kind__in=STAGES)
    return rows.annotate(key=key("operation"))


def kept(actor: Actor, *, prefix: str = "") -> Q:
    """Captures in folders that the actor reads; what waits for approval only for whom it waits. ``prefix`` leads to
    the capture from another row."""
    return (
        shown_to(actor, prefix)
        & Reach(actor).folders(f"{prefix}folder__lineage")
        & Q(**{f"{prefix}folder__deleted_at": None})
    )


def captures(actor: Actor) -> QuerySet[Any]:
    """Captures that the actor sees, with ``key``, ``live`` (something is handed off, or will be), ``again`` (another
    session read it) and ``broken`` (a job on its way gave up)."""
    summarised = Exists(Summary.objects.filter(capture=OuterRef("pk")))
    indexed = Exists(Receipt.objects.filter(capture=OuterRef("pk"), kind=ReceiptKind.INDEXED))
    weaving = _jobs(JobKind.CONSOLIDATE, Cast(OuterRef("folder_id"), TextField()))
    # The job that weaves is enqueued with the summary and is done with the handing off: without one, it said nothing.
    idle = Q(summarised, ~Exists(weaving.exclude(state=JobState.DONE)), handed_off=None)
    gave_up = (
        Q(~summarised, Exists(_jobs(JobKind.SUMMARISE, OuterRef("pk")).filter(state=JobState.FAILED)))
        | Q(summarised, Exists(weaving.filter(state=JobState.FAILED)), handed_off=None)
        | Q(
            ~indexed,
            Exists(_jobs(JobKind.INDEX, OuterRef("handed_off__document_id")).filter(state=JobState.FAILED)),
            handed_off__isnull=False,
        )
    )
    return Capture.objects.filter(kept(actor)).annotate(
        key=key("pk"),
        live=true(Q(deleted_at=None) & ~idle),
        again=true(Exists(rereads(actor))),
        broken=true(Q(deleted_at=None) & gave_up),
    )


def rereads(actor: Actor) -> QuerySet[Receipt]:
    """Of the capture of an outer query: receipts of who read the page that holds it, at or after the commit that first
    did, in another session. An agent that names no session is another only where it is another agent."""
    other = ~Q(agent=Coalesce(OuterRef("agent"), Value("")))
    later = Q(~Q(session=""), ~Q(session=OuterRef("session")))
    return Receipt.objects.filter(
        other | later,
        Reach(actor).documents("document__folder__lineage", "document"),
        kind=ReceiptKind.READ,
        agent__isnull=False,
        document=OuterRef("handed_off__document"),
        commit__number__gte=OuterRef("handed_off__number"),
    )


def of(rows: QuerySet[Any], identity: Identity, otherwise: str) -> QuerySet[Any]:
    """Those of ``rows`` with ``key`` that are of one session."""
    person = "person" if rows.model is Receipt else "author"
    # The two conditions on indexed columns; ``key`` is worked out.
    named = Q(session=identity.key) | Q(**{"session": "", otherwise: identity.key})
    return rows.filter(named, **{person: identity.person, "agent": identity.agent, "folder": identity.folder})


def place(actor: Actor, location: str) -> int | None:
    """The folder that narrows the page; None where none does. Raises ``NotFound``, ``Invalid``."""
    return access.folder(actor, location=location).pk if location else None


def below(folder: int | None, prefix: str = "") -> Q:
    """Rows of ``folder`` and what is below it; all where it is None."""
    return Q(**{f"{prefix}folder__lineage__contains": [folder]}) if folder is not None else Q()


def key(otherwise: str) -> Case:
    """What stands for the session of a row: its name, or where it has none, ``otherwise``."""
    return Case(When(session="", then=F(otherwise)), default=F("session"), output_field=TextField())


def _jobs(kind: JobKind, target: Any) -> QuerySet[Job]:
    return Job.objects.filter(kind=kind, target=target)


def true(condition: Q | Exists) -> Combinable:
    """A condition as a column that is never null."""
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())
