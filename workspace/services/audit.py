"""The audit log: every write, grant, token and sign-in, and what was refused, by whom, through what and from where.

``record`` is called by each write, inside its transaction: what was not recorded did not happen. A write that
changed nothing, or that was answered from an earlier one, records nothing. ``denied`` is called by the adapters,
after a refusal. Actions are dotted nouns: ``document.created``, ``grant.given``, ``signin.failed``. No entry holds a
secret, nor any text of a document.
"""

import ipaddress
import json
import logging
import re
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from django.db import connection, transaction

from workspace.access import location_of
from workspace.actor import Actor, Via
from workspace.errors import Forbidden, NotFound, Refusal, Target, Unauthenticated
from workspace.models import Commit, Document, Folder
from workspace.models.ids import receipt_id
from workspace.services.buckets import Buckets
from workspace.services.receipts import key_of

logger = logging.getLogger(__name__)

LONGEST = 1_000
"""Characters that are kept of a location, a subject or a reason."""
PER_MINUTE = 60
"""Refusals that one process records of one principal, or of one address where nobody is signed in."""
PER_MINUTE_UNKNOWN = 300
"""The same of everybody together who is not signed in."""

# One fixed statement and one round trip; the table's name is not any caller's.
INSERT = """
INSERT INTO workspace_auditentry
    (action, denied, person_id, agent_id, job, via, request_id, address, folder_id, document_id,
     location, subject, reason, data)
VALUES (%s, false, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb)
"""

# Every write of a document makes both, so both go in one round trip.
WRITTEN = f"""
WITH receipt AS (
    INSERT INTO workspace_receipt
        (id, kind, person_id, agent_id, job, via, session, folder_id, document_id, commit_id, reason, data)
    VALUES (%s, 'written', %s, %s, %s, %s, %s, %s, %s, %s, %s, '{{}}')
)
{INSERT}"""

# The place that was asked for is looked up by one statement, whatever the refusal knows of it, so that a refusal takes
# as long for what is hidden as for what is absent.
REFUSED = """
WITH place AS MATERIALIZED (
    SELECT folder, document FROM (
        SELECT %s::bigint AS folder, %s::varchar AS document, 0 AS rank
        UNION ALL
        SELECT id, NULL, 1 FROM workspace_folder WHERE path = %s AND deleted_at IS NULL
        UNION ALL
        SELECT document.folder_id, document.id, 2 FROM workspace_document document
          JOIN workspace_folder folder ON folder.id = document.folder_id
         WHERE folder.path = %s AND document.name = %s
        UNION ALL
        SELECT document.folder_id, document.id, 3 FROM workspace_document document WHERE document.id = %s
        UNION ALL
        SELECT folder_id, NULL, 4 FROM workspace_capture
         WHERE id = %s AND (proposed_at IS NULL OR approved_at IS NOT NULL)
        UNION ALL
        SELECT document.folder_id, document.id, 5 FROM workspace_commit made
          JOIN workspace_document document ON document.id = made.document_id WHERE made.id = %s
    ) AS found WHERE folder IS NOT NULL OR document IS NOT NULL ORDER BY rank LIMIT 1
)
INSERT INTO workspace_auditentry
    (action, denied, person_id, agent_id, job, via, request_id, address, folder_id, document_id,
     location, subject, reason, data)
VALUES (%s, true, %s, %s, %s, %s, %s, %s, (SELECT folder FROM place), (SELECT document FROM place),
        %s, %s, %s, %s::jsonb)
"""

ATTEMPTS: Mapping[type[Refusal], str] = {
    Unauthenticated: "attempt.unauthenticated",
    Forbidden: "attempt.forbidden",
    NotFound: "attempt.not_found",
}
"""What the log calls the refusals that it records; the others tell of slips and not of anybody's reach."""

_UNSTORABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def record(
    actor: Actor,
    action: str,
    *,
    folder: Folder | int | None = None,
    document: Document | str | None = None,
    location: str = "",
    subject: str = "",
    reason: str = "",
    data: Mapping[str, Any] | None = None,
) -> None:
    """Records that ``actor`` did ``action``, inside the caller's transaction; one statement.

    The entry is shown to the managers of ``folder``, which a document given as a row brings with it, as it does its
    location. ``subject`` is whom or what it was done to where that is no place: an address, ``group:NAME``, an
    agent. ``data`` is JSON-ready, small, holds no secret and no content, and tells nothing of any other place.
    """
    if isinstance(document, Document):
        folder = document.folder_id if folder is None else folder
        location = location or location_of(document)
    elif isinstance(folder, Folder):
        location = location or folder.path
    place = (key_of(folder), key_of(document))
    facts = _facts(location, subject, reason or actor.reason, data or {})
    with connection.cursor() as cursor:
        cursor.execute(INSERT, (action, *_doer(actor, actor.via, _address(actor.address)), *place, *facts))


