"""Agents, what narrows them, and their tokens."""

import hashlib
import json
import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role, Scope, Via
from workspace.errors import AlreadyExists, Invalid, NotFound, Unauthenticated
from workspace.models import Agent, AgentScope, AgentToken, Document, Folder, ReceiptKind
from workspace.models.people import person_label
from workspace.services import receipts
from workspace.services.sharing import parse_role
from workspace.services.texts import check

PREFIX = "btn_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET = 32
CHECKSUM = 6
SEEN_EVERY = timedelta(minutes=1)
EVERYWHERE = "*"
# Asked on every request of every agent, so it is not built anew each time.
HOLDER = """
SELECT agent.id, agent.name, agent.host, agent.last_seen_at, person.id, person.email, person.name,
       person.is_superuser,
       (SELECT coalesce(jsonb_agg(jsonb_build_array(scope.role, scope.folder_id, scope.document_id)), '[]')
          FROM workspace_agentscope scope WHERE scope.agent_id = agent.id)::text
  FROM workspace_agenttoken token
  JOIN workspace_agent agent ON agent.id = token.agent_id
  JOIN workspace_person person ON person.id = agent.person_id
 WHERE token.token_hash = %s
   AND token.revoked_at IS NULL
   AND (token.expires_at IS NULL OR token.expires_at > now())
   AND agent.revoked_at IS NULL
   AND person.is_active
"""
_SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{SECRET + CHECKSUM}}}\Z")


@dataclass(frozen=True, kw_only=True)
class Minted:
    """A new agent with its token, which is shown this once."""

    agent_id: str
    name: str
    token: str
    expires_at: datetime | None


def _checksum(secret: str) -> str:
    number, digits = zlib.crc32(secret.encode()), ""
    for _ in range(CHECKSUM):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def _new_token() -> str:
    """``btn_``, 32 random characters (190 bits) and a CRC-32, by which scanners tell a real one from a look-alike."""
    secret = "".join(secrets.choice(ALPHABET) for _ in range(SECRET))
    return PREFIX + secret + _checksum(secret)


def digest(token: str) -> str:
    """What is stored of a token. It has the entropy of a key, so a plain SHA-256 keeps it."""
    return hashlib.sha256(token.encode()).hexdigest()


def authenticate(token: str, *, via: Via, session: str = "") -> Actor:
    """The agent that holds ``token``, in one query. Raises ``Unauthenticated`` for any other token.

    Unknown, revoked, expired, and of a deactivated person are one answer.
    """
    secret = token[len(PREFIX) : len(PREFIX) + SECRET]
    if not _SHAPE.match(token) or token[-CHECKSUM:] != _checksum(secret):
        raise Unauthenticated("This token is not valid. Mint a new one on the agents page.")
    with connection.cursor() as cursor:
        cursor.execute(HOLDER, [digest(token)])
        row = cursor.fetchone()
    if row is None:
        raise Unauthenticated("This token is not valid. Mint a new one on the agents page.")
    agent, name, host, seen, person, email, person_name, admin, narrowing = row
    now = timezone.now()
    if seen is None or seen < now - SEEN_EVERY:
        Agent.objects.filter(pk=agent).update(last_seen_at=now)
    return Actor(
        person=person,
        label=person_label(person_name, email),
        email=email,
        admin=admin,
        agent=agent,
        agent_name=name,
        host=host,
        scopes=tuple(
            Scope(role=Role(role), folder=folder, document=document) for role, folder, document in json.loads(narrowing)
        ),
        via=via,
        session=session[:200],
    )


