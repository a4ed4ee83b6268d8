"""Agents that connected over OAuth, at both doors: what their tokens let them do, and when it ends."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from tests.cast import PLAN, Cast
from tests.mcp.conftest import PLACE
from tests.mcp.rpc import EVERY, Rpc
from tests.tokens import Granted, grant
from workspace.actor import Role
from workspace.mcp.tools import TOOLS
from workspace.models import AgentScope, Commit, Document, Person
from workspace.services import documents, people

READ = "workspace:read"
WRITES: dict[str, dict[str, object]] = {
    "doc_create": {"action": "document", "folder_path": ["product", "launch"], "name": "new.md", "content": "x"},
    "doc_update": {"action": "append", "location": PLACE, "content": "x"},
    "doc_delete": {"location": PLACE},
    "capture": {"action": "commit", "folder": "product/launch", "content": "x"},
}


@pytest.fixture
def granted(committed_cast: Cast) -> Granted:
    """A program that alice let in."""
    documents.create(committed_cast.alice, location=PLACE, content=PLAN)
    return grant(committed_cast.people["alice"])


@pytest.fixture
def whole(server: str, granted: Granted) -> Rpc:
    """It, with a token for everything."""
    return Rpc(server, granted.token)


@pytest.fixture
def reading(server: str, granted: Granted) -> Rpc:
    """It, with a token for reading."""
    return Rpc(server, granted.issue(scopes=READ))


def rest(rpc: Rpc, method: str = "GET", path: str = "/me", **more: object) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {rpc.token}", **more.pop("headers", {})}  # type: ignore[dict-item]
    return httpx2.request(method, f"{rpc.address}/api/v1{path}", headers=headers, timeout=30, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", EVERY)
def test_a_token_for_everything_writes(whole: Rpc, version: str) -> None:
    whole.version = version
    assert {tool["name"] for tool in whole.answer("tools/list")["tools"]} == set(TOOLS)
    assert whole.data("doc_update", **WRITES["doc_update"])["outcome"] == "saved"


@pytest.mark.parametrize("version", EVERY)
def test_a_token_for_reading_is_shown_no_tool_that_writes(reading: Rpc, version: str) -> None:
    reading.version = version
    names = {tool["name"] for tool in reading.answer("tools/list")["tools"]}
    assert names == {name for name, tool in TOOLS.items() if not tool.writes}
    assert "read" in names


@pytest.mark.parametrize("tool", WRITES)
def test_a_write_that_is_called_anyway_tells_how_to_get_further(reading: Rpc, tool: str) -> None:
    before = Commit.objects.count()
    result = reading.call(tool, **WRITES[tool])
    assert result["isError"]
    assert result["structuredContent"]["code"] == "FORBIDDEN"
    assert "workspace:write" in result["structuredContent"]["next"]
    assert "workspace:write" in result["content"][0]["text"]
    assert Commit.objects.count() == before


def test_what_it_does_not_reach_is_not_there_for_reading_either(reading: Rpc, granted: Granted) -> None:
    launch = Document.objects.get().folder
    AgentScope.objects.create(agent=granted.agent, role=Role.MANAGER, folder=launch)
    for location in ("other/secret.md", "product/none.md"):
        for tool, given in (("doc_update", {"action": "append", "content": "x"}), ("read", {})):
            told = reading.call(tool, location=location, **given)["structuredContent"]
            assert told["code"] == "NOT_FOUND"
            assert "workspace:write" not in told["next"]


def test_an_editors_refusal_is_not_told_to_ask_for_a_scope(server: str, granted: Granted, committed_cast: Cast) -> None:
    carols = Rpc(server, grant(committed_cast.people["carol"], "carols").token)
    told = carols.call("doc_update", **WRITES["doc_update"])["structuredContent"]
    assert told["code"] == "FORBIDDEN"
    assert "workspace:write" not in told["next"]


def test_both_doors_take_the_token(whole: Rpc, reading: Rpc) -> None:
    assert rest(whole).json()["agent"]["name"] == "Claude Code"
    assert rest(reading).json()["scopes"] == ["viewer@*"]
    body = {"location": "product/launch/rest.md", "content": "x"}
    made = rest(whole, "POST", "/documents", json=body, headers={"Idempotency-Key": "1"})
    assert made.status_code == 201


def test_rest_tells_a_reading_token_which_scope_is_missing(reading: Rpc) -> None:
    refused = rest(reading, "PATCH", f"/documents/{PLACE}", json={"append": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
    challenge = refused.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="workspace:read workspace:write"' in challenge
    hidden = rest(reading, "PATCH", "/documents/other/none.md", json={"append": "x"})
    assert hidden.status_code == 404
    assert "www-authenticate" not in hidden.headers


def bad_tokens(granted: Granted) -> Iterator[tuple[str, str]]:
    past = timezone.now() - timedelta(seconds=1)
    yield "forged", granted.token[:-1] + ("A" if granted.token[-1] != "A" else "B")
    yield "expired", granted.issue(expires_at=past)
    yield "for another server", granted.issue(resources=["https://other.example/mcp"])
    yield "for two servers", granted.issue(resources=["https://other.example/mcp", "http://127.0.0.1:8000/mcp"])
    yield "for none", granted.issue(resources=[])
    yield "with another scope", granted.issue(scopes="openid profile")
    yield "a refresh token", granted.issue("rt")
    yield "a code", granted.issue("ac")
    yield "of an unknown grant", granted.issue(grant_id="none")


def test_every_wrong_token_is_refused_at_both_doors_in_the_same_words(whole: Rpc, granted: Granted) -> None:
    told = set()
    for name, token in bad_tokens(granted):
        rpc = replace(whole, token=token)
        mcp, api = rpc.post("tools/list"), rest(rpc)
        assert (mcp.status_code, api.status_code) == (401, 401), name
        told.add((mcp.headers["www-authenticate"], mcp.text, api.headers["www-authenticate"], api.json()["detail"]))
        assert 'error="invalid_token"' in mcp.headers["www-authenticate"]
        assert 'error="invalid_token"' in api.headers["www-authenticate"]
    assert len(told) == 1
    assert whole.post("tools/list").status_code == 200


def test_rest_takes_no_token_from_the_address(whole: Rpc) -> None:
    for name in ("access_token", "token"):
        response = httpx2.get(f"{whole.address}/api/v1/me?{name}={whole.token}", timeout=30)
        assert response.status_code == 401
        assert "error=" not in response.headers["www-authenticate"]


def test_a_person_who_is_deactivated_ends_every_token_at_once(whole: Rpc, committed_cast: Cast) -> None:
    scout = replace(whole, token=committed_cast.tokens["scout"])
    assert whole.post("tools/list").status_code == scout.post("tools/list").status_code == 200
    root = replace(committed_cast.mallory, admin=True)
    people.update(root, person=committed_cast.people["alice"].pk, active=False)
    for rpc in (whole, scout):
        assert rpc.post("tools/list").status_code == 401
        assert rest(rpc).status_code == 401


@pytest.mark.parametrize("kind", ["granted", "minted"])
def test_a_write_in_progress_ends_whole_and_the_next_call_is_refused(
    whole: Rpc, committed_cast: Cast, kind: str
) -> None:
    rpc = whole if kind == "granted" else replace(whole, token=committed_cast.tokens["scout"])
    document = Document.objects.get()
    results: list[dict[str, object]] = []
    write = threading.Thread(target=lambda: results.append(rpc.call("doc_update", **WRITES["doc_update"])))
    with transaction.atomic():
        Document.objects.select_for_update().get(pk=document.pk)
        write.start()
        _until_somebody_waits()
        off = threading.Thread(target=_deactivate, args=(committed_cast.people["alice"].pk,))
        off.start()
        off.join(timeout=10)
        assert not off.is_alive()
        assert not results
    write.join(timeout=30)
    (result,) = results
    assert result["structuredContent"]["outcome"] == "saved"  # type: ignore[index]
    assert Document.objects.get().head.blob.content.endswith("\nx\n")
    assert rpc.post("tools/list").status_code == 401
    assert rest(rpc).status_code == 401


def _deactivate(person: int) -> None:
    try:
        Person.objects.filter(pk=person).update(is_active=False)
    finally:
        connections.close_all()


def _until_somebody_waits() -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("the write did not come as far as the lock")
