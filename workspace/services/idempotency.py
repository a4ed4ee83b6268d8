"""A request that may be sent twice is done once: its first outcome is stored with it, in its transaction."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any, overload

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from workspace.actor import Actor
from workspace.errors import IdempotencyMismatch, Invalid
from workspace.merge import Hunk
from workspace.models import IdempotencyKey
from workspace.queries import decisions
from workspace.services.outcomes import Conflict, Made, Outcome, Replayed, name_of

MAX_KEY = 255
MOVE = "move"
"""One operation for documents and folders, since a caller names a place and not what is there."""


def check_key(key: object) -> str:
    """A legal key: 1 to 255 printable characters. Raises ``Invalid``."""
    if not isinstance(key, str) or not key.strip() or len(key) > MAX_KEY or not key.isprintable():
        raise Invalid("idempotency_key", f"must be 1 to {MAX_KEY} printable characters.")
    return key


@overload
def once(actor: Actor, operation: str, key: str | None, payload: dict[str, Any], act: Callable[[], Made]) -> Made: ...


@overload
def once[T: Outcome](
    actor: Actor, operation: str, key: str | None, payload: dict[str, Any], act: Callable[[], T]
) -> T | Replayed: ...


def once(actor: Actor, operation: str, key: str | None, payload: dict[str, Any], act: Callable[[], Any]) -> Any:
    """Run ``act`` unless this actor already did ``operation`` with ``key``; then give its first outcome.

    Must run inside the write's transaction. Of two at once the second waits on the first one's insert: if that
    commits, it replays; if that fails, it acts. Raises ``IdempotencyMismatch`` when the payload differs.
    """
    if key is None:
        return act()
    key = check_key(key)
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode()).hexdigest()
    table = IdempotencyKey._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (principal, operation, key, digest, outcome) VALUES (%s, %s, %s, %s, '{{}}')"
            # A key that was kept for its time is as good as new, purged yet or not.
            " ON CONFLICT (principal, operation, key)"
            f" DO UPDATE SET digest = excluded.digest, created_at = now() WHERE {table}.created_at < %s"
            " RETURNING id",
            [actor.principal, operation, key, digest, _oldest()],
        )
        made = cursor.fetchone()
    if made is None:
        row = IdempotencyKey.objects.get(principal=actor.principal, operation=operation, key=key)
        if row.digest != digest:
            raise IdempotencyMismatch
        return _load(row.outcome)  # of a kind that ``act`` may come to
    outcome = act()
    IdempotencyKey.objects.filter(pk=made[0]).update(outcome=_dump(outcome))
    return outcome


def first(actor: Actor, operation: str, key: str | None) -> type[Outcome | Made] | None:
    """What kind of outcome this actor's ``operation`` with ``key`` came to; None where there was none."""
    row = IdempotencyKey.objects.filter(
        principal=actor.principal, operation=operation, key=key, created_at__gte=_oldest()
    ).first()
    return type(_load(row.outcome)) if row else None


def expired() -> "QuerySet[IdempotencyKey]":
    """Keys that were kept for their time: a request that repeats one of them is a new request."""
    return IdempotencyKey.objects.filter(created_at__lt=_oldest())


def _oldest() -> datetime:
    return timezone.now() - timedelta(hours=settings.BATON_IDEMPOTENCY_HOURS)


def purge(*, limit: int = 1000) -> int:
    """Forgets up to ``limit`` expired keys; returns how many."""
    # Asked again where it is deleted: one of them may have been used anew meanwhile.
    count, _ = expired().filter(pk__in=list(expired().values_list("pk", flat=True)[:limit])).delete()
    return count


def _dump(outcome: Outcome | Made) -> dict[str, Any]:
    match outcome:
        case Conflict():
            name = "conflict"
        case Made():
            name = "made"
        case _:
            name = name_of(outcome)
    return {"outcome": name, **asdict(outcome)}


def _load(stored: dict[str, Any]) -> Replayed | Conflict | Made:
    fields = dict(stored)
    name = fields.pop("outcome")
    if name == "conflict":
        hunks = tuple(_hunk(stored) for stored in fields.pop("hunks"))
        kept = tuple(fields.pop("kept", ()))
        return replace(Conflict(**fields, hunks=hunks, kept=kept), replayed=True)
    if name == "made":
        return Made(**fields | {"created_folders": tuple(fields["created_folders"]), "replayed": True})
    fields.pop("first", None)
    fields |= {k: tuple(fields[k]) for k in ("parents", "created_folders")}
    fields["decisions"] = decisions.loaded(fields.get("decisions", ()))
    return Replayed(first=name, **fields)


def _hunk(stored: dict[str, Any]) -> Hunk:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
    return Hunk(**fields)
