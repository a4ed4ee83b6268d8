"""Connections: what a person consented to when a program asked over OAuth to act for them.

A connection is one agent's. ``grant_id`` names the family of tokens that came of the consent; who holds one of
those tokens is that agent for as long as its connection stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role, Via
from workspace.errors import Gone, Invalid, NotFound
from workspace.models import Agent, AgentScope, Connection, Person, ReceiptKind
from workspace.models.people import person_label
from workspace.queries import consents, hosts
from workspace.services import audit, receipts
from workspace.services.agents import MOST_DAYS, named, person_of

READ = "workspace:read"
WRITE = "workspace:write"
SCOPES = (READ, WRITE)
"""What an access token may be for. Writing includes reading."""
PLACES = 100
"""How many places one consent may name."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """A program that asks. ``client_name`` is what it calls itself; ``client_host`` is the host whose document
    vouches for that name, empty where nobody does. ``scopes`` are ``workspace:read``, ``workspace:write``."""

    client_id: str
    client_name: str
    client_host: str
    redirect_host: str
    resource: str
    scopes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it calls itself, on one line and without marks that turn the direction of writing."""
        return consents.plain(self.client_name)

    @property
    def writes(self) -> bool:
        """Whether it asks to write."""
        return WRITE in self.scopes


@dataclass(frozen=True, kw_only=True)
class Connected:
    """A connection that stands from now on. ``replaced_grant`` is the family of tokens that it ends, if any."""

    id: str
    agent_id: str
    agent_name: str
    replaced_grant: str


@dataclass(frozen=True, kw_only=True)
class Live:
    """Whom a living grant stands for, and until when; without ``expires_at`` it has no end of its own."""

    person: int
    agent: str
    expires_at: datetime | None


@transaction.atomic(durable=True)
def connect(
    actor: Actor,
    *,
    asking: Asking,
    grant_id: str,
    name: str = "",
    agent: str = "",
    places: Sequence[str] = (),
    read_only: bool = False,
    manages: bool = False,
    expires_days: int | None = None,
) -> Connected:
    """Let ``asking`` act for the person who consents, as a new agent or as their earlier ``agent`` of that client.

    Without ``places`` it reaches all that the person does. It is an editor at most, unless it ``manages`` as the
    person may; a program that did not ask to write only reads. A name that another agent of the person has gets a
    number. Raises ``NotFound`` for an agent, which may connect nobody,
    and ``Invalid``.
    """
    person = person_of(actor)
    if expires_days is not None and not 1 <= expires_days <= MOST_DAYS:
        raise Invalid("expires_days", f"must be 1 to {MOST_DAYS:,} days.")
    # Names are counted up under this lock, so that two consents at once do not come to the same.
    if not Person.objects.select_for_update(no_key=True).filter(pk=person, is_active=True).exists():
        raise NotFound
    reads = read_only or not asking.writes
    role = Role.VIEWER if reads else Role.MANAGER if manages else Role.EDITOR
    narrowing = _narrowing(actor, places, role=role)
    expires = timezone.now() + timedelta(days=expires_days) if expires_days else None
    row, earlier = _agent(person, asking, name=name, agent=agent, expires=expires)
    row.scopes.all().delete()
    for scope in narrowing:
        scope.agent = row
    AgentScope.objects.bulk_create(narrowing)
    held, _ = Connection.objects.update_or_create(
        agent=row,
        defaults={
            "grant_id": grant_id,
            "client_id": asking.client_id,
            "client_name": asking.name,
            "client_host": asking.client_host[:255],
            "redirect_host": asking.redirect_host[:255],
            "resource": asking.resource,
            "scopes": " ".join(scope for scope in asking.scopes if scope != WRITE or not reads),
            "consented_at": timezone.now(),
            "ended_at": None,
            "ended_why": "",
        },
    )
    told = {
        "agent": row.pk,
        "name": row.name,
        "client": asking.name,
        "places": list(places) or ["*"],
        "read_only": reads,
        "manages": role is Role.MANAGER,
        "again": bool(earlier),
    }
    receipts.record(actor, ReceiptKind.AGENT_MADE, data=told)
    audit.record(
        actor,
        "agent.connected",
        subject=f"{row.name} ({row.pk})",
        data={
            **told,
            "client_id": asking.client_id,
            "vouched_by": asking.client_host,
            "redirect_host": asking.redirect_host,
            "expires_days": expires_days,
        },
    )
    return Connected(id=held.pk, agent_id=row.pk, agent_name=row.name, replaced_grant=earlier)


