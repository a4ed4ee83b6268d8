"""Reading agents: one's own, those of others that reach what one manages, and who one is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from workspace.access import location_of
from workspace.actor import Actor, Role, Scope
from workspace.errors import NotFound
from workspace.models import Agent, AgentScope, AgentToken, Commit, Connection, Document, Folder, Reach
from workspace.queries import pages, reaching, who
from workspace.queries.pages import Page
from workspace.queries.who import Who

type State = Literal["live", "ended", "expired", "revoked"]
type Listing = Literal["mine", "revoked", "others"]

EVERYWHERE = "*"
LATEST = 3
"""Writes that a list shows of each agent."""


@dataclass(frozen=True, kw_only=True)
class ScopeRow:
    """What an agent may at most at a place; ``*`` is everywhere, "" a place that the reader does not see."""

    role: Role
    place: str


@dataclass(frozen=True, kw_only=True)
class Write:
    """A commit of an agent in a document that the reader sees; ``location`` is where that is now."""

    commit: str
    location: str
    title: str
    message: str
    created_at: datetime
    deleted: bool


@dataclass(frozen=True, kw_only=True)
class TokenRow:
    """An agent token without its secret."""

    id: int
    prefix: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    state: State


@dataclass(frozen=True, kw_only=True)
class Client:
    """The program that was connected over OAuth. ``name`` is what it calls itself, ``host`` whose document vouches
    for that, empty where nobody does."""

    name: str
    host: str
    redirect_host: str
    consented_at: datetime
    ended_at: datetime | None
    ended_why: str


@dataclass(frozen=True, kw_only=True)
class AgentRow:
    """An agent. ``own`` is whether the reader is its person, ``may_end`` whether they may revoke it; without
    ``scopes`` it may all that its person may; ``client`` is None for one that has a token. It is ``ended`` when its
    last token was ended or signed out."""

    id: str
    name: str
    owner: Who
    host: str
    own: bool
    may_end: bool
    state: State
    scopes: tuple[ScopeRow, ...]
    client: Client | None
    token_prefix: str
    created_at: datetime
    last_seen_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    writes: tuple[Write, ...]


@dataclass(frozen=True, kw_only=True)
class AgentView:
    """One agent with its tokens, the newest first, and a page of its writes."""

    row: AgentRow
    tokens: tuple[TokenRow, ...]
    writes: Page[Write]


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


def listing(
    actor: Actor, *, of: Listing = "mine", limit: int | None = None, cursor: str | None = None
) -> Page[AgentRow]:
    """Agents, those seen last first: the person's own, those of them that were revoked, or those of others that
    reach a folder which the person manages. Three queries and one more for ``others``. Raises ``Invalid``."""
    if of == "others":
        rows = Agent.objects.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None)
        rows = rows.exclude(person=actor.person).filter(person__is_active=True)
        if not actor.admin:
            rows = rows.filter(pk__in=reaching.agents(actor))
    else:
        rows = Agent.objects.filter(person=actor.person, revoked_at__isnull=of == "mine")
        if actor.agent:
            rows = rows.filter(pk=actor.agent)
    found = pages.page(
        actor,
        _loaded(actor, rows).annotate(seen=Coalesce("last_seen_at", "created_at")),
        lambda row: row,
        listing=f"agents:{of}",
        order=("-seen", "pk"),
        limit=limit,
        cursor=cursor,
    )
    return Page(items=_rows(actor, found.items), next_cursor=found.next_cursor)


def manages(actor: Actor) -> bool:
    """Whether the person manages anything, so that there may be ``others``."""
    return actor.admin or bool(reaching.managed(actor))


def show(actor: Actor, *, agent: str, cursor: str | None = None) -> AgentView:
    """One agent: one's own, or one that ``listing`` gives among ``others``. Raises ``NotFound``, ``Invalid``."""
    mine = Q(person=actor.person)
    seen = Q(person__is_active=True, revoked_at=None)
    if not actor.admin:
        seen &= Q(pk__in=reaching.agents(actor))
    found = _loaded(actor, Agent.objects.filter(mine | seen, pk=agent)).first()
    if found is None:
        raise NotFound
    (row,) = _rows(actor, [found])
    now = timezone.now()
    return AgentView(
        row=row,
        tokens=tuple(_token(token, now) for token in found.tokens.order_by("-created_at", "-pk")) if row.own else (),
        writes=_writes(actor, agent, cursor),
    )


def _loaded(actor: Actor, rows: "QuerySet[Agent]") -> "QuerySet[Any]":
    """What a row shows, loaded in the list's own query; ``latest`` are the ids of its newest visible commits."""
    token = AgentToken.objects.filter(agent=OuterRef("pk")).order_by("-created_at", "-pk")
    good = token.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None)
    commits = Commit.objects.filter(agent=OuterRef("pk"), document__in=_visible(actor)).order_by("-created_at", "-pk")
    return rows.select_related("person", "connection").annotate(
        token_prefix=Subquery(token.values("prefix")[:1]),
        token_expires=Subquery(token.values("expires_at")[:1]),
        token_revoked=Subquery(token.values("revoked_at")[:1]),
        has_token=Exists(good),
        latest=ArraySubquery(commits.values("pk")[:LATEST]),
    )


