"""Access tokens of the authorization server as rows, for tests of what is behind it."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from allauth.idp.oidc.models import Client, Token
from django.conf import settings
from django.utils import timezone

from workspace.actor import Role
from workspace.models import Agent, AgentScope, Connection, Document, Folder, Person
from workspace.services import bearer
from workspace.services.tokens import digest

BOTH = " ".join(bearer.SCOPES)


def resource() -> str:
    """The name of this instance's MCP endpoint as a resource."""
    return f"{settings.BATON_BASE_URL}/mcp"


@dataclass(kw_only=True)
class Granted:
    """An agent that connected over OAuth, with an access token."""

    agent: Agent
    connection: Connection
    token: str
    row: Token = field(repr=False)

    def issue(self, kind: str = "at", *, scopes: str = BOTH, **more: Any) -> str:
        """Another token of the same family; ``resources``, ``expires_at``, ``user`` and ``grant_id`` as wanted."""
        value = secrets.token_urlsafe(24)
        self.row = Token.objects.create(
            type=kind,
            hash=digest(value),
            client_id=self.connection.client_id,
            user=more.get("user", self.agent.person),
            data={
                "grant_id": more.get("grant_id", self.connection.grant_id),
                "resources": more.get("resources", [resource()]),
            },
            expires_at=more.get("expires_at", timezone.now() + timedelta(hours=1)),
            scopes="\n".join(scopes.split()),
        )
        return value


def grant(
    person: Person,
    name: str = "Claude Code",
    *,
    scopes: str = BOTH,
    narrowing: dict[Folder | Document | None, Role] | None = None,
    expires_at: datetime | None = None,
) -> Granted:
    """What there is after ``person`` let a program in. ``narrowing``: the role at most, by place, None everywhere."""
    client = Client.objects.create(
        name=name,
        type=Client.Type.PUBLIC,
        scopes="\n".join(bearer.SCOPES),
        redirect_uris="http://127.0.0.1/callback",
    )
    agent = Agent.objects.create(person=person, name=name, host="claude-code", expires_at=expires_at)
    for place, role in (narrowing or {}).items():
        where = {} if place is None else {"folder" if isinstance(place, Folder) else "document": place}
        AgentScope.objects.create(agent=agent, role=role, **where)
    connection = Connection.objects.create(
        agent=agent, grant_id=secrets.token_hex(16), client_id=client.pk, resource=resource(), scopes=scopes
    )
    made = Granted(agent=agent, connection=connection, token="", row=Token())
    made.token = made.issue(scopes=scopes)
    return made
