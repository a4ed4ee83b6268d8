"""Agents, what narrows them, and their tokens."""

import hashlib
import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from workspace import access
from workspace.actor import Actor
from workspace.errors import AlreadyExists, Invalid, NotFound
from workspace.models import Agent, AgentScope, AgentToken, Connection, Document, Folder, ReceiptKind
from workspace.services import receipts
from workspace.services.sharing import parse_role
from workspace.services.texts import check

PREFIX = "btn_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET = 32
CHECKSUM = 6
EVERYWHERE = "*"
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


def well_formed(token: str) -> bool:
    """Whether ``token`` looks like one of ours, its checksum included; no query."""
    secret = token[len(PREFIX) : len(PREFIX) + SECRET]
    return _SHAPE.match(token) is not None and token[-CHECKSUM:] == _checksum(secret)


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
    person, name = person_of(actor), named(name)
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
    row.name = named(name)
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
    Connection.objects.filter(agent=row, ended_at=None).update(ended_at=now, ended_why="revoked")
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
    person = person_of(actor)
    rows = Agent.objects.select_for_update(no_key=True).filter(pk=agent)
    row = (rows if actor.admin else rows.filter(person=person)).first()
    if row is None:
        raise NotFound
    return row


def person_of(actor: Actor) -> int:
    """The person who acts; an agent may not make or end agents, as it would widen itself."""
    if actor.agent or actor.person is None:
        raise NotFound
    return actor.person


def named(name: object) -> str:
    """A name for an agent, trimmed. Raises ``Invalid``."""
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
