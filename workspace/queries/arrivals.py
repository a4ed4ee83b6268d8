"""Which of a person's agents were heard of last: for the page that tells how to connect one."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from workspace.access import person_actor
from workspace.actor import Actor, Role, Scope, Via
from workspace.models import Agent, Folder, Reach
from workspace.queries import who
from workspace.queries.who import Who

SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """An agent of the person. ``at`` is when it connected or called last; ``called`` whether it has called at all;
    ``folders`` how many it reaches."""

    id: str
    agent: Who
    at: datetime
    connected_at: datetime
    called: bool
    folders: int


def newest(actor: Actor) -> tuple[Arrival, ...]:
    """The person's ``SHOWN`` living agents that connected or called last; two queries and one for each."""
    now = timezone.now()
    rows = (
        Agent.objects.filter(person=actor.person, revoked_at=None)
        .exclude(expires_at__lte=now)
        .exclude(connection__ended_at__isnull=False)
        .select_related("person", "connection")
        .prefetch_related("scopes")
        .annotate(
            connected=Coalesce("connection__consented_at", "created_at"),
            at=Greatest("last_seen_at", Coalesce("connection__consented_at", "created_at")),
        )
        .order_by("-at", "pk")[:SHOWN]
    )
    return tuple(
        Arrival(
            id=row.pk,
            agent=who.of(None, row),
            at=row.at,
            connected_at=row.connected,
            called=row.last_seen_at is not None,
            folders=_folders(row),
        )
        for row in rows
    )


def _folders(agent: Agent) -> int:
    person = person_actor(agent.person, via=Via.MCP)
    scopes = tuple(
        Scope(role=Role(scope.role), folder=scope.folder_id, document=scope.document_id) for scope in agent.scopes.all()
    )
    acting = Actor(
        person=person.person,
        label=person.label,
        email=person.email,
        admin=person.admin,
        agent=agent.pk,
        agent_name=agent.name,
        via=Via.MCP,
        scopes=scopes,
    )
    return Folder.objects.live().visible_to(Reach(acting)).count()