@transaction.atomic(durable=True)
def create(
    actor: Actor,
    *,
    name: str,
    scopes: Sequence[str] = (),
    expires_days: int | None = None,
    host: str = "",
) -> Minted:
    """A new agent of the person, with a token. A scope is ``ROLE@LOCATION`` (``ROLE@*`` for everywhere).

    Raises ``AlreadyExists`` when the person has a live agent of this name, and ``Invalid``.
    """
    person, name = _person(actor), _name(name)
    check(host, field="host")
    if expires_days is not None and not 1 <= expires_days <= 3650:
        raise Invalid("expires", "must be 1 to 3,650 days.")
    if Agent.objects.filter(person=person, name=name, revoked_at=None).exists():
        raise AlreadyExists("You have an agent of this name. Choose another, or revoke that one.", location=name)
    rows = [_scope(actor, scope) for scope in scopes]
    agent = Agent.objects.create(person_id=person, name=name, host=host.strip()[:64])
    for row in rows:
        row.agent = agent
    AgentScope.objects.bulk_create(rows)
    token = _new_token()
    expires = timezone.now() + timedelta(days=expires_days) if expires_days else None
    AgentToken.objects.create(
        agent=agent, prefix=token[: len(PREFIX) + 6], token_hash=digest(token), expires_at=expires
    )
    receipts.record(actor, ReceiptKind.AGENT_MADE, data={"agent": agent.pk, "name": name, "scopes": list(scopes)})
    return Minted(agent_id=agent.pk, name=name, token=token, expires_at=expires)


@transaction.atomic(durable=True)
def rename(actor: Actor, *, agent: str, name: str) -> None:
    """Give one's own agent another name."""
    row = _own(actor, agent)
    row.name = _name(name)
    if Agent.objects.filter(person_id=row.person_id, name=row.name, revoked_at=None).exclude(pk=row.pk).exists():
        raise AlreadyExists("You have an agent of this name. Choose another.", location=row.name)
    row.save(update_fields=["name"])


@transaction.atomic(durable=True)
def revoke(actor: Actor, *, agent: str) -> None:
    """End an agent: its tokens fail from the next request on. For its person, and for administrators."""
    row = _own(actor, agent)
    now = timezone.now()
    row.revoked_at = row.revoked_at or now
    row.save(update_fields=["revoked_at"])
    row.tokens.filter(revoked_at=None).update(revoked_at=now)
    receipts.record(actor, ReceiptKind.AGENT_REVOKED, data={"agent": row.pk, "name": row.name})


@transaction.atomic(durable=True)
def revoke_token(actor: Actor, *, token: int) -> None:
    """End one token of an agent, which keeps its others. For its person, and for administrators."""
    held = AgentToken.objects.filter(pk=token).values_list("agent", flat=True).first()
    if held is None:
        raise NotFound
    row = _own(actor, held)
    ended = AgentToken.objects.filter(pk=token, revoked_at=None).update(revoked_at=timezone.now())
    if ended:
        receipts.record(actor, ReceiptKind.AGENT_REVOKED, data={"agent": row.pk, "name": row.name, "token": token})


def _own(actor: Actor, agent: str) -> Agent:
    person = _person(actor)
    rows = Agent.objects.select_for_update(no_key=True).filter(pk=agent)
    row = (rows if actor.admin else rows.filter(person=person)).first()
    if row is None:
        raise NotFound
    return row


def _person(actor: Actor) -> int:
    """The person who acts; an agent may not make or end agents, as it would widen itself."""
    if actor.agent or actor.person is None:
        raise NotFound
    return actor.person


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
        raise Invalid("name", "must be 1 to 200 printable characters.")
    return check(name.strip(), field="name").content


def _scope(actor: Actor, scope: str) -> AgentScope:
    role, at, location = scope.partition("@")
    if not at:
        raise Invalid("scope", "must be ROLE@LOCATION, such as editor@product/launch.")
    if location == EVERYWHERE:
        return AgentScope(role=parse_role(role))
    try:
        target: Folder | Document = access.place(actor, location=location)
    except NotFound:
        raise Invalid("scope", f"{location} is no place that you can see.") from None
    return AgentScope(role=parse_role(role), **access.scope_of(target))
