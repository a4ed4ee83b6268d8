"""A request that may be sent twice is done once: its first outcome is stored with it, in its transaction."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any, cast

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from workspace.actor import Actor
from workspace.errors import IdempotencyMismatch, Invalid
from workspace.merge import Hunk
from workspace.models import IdempotencyKey
from workspace.services.outcomes import Conflict, Outcome, Replayed, name_of

MAX_KEY = 255
KEPT = timedelta(hours=24)


def check_key(key: object) -> str:
    """A legal key: 1 to 255 printable characters. Raises ``Invalid``."""
    if not isinstance(key, str) or not key.strip() or len(key) > MAX_KEY or not key.isprintable():
        raise Invalid("idempotency_key", f"must be 1 to {MAX_KEY} printable characters.")
    return key


def once[T: Outcome](
    actor: Actor, operation: str, key: str | None, payload: dict[str, Any], act: Callable[[], T]
) -> T | Replayed:
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
            " ON CONFLICT DO NOTHING RETURNING id",
            [actor.principal, operation, key, digest],
        )
        made = cursor.fetchone()
    if made is None:
        row = IdempotencyKey.objects.get(principal=actor.principal, operation=operation, key=key)
        if row.digest != digest:
            raise IdempotencyMismatch
        return cast(T | Replayed, _load(row.outcome))  # a conflict only where ``act`` may come to one
    outcome = act()
    IdempotencyKey.objects.filter(pk=made[0]).update(outcome=_dump(outcome))
    return outcome


def expired() -> "QuerySet[IdempotencyKey]":
    """Keys that were kept for their time: a request that repeats one of them is a new request."""
    return IdempotencyKey.objects.filter(created_at__lt=timezone.now() - KEPT)


def purge(*, limit: int = 1000) -> int:
    """Forgets up to ``limit`` expired keys; returns how many."""
    count, _ = IdempotencyKey.objects.filter(pk__in=list(expired().values_list("pk", flat=True)[:limit])).delete()
    return count


def _dump(outcome: Outcome) -> dict[str, Any]:
    name = "conflict" if isinstance(outcome, Conflict) else name_of(outcome)
    return {"outcome": name, **asdict(outcome)}


def _load(stored: dict[str, Any]) -> Replayed | Conflict:
    fields = dict(stored)
    name = fields.pop("outcome")
    if name == "conflict":
        hunks = tuple(_hunk(stored) for stored in fields.pop("hunks"))
        return replace(Conflict(**fields, hunks=hunks), replayed=True)
    fields.pop("first", None)
    fields |= {k: tuple(fields[k]) for k in ("parents", "created_folders")}
    return Replayed(first=name, **fields)


def _hunk(stored: dict[str, Any]) -> Hunk:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
    return Hunk(**fields)