def _agent(person: int, asking: Asking, *, name: str, agent: str, expires: datetime | None) -> tuple[Agent, str]:
    """The agent that ``asking`` becomes, and the grant that it held until now ("" for a new one)."""
    if not agent:
        free = consents.free_name(person, named(name) if name else asking.client_name)
        made = Agent.objects.create(
            person_id=person, name=free, host=hosts.key_of(asking.client_name), expires_at=expires
        )
        return made, ""
    row = (
        Agent.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk=agent, person=person, revoked_at=None, connection__client_id=asking.client_id)
        .first()
    )
    if row is None:
        raise Invalid("agent", "is none of yours that this program was before.")
    row.expires_at = expires
    row.save(update_fields=["expires_at"])
    return row, Connection.objects.values_list("grant_id", flat=True).get(agent=row)


def _narrowing(actor: Actor, places: Sequence[str], *, role: Role) -> list[AgentScope]:
    """Scopes that hold an agent to ``places`` and to ``role``, each once; none where it may all that its person may."""
    if len(places) > PLACES:
        raise Invalid("places", f"may be {PLACES} at most. Choose a folder that holds several of them.")
    if not places:
        return [] if role is Role.MANAGER else [AgentScope(role=role)]
    found: dict[tuple[int | None, str | None], AgentScope] = {}
    for location in places:
        try:
            target = access.place(actor, location=location)
        except (NotFound, Gone):
            raise Invalid("places", f"{location} is no place that you can see.") from None
        scope = AgentScope(role=role, **access.scope_of(target))
        found[scope.folder_id, scope.document_id] = scope
    return list(found.values())


def live(grant_id: str) -> Live | None:
    """Whom the grant stands for. None once it ended, its agent was revoked or has expired, or its person is not
    active."""
    row = (
        Connection.objects.filter(
            Q(agent__expires_at=None) | Q(agent__expires_at__gt=timezone.now()),
            grant_id=grant_id,
            ended_at=None,
            agent__revoked_at=None,
            agent__person__is_active=True,
        )
        .values_list("agent__person", "agent", "agent__expires_at")
        .first()
    )
    return Live(person=row[0], agent=row[1], expires_at=row[2]) if row else None


@transaction.atomic(durable=True)
def end(grant_id: str, *, why: str) -> None:
    """End the grant: its tokens fail from the next request on, while the agent and its history stay.

    ``why`` is a word or two that the agents page shows, such as ``signed out`` or ``token reused``. A grant that is
    unknown or has ended is left as it is.
    """
    row = _held().filter(grant_id=grant_id, ended_at=None).first()
    if row is None:
        return
    agent, person = row.agent, row.agent.person
    actor = Actor(
        person=person.pk,
        label=person_label(person.name, person.email),
        email=person.email,
        agent=agent.pk,
        agent_name=agent.name,
        host=agent.host,
        via=Via.MCP,
    )
    _end(actor, row, why)


@transaction.atomic(durable=True)
def disconnect(actor: Actor, *, connection: str) -> None:
    """End a connection by its id, while the agent stays. For its person, and for administrators; raises ``NotFound``
    for all others. One that has ended is left as it is."""
    person = person_of(actor)
    rows = _held().filter(pk=connection)
    row = (rows if actor.admin else rows.filter(agent__person=person)).first()
    if row is None:
        raise NotFound
    if row.ended_at is None:
        _end(actor, row, "ended by its person" if row.agent.person_id == person else "ended by an administrator")


def _held() -> "QuerySet[Connection]":
    return Connection.objects.select_for_update(no_key=True, of=("self",)).select_related("agent__person")


def _end(actor: Actor, row: Connection, why: str) -> None:
    row.ended_at, row.ended_why = timezone.now(), why[:64]
    row.save(update_fields=["ended_at", "ended_why"])
    told = {"agent": row.agent_id, "name": row.agent.name, "why": row.ended_why}
    receipts.record(actor, ReceiptKind.AGENT_REVOKED, data=told)
    audit.record(actor, "agent.disconnected", subject=f"{row.agent.name} ({row.agent_id})", data=told)
