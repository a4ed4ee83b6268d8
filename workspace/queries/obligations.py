"""What each session of a host owed, and whether it was done: context before its prompts, and a handoff after, that
another session reads.

A session is what one person's agent did under one session id in one folder. Its facts are the receipts of its prompts
and its captures, and only those in folders that the reader reads: of the rest nothing is listed, named or counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from workspace.actor import Actor
from workspace.errors import FieldError, Invalid, NotFound
from workspace.models import (
    Agent,
    Capture,
    Folder,
    Person,
    Receipt,
    ReceiptKind,
)
from workspace.models.receipts import UNAVAILABLE
from workspace.queries import obligation_facts as facts
from workspace.queries import pages, who
from workspace.queries.pages import Page
from workspace.queries.who import Who

FAILED: Final = "failed"
OPEN: Final = "open"
CLOSED: Final = "closed"
NONE: Final = "none"
STATES: Final = (FAILED, OPEN, CLOSED, NONE)
"""Something failed and was not made up for; a handoff waits; every handoff was read again; there is no handoff."""
PERIODS: Final = (7, 30, 90, 365)
"""Days that the page looks back."""
DAYS: Final = 30
ROWS: Final = 20
NAMES: Final = ("host", "agent", "folder", "state", "days")
"""Names of the filters in addresses."""
_LONGEST: Final = {"host": 64, "agent": 200, "folder": 4_000}

# Prompts and captures are put together by session before they are put together with one another: there are many
# prompts, and only captures have to be sorted.
_SESSIONS = """
WITH capture (person_id, agent_id, key, named, folder_id, host, at, id, live, again, broken)
    AS MATERIALIZED ({captures}),
part AS (
    SELECT person_id, agent_id, key, folder_id, bool_or(named) AS named, max(host) AS host,
           min(at) AS first, max(at) AS last, min(id) FILTER (WHERE kind = 'invoked') AS asked, min(id) AS id,
           count(*) FILTER (WHERE kind = 'invoked') AS prompts, 0 AS captures, 0 AS handoffs, 0 AS again,
           NULL AS lead, max(at) FILTER (WHERE fine) AS fine, max(at) FILTER (WHERE bad) AS bad, false AS broken
      FROM ({stages}) stage (person_id, agent_id, key, named, folder_id, host, at, id, kind, fine, bad)
     GROUP BY person_id, agent_id, key, folder_id
     UNION ALL
    SELECT person_id, agent_id, key, folder_id, bool_or(named), max(host), min(at), max(at), NULL, min(id),
           0, count(*), count(*) FILTER (WHERE live), count(*) FILTER (WHERE live AND again),
           (array_agg(id ORDER BY broken DESC, live DESC, again, at DESC))[1], NULL, NULL, bool_or(broken)
      FROM capture GROUP BY person_id, agent_id, key, folder_id
),
told AS (
    SELECT person_id, agent_id, key, folder_id, bool_or(named) AS named, max(host) AS host,
           min(first) AS first, max(last) AS last, coalesce(min(asked), min(id)) AS id,
           sum(prompts)::bigint AS prompts, sum(captures)::bigint AS captures, sum(handoffs)::bigint AS handoffs,
           sum(again)::bigint AS again, min(lead) AS lead,
           bool_or(broken) OR coalesce(max(bad) > coalesce(max(fine), '-infinity'), false) AS failing
      FROM part GROUP BY person_id, agent_id, key, folder_id
),
session AS MATERIALIZED (
    SELECT told.*, CASE WHEN failing THEN 'failed' WHEN handoffs = 0 THEN 'none'
                        WHEN again = handoffs THEN 'closed' ELSE 'open' END AS state,
           failing::integer AS rank,
           md5(concat_ws(':', person_id, coalesce(agent_id, ''), coalesce(folder_id, 0), key)) AS tie
      FROM told
),
chosen AS (SELECT * FROM session WHERE (%s = '' OR host = %s) AND (%s = '' OR agent_id = %s))
"""
_LISTED = """
SELECT {columns}, overview.tally, overview.hosts, overview.agents
  FROM (SELECT (SELECT json_object_agg(state, row) FROM (
                   SELECT state, json_build_array(count(*), sum(handoffs), sum(again)) AS row FROM chosen GROUP BY state
               ) states) AS tally,
               (SELECT json_agg(DISTINCT host) FROM session WHERE host <> '') AS hosts,
               (SELECT json_agg(DISTINCT agent_id) FROM session WHERE agent_id IS NOT NULL) AS agents) overview
  LEFT JOIN LATERAL (
    SELECT * FROM chosen
     WHERE (%s = '' OR state = %s) AND (NOT %s OR (rank, last, tie) < (%s, %s::timestamptz, %s))
     ORDER BY rank DESC, last DESC, tie DESC LIMIT %s
  ) page ON true
