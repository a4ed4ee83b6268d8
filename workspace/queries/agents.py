"""Reading agents: one's own, and who one is."""

from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Literal

from django.db.models import Count, OuterRef, Subquery
from django.utils import timezone

from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.models import Agent, AgentScope, AgentToken, Commit, Document, Folder

NAME = 100
"""Characters of an agent's name, where a program proposes it."""
REMEMBERED = 20


@dataclass(frozen=True, kw_only=True)
class AgentRow:
    """An agent of a person. ``state`` is live, expired or revoked."""

    id: str
    name: str
    host: str
    scopes: tuple[str, ...]
    state: Literal["live", "expired", "revoked"]
    token_prefix: str
    created_at: datetime
    last_seen_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    writes: int


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who the actor is; the ``agent_*`` fields are empty for a person. Without ``scopes`` it is the whole reach."""

    email: str
    name: str
    admin: bool
    agent_id: str
    agent_name: str
    host: str
    scopes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """An agent that an OAuth client was before, with what was allowed to it; without ``places``, everywhere."""

    id: str
    name: str
    places: tuple[str, ...]
    read_only: bool
    consented_at: datetime
    last_seen_at: datetime | None
    expires_at: datetime | None


def _place(scope: AgentScope) -> str:
    return scope.folder.path if scope.folder else location_of(scope.document) if scope.document else "*"


def _label(scope: AgentScope) -> str:
    return f"{Role(scope.role).label}@{_place(scope)}"


def _state(revoked: datetime | None, expires: datetime | None, now: datetime) -> Literal["live", "expired", "revoked"]:
    if revoked:
        return "revoked"
    return "expired" if expires and expires <= now else "live"


def mine(actor: Actor) -> tuple[AgentRow, ...]:
    """The person's agents, the live ones first, then by when they were last seen."""
    token = AgentToken.objects.filter(agent=OuterRef("pk")).order_by("-created_at")
    writes = Commit.objects.filter(agent=OuterRef("pk")).order_by().values("agent").annotate(n=Count("*")).values("n")
    rows = (
        Agent.objects.filter(person=actor.person)
        .annotate(
            token_prefix=Subquery(token.values("prefix")[:1]),
            token_expires=Subquery(token.values("expires_at")[:1]),
            writes=Subquery(writes),
        )
        .prefetch_related("scopes__folder", "scopes__document__folder")
    )
    if actor.agent:
        rows = rows.filter(pk=actor.agent)
    now = timezone.now()
    shaped = [
        AgentRow(
            id=row.pk,
            name=row.name,
            host=row.host,
            scopes=tuple(_label(scope) for scope in row.scopes.all()),
            state=_state(row.revoked_at, row.token_expires, now),
            token_prefix=row.token_prefix or "",
            created_at=row.created_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.token_expires,
            revoked_at=row.revoked_at,
            writes=row.writes or 0,
        )
        for row in rows
    ]
    oldest = datetime.min.replace(tzinfo=now.tzinfo)
    return tuple(
        sorted(
            shaped,
            key=lambda r: (r.state == "live", r.last_seen_at or oldest, r.created_at),
            reverse=True,
        )
    )


def remembered(actor: Actor, *, client_id: str) -> tuple[Remembered, ...]:
    """The person's agents that an OAuth client was before and that were not revoked, the last consent first.

    One that expired or signed out is among them: consent makes it good again. At most three queries.
    """
    rows = (
        Agent.objects.filter(person=actor.person, revoked_at=None, connection__client_id=client_id)
        .select_related("connection")
        .prefetch_related("scopes__folder", "scopes__document__folder")
        .order_by("-connection__consented_at")
    )
    return tuple(
        Remembered(
            id=row.pk,
            name=row.name,
            places=tuple(place for place in map(_place, row.scopes.all()) if place != "*"),
            read_only=_reads(row),
            consented_at=row.connection.consented_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
        )
        for row in rows[:REMEMBERED]
    )


def _reads(agent: Agent) -> bool:
    scopes = agent.scopes.all()
    return bool(scopes) and all(scope.role == Role.VIEWER for scope in scopes)


def free_name(person: int, wanted: str) -> str:
    """``wanted`` as a name that no agent of the person has: as it is, else with a number, ``Claude Code (2)``.

    What cannot be printed, such as marks that turn the direction of writing, is left out of it.
    """
    base = " ".join("".join(c if c.isprintable() else " " for c in wanted).split())[:NAME] or "Agent"
    taken = set(
        Agent.objects.filter(person=person, revoked_at=None, name__startswith=base).values_list("name", flat=True)
    )
    numbered = (f"{base} ({n})" for n in count(2))
    return base if base not in taken else next(name for name in numbered if name not in taken)


def identity(actor: Actor) -> Identity:
    """Who the actor is and where its scopes lie. At most two queries."""
    folders: dict[int | None, str] = dict(
        Folder.objects.filter(pk__in=[s.folder for s in actor.scopes if s.folder]).values_list("pk", "path")
    )
    documents: dict[str | None, str] = {
        d.pk: location_of(d)
        for d in Document.objects.filter(pk__in=[s.document for s in actor.scopes if s.document]).select_related(
            "folder"
        )
    }
    scopes = tuple(
        f"{scope.role.label}@{folders.get(scope.folder) or documents.get(scope.document) or '*'}"
        for scope in actor.scopes
    )
    return Identity(
        email=actor.email,
        name=actor.label,
        admin=actor.admin,
        agent_id=actor.agent or "",
        agent_name=actor.agent_name,
        host=actor.host,
        scopes=scopes,
    )
