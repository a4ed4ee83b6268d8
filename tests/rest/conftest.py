"""A client for each of the cast: what they send, and what every answer must have."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from django.core.asgi import get_asgi_application
from django.test import Client

from tests.cast import Cast
from tests.rest import described
from workspace.services import agents

BASE = "/api/v1"


class Caller:
    """Calls the interface as an agent with its token, or as nobody."""

    def __init__(self, token: str | None = None) -> None:
        self.client = Client(raise_request_exception=False)
        self.token = token

    def __call__(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Any:
        """The response. ``body`` is sent as JSON, ``raw`` as it is; headers are named If_Match for If-Match."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        kind = sent.pop("Content-Type", "application/json")
        response = self.client.generic(method, BASE + path, data, content_type=kind, headers=sent)
        assert "X-Request-Id" in response.headers
        described.check(method, BASE + path.partition("?")[0], response)
        if response.status_code >= 400 and method != "HEAD":
            problem = response.json()
            assert response["Content-Type"] == "application/problem+json"
            assert problem.keys() >= {"type", "title", "status", "code", "detail", "request_id"}
            assert problem["status"] == response.status_code
            assert problem["request_id"] == response["X-Request-Id"]
        return response

    def get(self, path: str, **headers: str) -> Any:
        return self("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self("PUT", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self("DELETE", path, **headers)


@pytest.fixture
def scout(cast: Cast) -> Caller:
    """Alice's agent: manager of product/launch."""
    return Caller(cast.tokens["scout"])


@pytest.fixture
def rover(cast: Cast) -> Caller:
    """Bob's agent: editor of product/launch."""
    return Caller(cast.tokens["rover"])


def agent_of(cast: Cast, name: str, *scopes: str) -> Caller:
    """A fresh agent of one of the people."""
    return Caller(agents.create(cast.person(name), name=f"{name}-{len(scopes)}", scopes=scopes).token)


@pytest.fixture
def carol(cast: Cast) -> Caller:
    """An agent of carol, who reads product/launch."""
    return agent_of(cast, "carol")


@pytest.fixture
def mallory(cast: Cast) -> Caller:
    """An agent of mallory, who sees nothing."""
    return agent_of(cast, "mallory")


@pytest.fixture
def nobody(db: None) -> Caller:
    return Caller()


def code(response: Any) -> tuple[int, str]:
    """The status and the code of a problem."""
    return response.status_code, response.json()["code"]


def fields(response: Any) -> list[str]:
    """The fields that an INVALID problem names."""
    return [error["field"] for error in response.json()["errors"]]


class Server:
    """The product's ASGI application behind a real HTTP server, for what only the wire shows."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in lower case) and body. ``target`` is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()


@pytest.fixture
def server(committed_cast: Cast) -> Iterator[Server]:
    """A server in a thread of its own, upon the test's database."""
    running = uvicorn.Server(uvicorn.Config(get_asgi_application(), port=0, lifespan="off", log_level="error"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield Server(running.servers[0].sockets[0].getsockname()[1])
    running.should_exit = True
    thread.join(10)