"""
_COLUMNS = (
    "id", "person_id", "agent_id", "key", "named", "folder_id", "host", "first", "last", "prompts", "captures",
    "handoffs", "again", "lead", "state", "rank", "tie",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What narrows the page; an empty one narrows nothing. ``agent`` is an id, ``days`` how far it looks back."""

    host: str = ""
    agent: str = ""
    folder: str = ""
    state: str = ""
    days: int = DAYS

    @property
    def since(self) -> datetime:
        """The beginning of the first day that is looked at, in UTC."""
        today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=self.days - 1)


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session in one folder. ``id`` is that of one of its facts and names it in addresses.

    ``key`` is the session id, or what stands for one where the host named none (``named`` is False then).
    ``captures`` counts all, ``handoffs`` those that can still be read, ``again`` those that were by another session.
    ``lead`` is the capture that tells most of the state. ``folder`` is empty for prompts that were bound to none.
    """

    id: str
    by: Who
    host: str
    key: str
    named: bool
    folder: str
    state: str
    first: datetime
    last: datetime
    prompts: int
    captures: int
    handoffs: int
    again: int
    lead: str | None
    identity: facts.Identity


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Sessions of one state, how many handoffs they made, and how many of those were read again."""

    sessions: int = 0
    handoffs: int = 0
    again: int = 0


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A page of sessions, what failed first; how many there are of each state; and what they can be narrowed to."""

    page: Page[Session]
    tally: Mapping[str, Tally]
    hosts: tuple[str, ...]
    agents: tuple[Who, ...]

    @classmethod
    def nothing(cls) -> Self:
        """Of an address that is refused."""
        return cls(page=Page(items=()), tally={state: Tally() for state in STATES}, hosts=(), agents=())


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A row of ``session``; the names are those of its columns."""

    id: str
    person_id: int | None
    agent_id: str | None
    key: str
    named: bool
    folder_id: int | None
    host: str
    first: datetime
    last: datetime
    prompts: int
    captures: int
    handoffs: int
    again: int
    lead: str | None
    state: str
    rank: int
    tie: str


def parse(given: Mapping[str, str]) -> Filters:
    """Filters as an address holds them. Raises ``Invalid`` that names each wrong one."""
    wrong: list[FieldError] = []
    found = {name: str(given.get(name) or "").strip() for name in NAMES}
    for name, most in _LONGEST.items():
        if "\x00" in found[name] or len(found[name]) > most:
            wrong.append(FieldError(field=name, message=f"has at most {most:,} characters and no NUL."))
    if found["state"] not in ("", *STATES):
        wrong.append(FieldError(field="state", message=f"must be one of: {', '.join(STATES)}."))
    if found["days"] and found["days"] not in map(str, PERIODS):
        wrong.append(FieldError(field="days", message=f"must be one of: {', '.join(map(str, PERIODS))}."))
    if wrong:
        raise Invalid(errors=wrong)
    return Filters(
        host=found["host"],
        agent=found["agent"],
        folder=found["folder"].strip("/"),
        state=found["state"],
        days=int(found["days"] or DAYS),
    )


# -- sessions ---------------------------------------------------------------------


def listing(actor: Actor, *, filters: Filters, limit: int | None = None, cursor: str | None = None) -> Overview:
    """Sessions with a fact in the period, those that failed first, then by their last fact, newest first.

    Raises ``NotFound`` for the folder of ``filters``, ``Invalid``.
    """
    limit = pages.check_limit(limit)
    inside = facts.place(actor, filters.folder)
    name = f"obligations:{filters.host}:{filters.agent}:{inside}:{filters.state}:{filters.days}"
    # A cursor of the service's own making holds what this order needs; anything else was refused.
    after = pages.decode(actor, name, cursor) if cursor is not None else None
    rows = _read(
        facts.stages(actor).filter(facts.below(inside), at__gte=filters.since),
        facts.captures(actor).filter(facts.below(inside), created_at__gte=filters.since),
        filters=filters,
        after=after,
        most=limit + 1,
    )
    tally, hosts, named = rows[0][-3:]
    found = [_Found(**dict(zip(_COLUMNS, row, strict=False))) for row in rows if row[0] is not None]
    agents = Agent.objects.filter(pk__in=named or ()).select_related("person").order_by("name", "pk")
    names = _names(found[:limit])
    return Overview(
        page=pages.cut(
            actor, found, lambda row: _session(row, names), listing=name, order=("-rank", "-last", "-tie"), limit=limit
        ),
        tally={state: _tally((tally or {}).get(state)) for state in STATES},
        hosts=tuple(hosts or ()),
        agents=tuple(who.of(agent.person, agent) for agent in agents),
    )


