"""A client of the authorization server, as a host would be one, and a browser that consents."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client as Browser

from tests.cast import Cast

CALLBACK = "http://127.0.0.1:7777/callback"
REGISTER = "/oauth/register"
TOKEN = "/oauth/token"
AUTHORIZE = "/oauth/authorize"


@pytest.fixture(autouse=True)
def _no_limits_left_over(db: None) -> None:
    cache.clear()


@dataclass(kw_only=True)
class Host:
    """A program that signs in for a person, step by step; ``browser`` is the person's, signed in."""

    browser: Browser
    client_id: str = ""
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    wire: Browser = field(default_factory=Browser)

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def post(self, path: str, /, **values: Any) -> HttpResponse:
        body = urlencode({name: value for name, value in values.items() if value is not None}, doseq=True)
        return self.wire.post(path, body, content_type="application/x-www-form-urlencoded")

    def register(self, **document: Any) -> "Host":
        self.client_id = register(document).json()["client_id"]
        return self

    def query(self, **changes: Any) -> dict[str, Any]:
        """An authorization request; None leaves a parameter out."""
        values = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "s-1",
            **changes,
        }
        return {name: value for name, value in values.items() if value is not None}

    def ask(self, **changes: Any) -> HttpResponse:
        return self.browser.get(f"{AUTHORIZE}?{urlencode(self.query(**changes), doseq=True)}")

    def consent(self, **changes: Any) -> HttpResponse:
        """What the person's browser gets for allowing; ``form`` changes what they chose."""
        form = {
            "action": "grant",
            "where": "all",
            "expires": "0",
            "name": f"Claude Code {secrets.token_hex(4)}",
            **changes.pop("form", {}),
        }
        # As hosts do: a verifier for each request (RFC 7636, section 4.1).
        self.verifier = secrets.token_urlsafe(48)
        page = self.ask(**changes)
        assert page.status_code == 200, (page.status_code, page.get("Location"), page.content[:500])
        return self.browser.post(AUTHORIZE, {"request": page.context["sealed"], **form})

    def code(self, **changes: Any) -> str:
        answer = self.consent(**changes)
        assert answer.status_code == 302, answer.content.decode()
        return told(answer)["code"]

    def exchange(self, code: str | None, **changes: Any) -> HttpResponse:
        values = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
        }
        return self.post(TOKEN, **{**values, **changes})

    def refresh(self, token: str, **changes: Any) -> HttpResponse:
        values = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return self.post(TOKEN, **{**values, **changes})

    def sign_in(self, **changes: Any) -> dict[str, Any]:
        """The answer of the token endpoint after the whole flow."""
        answer = self.exchange(self.code(**changes))
        assert answer.status_code == 200, answer.content
        return answer.json()


def register(document: Any, **headers: str) -> HttpResponse:
    """A registration; what a document leaves out is filled in, None leaves it out."""
    whole = (
        {"client_name": "Claude Code", "redirect_uris": [CALLBACK], **document}
        if isinstance(document, dict)
        else document
    )
    if isinstance(whole, dict):
        whole = {name: value for name, value in whole.items() if value is not None}
    return Browser().post(REGISTER, json.dumps(whole), content_type="application/json", headers=headers)


def told(answer: HttpResponse) -> dict[str, str]:
    """The parameters of the redirect to the program."""
    return dict(parse_qsl(urlsplit(answer["Location"]).query))


def works(token: str) -> bool:
    """Whether the REST interface takes the token."""
    answer = Browser().get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code in (200, 401), answer.content
    return answer.status_code == 200


def together(*calls: Callable[[], Any]) -> list[Any]:
    """What the calls return, made at one moment, each in a thread and over a connection of its own."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def browser_of(cast: Cast, name: str) -> Browser:
    browser = Browser()
    browser.force_login(cast.people[name])
    return browser


@pytest.fixture
def host(cast: Cast) -> Host:
    """Alice's host, registered."""
    return Host(browser=browser_of(cast, "alice")).register()


@pytest.fixture
def base() -> str:
    return str(settings.BATON_BASE_URL)
