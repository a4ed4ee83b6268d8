"""Whose token this is: the check in front of every request of an agent, in one query.

Two kinds are known: agent tokens (``btn_…``), which a person mints, and access tokens of the authorization server.
Both are held by an agent, and neither ever reaches further than its person.
"""

import json
import re
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from workspace.actor import Actor, Role, Scope, Via
from workspace.errors import Unauthenticated
from workspace.models.people import person_label
from workspace.services import agents
from workspace.services.connections import SCOPES as SCOPES
from workspace.services.connections import WRITE as WRITE
from workspace.services.tokens import digest

SEEN_EVERY = timedelta(minutes=1)

_HOLDER = """
SELECT agent.id, agent.name, agent.host, agent.last_seen_at, person.id, person.email, person.name,
       person.is_superuser,
       (SELECT coalesce(jsonb_agg(jsonb_build_array(scope.role, scope.folder_id, scope.document_id)), '[]')
          FROM workspace_agentscope scope WHERE scope.agent_id = agent.id)::text
"""
_LIVE = """
   AND agent.revoked_at IS NULL
   AND (agent.expires_at IS NULL OR agent.expires_at > now())
   AND person.is_active
"""
# Asked on every request of every agent, so they are not built anew each time.
MINTED = f"""{_HOLDER}, NULL
  FROM workspace_agenttoken token
  JOIN workspace_agent agent ON agent.id = token.agent_id
  JOIN workspace_person person ON person.id = agent.person_id
 WHERE token.token_hash = %s
   AND token.revoked_at IS NULL
   AND (token.expires_at IS NULL OR token.expires_at > now())
{_LIVE}"""
# The type is part of the key: a code or a refresh token lies in the same table under the same kind of hash. Being
# compared as a whole (as text, of which JSON in the database has one form), the list of resources has to be of one.
GRANTED = f"""{_HOLDER}, token.scopes
  FROM allauth_idp_oidc_token token
  JOIN workspace_connection connection ON connection.grant_id = token.data ->> 'grant_id'
  JOIN workspace_agent agent ON agent.id = connection.agent_id
  JOIN workspace_person person ON person.id = agent.person_id
 WHERE token.type = 'at'
   AND token.hash = %s
   AND token.expires_at > now()
   AND token.data ->> 'resources' IN (%s, %s, %s, %s)
   AND token.user_id = person.id
   AND connection.ended_at IS NULL
{_LIVE}"""
# What RFC 6750 lets a token be made of, and no longer than any that is issued here.
NOTED = """UPDATE workspace_agent SET last_seen_at = %(now)s WHERE id IN (
    SELECT id FROM workspace_agent WHERE id = %(agent)s AND (last_seen_at IS NULL OR last_seen_at < %(late)s)
       FOR NO KEY UPDATE SKIP LOCKED)
"""
_SHAPE = re.compile(r"[A-Za-z0-9._~+/-]{16,512}=*\Z")


def resources() -> tuple[str, ...]:
    """The names by which this instance is a resource (RFC 8707), the one that it gives out first."""
    base = settings.BATON_BASE_URL
    return f"{base}/mcp", f"{base}/mcp/", base, f"{base}/"


def authenticate(token: str, *, via: Via, session: str = "") -> Actor:
    """The agent that holds ``token``, in one query. Raises ``Unauthenticated`` for any other token.

    An access token is good only if it was issued for exactly one of ``resources()``; one without ``workspace:write``
    reads, whatever its agent may. ``session`` is the host session that the caller names. Unknown, revoked, expired,
    of another audience, of an agent that has ended and of a deactivated person are one answer.
    """
    row = _minted(token) if token.startswith(agents.PREFIX) else _granted(token)
    if row is None:
        raise Unauthenticated("This token is not valid. Connect again, or mint a new one on the agents page.")
    agent, name, host, seen, person, email, person_name, admin, narrowing, granted = row
    scopes = tuple(
        Scope(role=Role(role), folder=folder, document=document) for role, folder, document in json.loads(narrowing)
    )
    _note(agent, seen)
    return Actor(
        person=person,
        label=person_label(person_name, email),
        email=email,
        admin=admin,
        agent=agent,
        agent_name=name,
        host=host,
        scopes=scopes if granted is None or WRITE in granted.split() else _reading(scopes),
        via=via,
        session=session[:200],
    )


def _minted(token: str) -> tuple | None:
    return _asked(MINTED, digest(token)) if agents.well_formed(token) else None


def _granted(token: str) -> tuple | None:
    if not _SHAPE.match(token):
        return None
    row = _asked(GRANTED, digest(token), *(json.dumps([name], ensure_ascii=False) for name in resources()))
    return row if row is not None and set(SCOPES) & set(row[-1].split()) else None


def _asked(statement: str, *values: str) -> tuple | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def _reading(scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
    """``scopes`` where they are, each for reading only; without any, reading everywhere."""
    return tuple(Scope(role=Role.VIEWER, folder=s.folder, document=s.document) for s in scopes) or (
        Scope(role=Role.VIEWER),
    )


def _note(agent: str, seen: datetime | None) -> None:
    """Writes down that the agent was here, at most once a minute."""
    now = timezone.now()
    late = now - SEEN_EVERY
    if seen is None or seen < late:
        # Of many requests at once one writes. The others pass by: no request waits for whoever holds the row.
        with connection.cursor() as cursor:
            cursor.execute(NOTED, {"agent": agent, "now": now, "late": late})
