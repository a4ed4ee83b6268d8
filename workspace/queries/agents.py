"""Reading agents: one's own, and who one is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Count, OuterRef, Subquery
from django.utils import timezone

from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.models import Agent, AgentScope, AgentToken, Commit, Document, Folder


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


def _label(scope: AgentScope) -> str:
    place = scope.folder.path if scope.folder else location_of(scope.document) if scope.document else "*"
    return f"{Role(scope.role).label}@{place}"


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
