"""Agents, what narrows them, and their tokens."""

import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from workspace import access
from workspace.actor import Actor
from workspace.errors import AlreadyExists, Gone, Invalid, NotFound
from workspace.models import Agent, AgentScope, AgentToken, Connection, Document, Folder, Person, ReceiptKind
from workspace.services import audit, receipts
from workspace.services.sharing import parse_role
from workspace.services.texts import check
from workspace.services.tokens import digest

PREFIX = "btn_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET = 32
CHECKSUM = 6
EVERYWHERE = "*"
MOST_DAYS = 3650
_SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{SECRET + CHECKSUM}}}\Z")
# A repeated form shows the token again for this long, and never once the token was used.
SHOWN_AGAIN = timedelta(minutes=5)


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


def _token(number: int) -> str:
    """``btn_``, 32 characters of ``number`` (190 bits) and a CRC-32, by which scanners tell a real one from a
    look-alike."""
    secret = ""
    for _ in range(SECRET):
        number, digit = divmod(number, len(ALPHABET))
        secret += ALPHABET[digit]
    return PREFIX + secret + _checksum(secret)


def _new_token(person: int, key: str | None) -> str:
    """A random token; for a request with a ``key`` the one that every repetition of it comes to, so that a second
    click shows what the first one made although only its hash was stored. It is made with the instance's secret."""
    if key is None:
        return _token(secrets.randbits(256))
    made = salted_hmac("workspace.services.agents", f"{person}:{key}", algorithm="sha256")
    return _token(int.from_bytes(made.digest(), "big"))


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
    key: str | None = None,
) -> Minted:
    """A new agent of the person, with a token. A scope is ``ROLE@LOCATION`` (``ROLE@*`` for everywhere).

    A request with a ``key`` that is repeated within ``SHOWN_AGAIN``, before the token was used, gives the same agent
    and token again. Raises ``AlreadyExists`` when the person has a live agent of this name, and ``Invalid``.
    """
    person, name = person_of(actor), named(name)
    check(host, field="host")
    if expires_days is not None and not 1 <= expires_days <= MOST_DAYS:
        raise Invalid("expires", f"must be 1 to {MOST_DAYS:,} days.")
    # Of two at once the second sees what the first made.
    if not Person.objects.select_for_update(no_key=True).filter(pk=person).exists():
        raise NotFound
    token = _new_token(person, key)
    made = AgentToken.objects.filter(token_hash=digest(token)).select_related("agent").first() if key else None
    if made is not None:
        return _again(made, token)
    if Agent.objects.filter(person=person, name=name, revoked_at=None).exists():
        raise AlreadyExists("You have an agent of this name. Choose another, or revoke that one.", location=name)
    rows = [_scope(actor, scope) for scope in scopes]
    agent = Agent.objects.create(person_id=person, name=name, host=host.strip()[:64])
    for row in rows:
        row.agent = agent
    AgentScope.objects.bulk_create(rows)
    expires = timezone.now() + timedelta(days=expires_days) if expires_days else None
    AgentToken.objects.create(
        agent=agent, prefix=token[: len(PREFIX) + 6], token_hash=digest(token), expires_at=expires
    )
    told = {"agent": agent.pk, "name": name, "scopes": list(scopes)}
    receipts.record(actor, ReceiptKind.AGENT_MADE, data=told)
    audit.record(
        actor,
        "token.minted",
        subject=_subject(agent),
        data={"scopes": list(scopes) or ["*"], "prefix": token[: len(PREFIX) + 6], "expires_days": expires_days},
    )
    return Minted(agent_id=agent.pk, name=name, token=token, expires_at=expires)


def _again(made: AgentToken, token: str) -> Minted:
    agent = made.agent
    fresh = timezone.now() - made.created_at < SHOWN_AGAIN and agent.last_seen_at is None
    if not fresh or made.revoked_at or agent.revoked_at:
        raise AlreadyExists(
            "This form made its agent already, and the token was shown then. If it is lost, revoke that agent and "
            "make another.",
            location=agent.name,
        )
    return Minted(agent_id=agent.pk, name=agent.name, token=token, expires_at=made.expires_at)


def _subject(agent: Agent) -> str:
    """An agent as the audit log names it."""
    return f"{agent.name} ({agent.pk})"


@transaction.atomic(durable=True)
def rename(actor: Actor, *, agent: str, name: str) -> None:
    """Give one's own agent another name."""
    row = _own(actor, agent)
    before, row.name = _subject(row), named(name)
    if row.revoked_at:
        raise Gone("This agent was revoked. What it wrote keeps the name that it had.")
    if Agent.objects.filter(person_id=row.person_id, name=row.name, revoked_at=None).exclude(pk=row.pk).exists():
        raise AlreadyExists("You have an agent of this name. Choose another.", location=row.name)
    if _subject(row) != before:
        row.save(update_fields=["name"])
        audit.record(actor, "agent.renamed", subject=before, data={"name": row.name})


@transaction.atomic(durable=True)
def revoke(actor: Actor, *, agent: str) -> None:
    """End an agent: its tokens fail from the next request on. For its person, and for administrators."""
    row = _own(actor, agent)
    if row.revoked_at:
        return
    now = row.revoked_at = timezone.now()
    row.save(update_fields=["revoked_at"])
    row.tokens.filter(revoked_at=None).update(revoked_at=now)
    Connection.objects.filter(agent=row, ended_at=None).update(ended_at=now, ended_why="revoked")
    receipts.record(actor, ReceiptKind.AGENT_REVOKED, data={"agent": row.pk, "name": row.name})
    audit.record(actor, "agent.revoked", subject=_subject(row))


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
        audit.record(actor, "token.revoked", subject=_subject(row), data={"token": token})


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
