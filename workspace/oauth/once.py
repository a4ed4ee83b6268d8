"""One answer to one request: of two that a person sends, by a double click or from two tabs, the first counts.

A request is told from others by all that it said, of which the challenge is new every time (RFC 7636, section 4.1).
Whoever answers takes a row of the library's table, which expires like a token. An answer that granted something leaves
in it where it led: a browser follows the last answer that it gets, so a second one is led to the same address as long
as nobody was there. The address carries a code, so it is encrypted with the instance's key; the row is one of the
family that came of the grant, and goes with it.
"""

import base64
import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from allauth.idp.oidc.models import Client, Token
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from workspace.oauth import families

ANSWER: Final = "an"
"""Type of the row."""
WAIT_S: Final = 5.0
"""How long a second answer waits for what comes of the first."""
EVERY_S: Final = 0.05


@dataclass(kw_only=True)
class Turn:
    """Somebody's turn to answer. Where it is ``over``, something was granted before; ``url`` is where that led, empty
    where it leads nowhere any more. Else ``grant`` takes what this answer grants."""

    over: bool = False
    url: str = ""
    family: str = ""

    def grant(self, family: str, url: str) -> None:
        """The answer grants the family, whose code is at ``url``."""
        self.family, self.url = family, url


@contextmanager
def turn(request: HttpRequest, *, client: Client, said: Mapping[str, Any], seconds: int) -> Iterator[Turn]:
    """The turn of who is signed in to answer the request that ``said`` it; outside any transaction.

    What it grants counts for ``seconds``. Where it grants nothing, the request can be answered again.
    """
    digest = hashlib.sha256(json.dumps([request.user.pk, client.pk, said], sort_keys=True).encode()).hexdigest()
    until = time.monotonic() + WAIT_S
    while True:
        row, mine = _take(digest, client, request, seconds)
        if mine or row.data["url"] or time.monotonic() > until:
            break
        time.sleep(EVERY_S)
    if not mine:
        yield Turn(over=True, url=_usable(row))
        return
    own = Turn()
    try:
        yield own
    finally:
        if own.family:
            row.data = {"grant_id": own.family, "url": _cipher().encrypt(own.url.encode()).decode()}
            row.save(update_fields=["data"])
        else:
            row.delete()


def _take(digest: str, client: Client, request: HttpRequest, seconds: int) -> tuple[Token, bool]:
    """The row of the request, and whether it was made just now: of several at once, one makes it."""
    Token.objects.expired().filter(type=ANSWER, hash=digest).delete()
    values = {
        "client": client,
        "user_id": request.user.pk,
        "expires_at": timezone.now() + timedelta(seconds=seconds),
        "data": {"url": ""},
    }
    return Token.objects.get_or_create(type=ANSWER, hash=digest, defaults=values)


def _usable(row: Token) -> str:
    """The address that was kept, unless its code was used or is over: used twice it would end the family."""
    try:
        url = _cipher().decrypt(row.data["url"]).decode()
    except InvalidToken:
        return ""
    code = dict(parse_qsl(urlsplit(url).query)).get("code", "")
    waits = Token.objects.lookup(Token.Type.AUTHORIZATION_CODE, code) is not None
    used = families.members(row.data["grant_id"]).filter(type=Token.Type.ACCESS_TOKEN).exists()
    return url if waits and not used else ""


def _cipher() -> Fernet:
    key = hashlib.sha256(b"workspace.oauth.once:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