def written(actor: Actor, action: str, document: Document, commit: Commit) -> None:
    """Records ``commit`` of ``document``, whose folder is loaded, and leaves its receipt; one statement, inside the
    caller's transaction."""
    place = (document.folder_id, document.pk)
    receipt = (receipt_id(), actor.person, actor.agent, actor.job, actor.via.value, actor.session[:200], *place)
    facts = _facts(commit.location, "", commit.reason, {"commit": commit.pk})
    doer = _doer(actor, actor.via, _address(actor.address))
    with connection.cursor() as cursor:
        cursor.execute(WRITTEN, (*receipt, commit.pk, commit.reason, action, *doer, *place, *facts))


def attempt(
    actor: Actor | None,
    refusal: Refusal,
    *,
    call: str,
    location: object = "",
    subject: object = "",
    via: Via | None = None,
    address: str | None = None,
) -> None:
    """Records a refusal that an adapter answers, where it is one of ``ATTEMPTS``; never raises.

    ``call`` names what was called, as the adapter declares it and not as it was sent: an address may hold a secret.
    ``location`` and ``subject`` are the place or the thing that was asked for; what is no text counts as nothing.
    """
    action = ATTEMPTS.get(type(refusal))
    if action is None:
        return
    denied(
        actor,
        action,
        code=refusal.code,
        target=refusal.target,
        location=location if isinstance(location, str) else "",
        subject=subject if isinstance(subject, str) else "",
        via=via,
        address=address,
        data={"call": call},
    )


def denied(
    actor: Actor | None,
    action: str,
    *,
    code: str,
    target: Target | None = None,
    location: str = "",
    subject: str = "",
    address: str | None = None,
    via: Via | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Records that somebody was refused, outside of any transaction. Never raises.

    ``actor`` is None where nobody was recognised; then ``via`` says through what. ``target`` is the refusal's own
    (``Refusal.target``); ``location`` and ``subject`` are what was asked, as it was asked. ``address`` is that of
    the request where left out.

    A process records at most ``PER_MINUTE`` refusals a minute of one principal or address; the next entry tells in
    ``data.left_out`` how many it did not record. What is hidden and what is absent take the same statement.
    """
    try:
        asker = actor or Actor(person=None, label="", via=via or Via.WEB)
        source, through = _address(asker.address if address is None else address), via or asker.via
        left_out = _take(actor.principal if actor else f"address:{_network(source)}", known=actor is not None)
        if left_out is None:
            return
        told = {**(data or {}), "code": code, **({"left_out": left_out} if left_out else {})}
        # A savepoint where somebody calls this inside a transaction, so that a failure here does not end that.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            place = _asked(target or Target(), location, subject)
            facts = _facts(location, subject, asker.reason, told)
            with connection.cursor() as cursor:
                cursor.execute(REFUSED, (*place, action, *_doer(asker, through, source), *facts))
    except Exception:
        logger.exception("The refusal of %s could not be recorded", action)


def _doer(actor: Actor, via: Via, address: str | None) -> tuple[Any, ...]:
    return (actor.person, actor.agent, actor.job, via.value, actor.request_id, address)


def _facts(location: str, subject: str, reason: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    return (*map(_storable, (location, subject, reason)), json.dumps(_jsonable(data)))


def _asked(target: Target, location: str, subject: str) -> tuple[Any, ...]:
    """The parameters of ``place`` in ``REFUSED``."""
    location, subject = _storable(location), _storable(subject)
    folder, _, name = location.rpartition("/")
    return (target.folder, target.document, location, folder, name, subject, subject, subject)


def _storable(text: object) -> str:
    """``text``, bounded, without what PostgreSQL takes in no text and what could forge a line of an export."""
    return _UNSTORABLE.sub("\ufffd", str(text)[:LONGEST])


def _jsonable(value: Any) -> Any:
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {_storable(name): _jsonable(held) for name, held in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_jsonable(held) for held in value]
    return _storable(value)


def _address(address: str | None) -> str | None:
    """The address in its canonical form; None for what is none, such as a socket's."""
    try:
        found = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)


def _network(address: str | None) -> str:
    """What one sender can call its own: an IPv4 address, or the 64 bits that an IPv6 host is given."""
    if address is None or ":" not in address:
        return address or ""
    return str(ipaddress.ip_network(f"{address}/64", strict=False))


_refusals = Buckets()


def _take(key: str, *, known: bool) -> int | None:
    """How many refusals of ``key`` were left out since its last entry; None where this one is left out too."""
    return _refusals.take(key, PER_MINUTE, shared=None if known else PER_MINUTE_UNKNOWN)


def forget_refusals() -> None:
    """Begins to count refusals anew, as a fresh process does."""
    _refusals.clear()
