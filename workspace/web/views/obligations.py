"""What hosts owed to sessions, and what came of it: a list of sessions, counters over time, and one session in full."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse

from workspace.errors import Invalid, NotFound
from workspace.queries import hosts, obligation_counts, obligation_stages, obligation_timeline, obligations
from workspace.queries.obligation_counts import Counter
from workspace.queries.obligation_stages import Handoff, Stage
from workspace.queries.obligation_timeline import Prompt
from workspace.queries.obligations import Filters, Overview, Session
from workspace.web.charts import Chart, chart
from workspace.web.errors import narrowing, note
from workspace.web.frame import page, person

WORDS = {
    obligations.FAILED: "Failed",
    obligations.OPEN: "Open",
    obligations.CLOSED: "Closed",
    obligations.NONE: "No handoff",
}
PERIODS = {7: "7 days", 30: "30 days", 90: "90 days", 365: "a year"}


@dataclass(frozen=True, kw_only=True)
class Card:
    """A session as the list shows it. ``notes`` are the stages that a reader has to hear more of."""

    session: Session
    stages: tuple[Stage, ...]
    notes: tuple[Stage, ...]
    host: str


@dataclass(frozen=True, kw_only=True)
class Part:
    """Sessions under one heading; without one, the heading is not needed."""

    heading: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A counter with its chart."""

    counter: Counter
    chart: Chart


@dataclass(frozen=True, kw_only=True)
class Moment:
    """Something of a session's timeline: a prompt or a capture."""

    prompt: Prompt | None = None
    handoff: Handoff | None = None


def index(request: HttpRequest) -> HttpResponse:
    """Sessions, what failed first, narrowed by what the address says."""
    actor = person(request)
    context: dict[str, Any] = {"chosen": {name: request.GET.get(name, "").strip() for name in obligations.NAMES}}
    try:
        filters = obligations.parse(request.GET)
        overview = obligations.listing(actor, filters=filters, limit=obligations.ROWS, cursor=request.GET.get("cursor"))
        counters = obligation_counts.counters(actor, filters=filters)
    except (NotFound, Invalid) as refusal:
        note(request, refusal, location=context["chosen"]["folder"])
        context |= _narrowing(Filters(), Overview.nothing())
        context["errors"] = narrowing(refusal)
        return page(request, "obligation/list.html", context, section="obligations", status=422)
    sessions = overview.page.items
    cards = _cards(sessions, obligation_stages.of_sessions(actor, sessions, since=filters.since))
    context |= _narrowing(filters, overview) | {
        "page": overview.page,
        "parts": _parts(cards, filters, first=not request.GET.get("cursor")),
        "numbers": [
            (bars[0].first, [bar.count for bar in bars])
            for bars in zip(*(counter.bars for counter in counters), strict=True)
        ][::-1],
        "drawn": [Drawn(counter=counter, chart=chart(counter)) for counter in counters],
        "handoffs": sum(tally.handoffs for tally in overview.tally.values()),
        "again": sum(tally.again for tally in overview.tally.values()),
        "total": sum(tally.sessions for tally in overview.tally.values()),
    }
    return page(request, "obligation/list.html", context, section="obligations", at=filters.folder)


def show(request: HttpRequest, fact: str) -> HttpResponse:
    """The session that a prompt or a capture is of: its stages, and what happened in it."""
    view = obligation_timeline.show(person(request), id=fact, cursor=request.GET.get("cursor"))
    moments = [
        *(Moment(prompt=prompt) for prompt in view.prompts.items),
        *(Moment(handoff=handoff) for handoff in view.handoffs),
    ]
    context = {
        "view": view,
        "session": view.session,
        "host": _host(view.session),
        "page": view.prompts,
        "moments": sorted(moments, key=_at, reverse=True),
        "more": "Earlier",
        "word": WORDS[view.session.state],
    }
    return page(request, "obligation/show.html", context, section="obligations", at=view.session.folder)


def _at(moment: Moment) -> Any:
    return moment.prompt.at if moment.prompt else moment.handoff.at if moment.handoff else None


def _narrowing(filters: Filters, overview: Overview) -> dict[str, Any]:
    """What the filters offer, and which of it is chosen."""
    agents = {agent.agent_id: f"{agent.label} for {agent.person_label}" for agent in overview.agents}
    named = dict.fromkeys(overview.hosts)
    if filters.host:
        named[filters.host] = None
    if filters.agent:
        agents.setdefault(filters.agent, "the agent of this address")
    return {
        "hosts": [(key, hosts.NAMES.get(key, key)) for key in named],
        "agents": list(agents.items()),
        "states": [(state, WORDS[state], overview.tally[state].sessions) for state in obligations.STATES],
        "state": filters.state,
        "periods": list(PERIODS.items()),
        "days": filters.days,
        "period": PERIODS[filters.days],
        "narrowed": bool(filters.host or filters.agent or filters.folder),
    }


def _cards(sessions: Sequence[Session], stages: Iterable[tuple[Stage, ...]]) -> list[Card]:
    return [
        Card(session=session, stages=found, notes=_notes(found), host=_host(session))
        for session, found in zip(sessions, stages, strict=True)
    ]


def _host(session: Session) -> str:
    return hosts.NAMES.get(session.host, session.host)


def _notes(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """What failed, then what waits, then why nothing was owed where that is not plain, and who read it again."""
    found = [stage for stage in stages if stage.status == "failed"]
    found += [stage for stage in stages if stage.status == "waiting"]
    told: set[str] = set()
    for stage in stages:
        # One reason often explains every later stage: it is told once, with the first.
        if stage.status == "none" and not stage.reason.startswith("not before") and stage.reason not in told:
            told.add(stage.reason)
            found.append(stage)
    return (*found, *(stage for stage in stages if stage.by is not None))


def _parts(cards: Sequence[Card], filters: Filters, *, first: bool) -> list[Part]:
    failed = tuple(card for card in cards if card.session.state == obligations.FAILED)
    others = tuple(card for card in cards if card.session.state != obligations.FAILED)
    if filters.state or not cards:
        return [Part(heading="", cards=tuple(cards))]
    parts = [
        Part(heading="What failed", cards=failed),
        Part(heading="All else" if failed or not first else "", cards=others),
    ]
    return [part for part in parts if part.cards]
