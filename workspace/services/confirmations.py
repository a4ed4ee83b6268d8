"""Tokens that confirm a change which was previewed: signed, short-lived, of use to one principal for one change."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.core import signing

from workspace.actor import Actor
from workspace.errors import AccessChange

SALT = "workspace.confirmation"
SECONDS = 600


def sign(actor: Actor, change: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """A token of ``actor`` for ``change`` (JSON-ready), as long as what was ``told`` of it stays true."""
    return signing.dumps([actor.principal, _digest(change), _digest(told)], salt=SALT)


def check(
    actor: Actor, token: object, change: Mapping[str, Any], now: Mapping[str, Any], *, told: Mapping[str, Any]
) -> None:
    """``AccessChange`` unless ``token`` is younger than 10 minutes and was made by ``sign`` of the same three.

    The refusal carries ``told`` as its preview, and a fresh token for ``now``.
    """
    try:
        if not isinstance(token, str):
            raise signing.BadSignature
        held = signing.loads(token, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        held = None
    if held == [actor.principal, _digest(change), _digest(now)]:
        return
    raise AccessChange(
        gains=tuple(one["email"] for one in told["gains"]),
        loses=tuple(one["email"] for one in told["loses"]),
        preview=told,
        confirm_token=sign(actor, change, now),
    )


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