def session(actor: Actor, *, id: str) -> Session:
    """The session that a receipt of a prompt, or a capture, with ``id`` is of, whole. Raises ``NotFound``."""
    fact = facts.stages(actor).filter(pk=id).values_list("person", "agent", "key", "folder").first() or (
        facts.captures(actor).filter(pk=id).values_list("author", "agent", "key", "folder").first()
    )
    if fact is None:
        raise NotFound
    identity = facts.Identity(person=fact[0], agent=fact[1], key=fact[2], folder=fact[3])
    rows = _read(
        facts.of(facts.stages(actor), identity, "operation"),
        facts.of(facts.captures(actor), identity, "pk"),
        filters=Filters(),
        most=1,
    )
    found = _Found(**dict(zip(_COLUMNS, rows[0], strict=False)))
    return _session(found, _names([found]))


def _read(
    prompts: QuerySet[Receipt],
    handoffs: QuerySet[Capture],
    *,
    filters: Filters,
    most: int,
    after: Sequence[Any] | None = None,
) -> list[tuple[Any, ...]]:
    """Rows of ``_COLUMNS`` and what the whole period has; one of nulls and that where no session is left."""
    fine = Q(kind=ReceiptKind.ATTACHED) | Q(Q(kind=ReceiptKind.RETRIEVED), ~Q(reason=UNAVAILABLE))
    bad = Q(kind=ReceiptKind.WITHHELD) | Q(kind=ReceiptKind.RETRIEVED, reason=UNAVAILABLE)
    named = facts.true(~Q(session=""))
    first = prompts.annotate(fine=facts.true(fine), bad=facts.true(bad), named=named).values_list(
        "person_id", "agent_id", "key", "named", "folder_id", "host", "at", "pk", "kind", "fine", "bad"
    )
    second = handoffs.annotate(named=named).values_list(
        "author_id", "agent_id", "key", "named", "folder_id", "host", "created_at", "pk", "live", "again", "broken"
    )
    (ones, one_values), (others, other_values) = (rows.order_by().query.sql_with_params() for rows in (first, second))
    statement = _SESSIONS.format(stages=ones, captures=others) + _LISTED.format(
        columns=", ".join(f"page.{column}" for column in _COLUMNS)
    )
    chosen = (filters.host, filters.host, filters.agent, filters.agent)
    placed = (filters.state, filters.state, after is not None, *(after or (0, None, "")), most)
    with connection.cursor() as cursor:
        cursor.execute(statement, (*other_values, *one_values, *chosen, *placed))
        return list(cursor.fetchall())


def _tally(row: Sequence[int] | None) -> Tally:
    return Tally(sessions=row[0], handoffs=row[1], again=row[2]) if row else Tally()


@dataclass(frozen=True, kw_only=True)
class _Names:
    people: Mapping[int, Person]
    agents: Mapping[str, Agent]
    folders: Mapping[int, str]


def _names(found: Sequence[_Found]) -> _Names:
    agents = Agent.objects.select_related("person").in_bulk({row.agent_id for row in found if row.agent_id})
    alone = {row.person_id for row in found if row.person_id and not row.agent_id}
    folders = Folder.objects.filter(pk__in={row.folder_id for row in found if row.folder_id})
    return _Names(
        people=Person.objects.in_bulk(alone) if alone else {},
        agents=agents,
        folders=dict(folders.values_list("pk", "path")),
    )


def _session(row: _Found, names: _Names) -> Session:
    person = names.people.get(row.person_id) if row.person_id else None
    agent = names.agents.get(row.agent_id) if row.agent_id else None
    return Session(
        id=row.id,
        by=who.of(person, agent),
        host=row.host,
        key=row.key,
        named=row.named,
        folder=names.folders.get(row.folder_id, "") if row.folder_id else "",
        state=row.state,
        first=row.first,
        last=row.last,
        prompts=row.prompts,
        captures=row.captures,
        handoffs=row.handoffs,
        again=row.again,
        lead=row.lead,
        identity=facts.Identity(person=row.person_id, agent=row.agent_id, key=row.key, folder=row.folder_id),
    )
