"""A token or a person that ends in mid-session: the next call is refused, whatever it is, and nothing is done."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.cast import Cast
from tests.mcp.rpc import EVERY, Rpc
from tests.parity import rows
from workspace.models import AgentToken, Person
from workspace.services import agents, documents

PLACE = "product/launch"


def revoke(cast: Cast, agent: str) -> None:
    agents.revoke(cast.bob, agent=agent)


def expire(cast: Cast, agent: str) -> None:
    AgentToken.objects.filter(agent=agent).update(expires_at=timezone.now() - timedelta(seconds=1))


def deactivate(cast: Cast, agent: str) -> None:
    Person.objects.filter(email="bob@example.org").update(is_active=False)


ENDS = [revoke, expire, deactivate]


@pytest.fixture
def minted(committed_cast: Cast) -> tuple[str, str]:
    """An agent of bob, with its token."""
    made = agents.create(committed_cast.bob, name="ending")
    return made.agent_id, made.token


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("end", ENDS)
def test_over_mcp(
    server: str,
    committed_cast: Cast,
    minted: tuple[str, str],
    end: Callable[[Cast, str], None],
    version: str,
) -> None:
    agent, token = minted
    rpc = Rpc(server, token, version=version)
    arguments = {"action": "document", "folder_path": PLACE.split("/"), "content": "x", "name": "before.md"}
    create = {"name": "doc_create", "arguments": arguments}
    assert not rpc.answer("tools/call", create).get("isError")
    end(committed_cast, agent)
    before = rows.state()
    arguments["name"] = "after.md"
    for method, params in (("tools/call", create), ("tools/list", {}), ("resources/list", {})):
        response = rpc.post(method, params)
        assert response.status_code == 401, method
        assert "Bearer" in response.headers["WWW-Authenticate"]
    assert rows.state() == before


@pytest.mark.parametrize("end", ENDS)
def test_over_rest(committed_cast: Cast, minted: tuple[str, str], end: Callable[[Cast, str], None]) -> None:
    agent, token = minted
    client = Client(headers={"Authorization": f"Bearer {token}", "Idempotency-Key": "k"})
    assert client.get("/api/v1/me").status_code == 200
    end(committed_cast, agent)
    before = rows.state()
    body = json.dumps({"location": f"{PLACE}/after.md", "content": "x"})
    for response in (
        client.get("/api/v1/me"),
        client.post("/api/v1/documents", body, content_type="application/json"),
        client.get(f"/api/v1/documents/{PLACE}/none.md"),
    ):
        assert (response.status_code, response.json()["code"]) == (401, "UNAUTHENTICATED")
        assert "Bearer" in response["WWW-Authenticate"]
    assert rows.state() == before


def test_in_a_browser(committed_cast: Cast) -> None:
    first = documents.create(committed_cast.bob, location=f"{PLACE}/x.md", content="x\n").commit
    client = Client()
    client.force_login(committed_cast.people["bob"], backend="allauth.account.auth_backends.AuthenticationBackend")
    assert client.get(f"/d/{PLACE}/x.md").status_code == 200
    deactivate(committed_cast, "")
    before = rows.state()
    for response in (
        client.get(f"/d/{PLACE}/x.md"),
        client.post(f"/edit/{PLACE}/x.md", {"content": "y", "base": first, "key": "k"}),
        client.post("/new/folder", {"location": "after"}),
    ):
        assert response.status_code == 302
        assert response["Location"].startswith("/accounts/login/")
    assert client.get("/api/v1/me").status_code == 401
    assert rows.state() == before


@pytest.mark.parametrize(
    "raw", [b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "x": "\xff"}', b"\xff\xfe", b"{", b"[" * 100_000]
)
def test_what_is_not_json_in_utf_8_is_refused_over_mcp(server: str, minted: tuple[str, str], raw: bytes) -> None:
    before = rows.state()
    response = Rpc(server, minted[1]).send(raw)
    assert response.status_code == 400
    assert b"Traceback" not in response.content
    assert rows.state() == before