def _visible(actor: Actor) -> "QuerySet[Document, Any]":
    return Document.objects.visible_to(Reach(actor)).order_by().values("pk")


def _rows(actor: Actor, found: Sequence[Any]) -> tuple[AgentRow, ...]:
    scopes = scopes_of(actor, [row.pk for row in found])
    commits = _commits([pk for row in found for pk in row.latest])
    now = timezone.now()
    return tuple(
        AgentRow(
            id=row.pk,
            name=row.name,
            owner=who.of(None, row),
            host=row.host,
            own=row.person_id == actor.person,
            may_end=row.revoked_at is None and (row.person_id == actor.person or actor.admin),
            state=_state(row, now),
            scopes=tuple(scopes[row.pk]),
            client=_client(row),
            token_prefix=row.token_prefix or "",
            created_at=row.created_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at or row.token_expires,
            revoked_at=row.revoked_at,
            writes=tuple(commits[pk] for pk in row.latest),
        )
        for row in found
    )


def scopes_of(actor: Actor, agents: Iterable[str]) -> Mapping[str, list[ScopeRow]]:
    """Each agent's scopes. A place that the reader does not see (any more) is not named, by what it is called now
    least of all."""
    reach = Reach(actor)
    rows = (
        AgentScope.objects.filter(agent__in=agents)
        .select_related("folder", "document__folder")
        .annotate(
            folder_seen=Exists(Folder.objects.visible_to(reach).filter(pk=OuterRef("folder"))),
            document_seen=Exists(Document.objects.visible_to(reach).filter(pk=OuterRef("document"))),
        )
        .order_by("pk")
    )
    held: dict[str, list[ScopeRow]] = defaultdict(list)
    for scope in rows:
        place = EVERYWHERE
        if scope.folder is not None:
            place = scope.folder.path if scope.folder_seen else ""
        elif scope.document is not None:
            place = location_of(scope.document) if scope.document_seen else ""
        held[scope.agent_id].append(ScopeRow(role=Role(scope.role), place=place))
    return held


def _commits(ids: Iterable[str]) -> Mapping[str, Write]:
    rows = Commit.objects.filter(pk__in=list(ids)).select_related("document__folder").defer("reason")
    return {row.pk: _write(row) for row in rows}


def _write(commit: Commit) -> Write:
    return Write(
        commit=commit.pk,
        location=location_of(commit.document),
        title=commit.document.title,
        message=commit.message,
        created_at=commit.created_at,
        deleted=commit.document.deleted_at is not None,
    )


def _writes(actor: Actor, agent: str, cursor: str | None) -> Page[Write]:
    return pages.page(
        actor,
        Commit.objects.filter(agent=agent, document__in=_visible(actor)).select_related("document__folder"),
        _write,
        listing=f"writes:{agent}",
        order=("-created_at", "pk"),
        limit=20,
        cursor=cursor,
    )


def _state(row: Any, now: datetime) -> State:
    if row.revoked_at:
        return "revoked"
    if row.expires_at and row.expires_at <= now:
        return "expired"
    held: Connection | None = getattr(row, "connection", None)
    if row.has_token or (held is not None and held.ended_at is None):
        return "live"
    if held is not None or row.token_revoked or not row.token_expires:
        return "ended"
    return "expired"


def _client(row: Any) -> Client | None:
    held: Connection | None = getattr(row, "connection", None)
    if held is None:
        return None
    return Client(
        name=held.client_name,
        host=held.client_host,
        redirect_host=held.redirect_host,
        consented_at=held.consented_at,
        ended_at=held.ended_at,
        ended_why=held.ended_why,
    )


def _token(token: AgentToken, now: datetime) -> TokenRow:
    state: State = "live"
    if token.revoked_at:
        state = "revoked"
    elif token.expires_at and token.expires_at <= now:
        state = "expired"
    return TokenRow(
        id=token.pk,
        prefix=token.prefix,
        created_at=token.created_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
        state=state,
    )


def identity(actor: Actor) -> Identity:
    """Who the actor is and where its scopes lie; ``ROLE@?`` is a place that it does not see (any more). At most two
    queries."""
    reach = Reach(actor)
    folder_ids = [s.folder for s in actor.scopes if s.folder]
    document_ids = [s.document for s in actor.scopes if s.document]
    folders: dict[int | None, str] = {}
    documents: dict[str | None, str] = {}
    if folder_ids:
        folders |= Folder.objects.filter(pk__in=folder_ids).visible_to(reach).values_list("pk", "path")
    if document_ids:
        seen = Document.objects.filter(pk__in=document_ids).visible_to(reach).select_related("folder")
        documents |= {document.pk: location_of(document) for document in seen}

    def place(scope: Scope) -> str:
        if scope.folder is not None:
            return folders.get(scope.folder, "?")
        return documents.get(scope.document, "?") if scope.document is not None else EVERYWHERE

    scopes = tuple(f"{scope.role.label}@{place(scope)}" for scope in actor.scopes)
    return Identity(
        email=actor.email,
        name=actor.label,
        admin=actor.admin,
        agent_id=actor.agent or "",
        agent_name=actor.agent_name,
        host=actor.host,
        scopes=scopes,
    )
