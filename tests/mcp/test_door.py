"""Who may speak to ``/mcp`` at all, and by which HTTP."""

import http.client
import json

import httpx2
import pytest
from django.conf import settings

from tests.cast import Cast
from tests.mcp.rpc import EVERY, HANDSHAKE, MODERN, Rpc
from workspace.models import Agent
from workspace.services import agents

NONSENSE = "btn_" + "0" * 38


@pytest.mark.parametrize("version", EVERY)
def test_no_token_is_challenged_without_an_error(server: str, version: str) -> None:
    response = Rpc(server, None, version).post("tools/list")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        'Bearer realm="baton", '
        'resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp", '
        'scope="workspace:read workspace:write"'
    )
    assert response.json()["code"] == "UNAUTHENTICATED"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("token", [NONSENSE, "x", "é", "a" * 5_000])
def test_a_wrong_token_is_told_to_be_one(server: str, token: str) -> None:
    response = Rpc(server, None, headers={"Authorization": f"Bearer {token}".encode()}).post("tools/list")  # type: ignore[dict-item]
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["Basic", "", "Token"])
def test_another_scheme_is_no_token(server: str, live_scout: Rpc, scheme: str) -> None:
    live_scout.headers["Authorization"] = f"{scheme} {live_scout.token}".strip()
    assert live_scout.post("tools/list").status_code == 401


def test_a_token_that_is_revoked_in_mid_session_ends_it(committed_cast: Cast, live_scout: Rpc) -> None:
    assert live_scout.data("identity", action="self")["agent"]["name"] == "scout"
    agents.revoke(committed_cast.alice, agent=Agent.objects.get(name="scout").pk)
    assert live_scout.post("tools/call", {"name": "identity", "arguments": {"action": "self"}}).status_code == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://evil.example:80", "file://", ""])
def test_a_foreign_origin_is_refused_before_the_token_is_looked_at(server: str, origin: str) -> None:
    response = Rpc(server, None, headers={"Origin": origin}).post("tools/list")
    assert response.status_code == 403
    assert "www-authenticate" not in response.headers


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:8000"])
def test_the_own_origin_and_none_are_let_in(live_scout: Rpc, origin: str | None) -> None:
    live_scout.headers.update({"Origin": origin} if origin else {"Origin": live_scout.address})
    assert live_scout.post("tools/list").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000", "[::2]"])
def test_a_foreign_host_is_misdirected(server: str, host: str) -> None:
    response = Rpc(server, NONSENSE, headers={"Host": host}).post("tools/list")
    assert response.status_code == 421


def test_every_answer_has_a_request_id(server: str, live_scout: Rpc) -> None:
    assert live_scout.post("tools/list").headers["x-request-id"]
    assert Rpc(server, None).post("tools/list").headers["x-request-id"]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_spellings_of_the_path_are_served_without_a_redirect(live_scout: Rpc, version: str, path: str) -> None:
    live_scout.version, live_scout.path = version, path
    assert live_scout.post("tools/list").status_code == 200


def test_nothing_lies_below_the_path(live_scout: Rpc) -> None:
    live_scout.path = "/mcp/tools"
    assert live_scout.post("tools/list").status_code == 404


@pytest.mark.parametrize("version", EVERY)
def test_no_stream_is_offered_and_a_session_ends_whenever_a_host_likes(live_scout: Rpc, version: str) -> None:
    live_scout.version = version
    get = live_scout.send("", verb="GET", Accept="text/event-stream", **{"Mcp-Session-Id": "of-another-process"})
    assert get.status_code == 405
    assert "POST" in get.headers["allow"]
    delete = live_scout.send("", verb="DELETE", **{"Mcp-Session-Id": "of-another-process"})
    assert delete.status_code == 204
    assert live_scout.send("", verb="PUT").status_code == 405


def test_get_and_delete_need_a_token_too(server: str) -> None:
    for verb in ("GET", "DELETE", "PUT", "OPTIONS"):
        assert Rpc(server, None).send("", verb=verb).status_code == 401


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a":' + b"1" * 9_000 + b"}"]
)
def test_what_is_not_one_request_is_refused_as_json_rpc(live_scout: Rpc, version: str, body: bytes) -> None:
    live_scout.version = version
    response = live_scout.send(body)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32700, -32600, -32602)


@pytest.mark.parametrize("version", EVERY)
def test_lone_surrogates_are_refused_and_not_stored(live_scout: Rpc, version: str) -> None:
    live_scout.version = version
    params = {"name": "doc_create", "arguments": {"action": "document", "folder_path": ["product"], "name": "x.md"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    if version == MODERN:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    text = json.dumps(body).replace('"x.md"', '"x.md", "content": "a\\ud800b"')
    response = live_scout.send(text, **{"Mcp-Method": "tools/call", "Mcp-Name": "doc_create"})
    answer = response.json()
    assert "error" in answer or answer["result"]["structuredContent"]["errors"][0]["field"] == "content"
    assert live_scout.data("browse", action="documents")["documents"] == []


def test_a_body_over_the_limit_is_refused(live_scout: Rpc) -> None:
    response = live_scout.send(b"x" * (settings.BATON_BODY_BYTES + 1))
    assert response.status_code == 413


def test_a_body_of_no_stated_length_over_the_limit_is_refused(live_scout: Rpc) -> None:
    def chunks():  # type: ignore[no-untyped-def]
        for _ in range(settings.BATON_BODY_BYTES // 100_000 + 2):
            yield b"x" * 100_000

    response = httpx2.post(live_scout.address + "/mcp", content=chunks(), headers=live_scout.head(), timeout=30)
    assert response.status_code == 413


def test_white_space_around_a_header_is_no_part_of_it(live_scout: Rpc) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "identity", "arguments": {"action": "self"}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    for name, status in (("identity", 200), ("  identity \t", 200), ("iden tity", 400), ("browse", 400)):
        connection = http.client.HTTPConnection(live_scout.address.removeprefix("http://"))
        connection.request("POST", "/mcp", body, live_scout.head(**{"Mcp-Method": " tools/call ", "Mcp-Name": name}))
        assert connection.getresponse().status == status, name
        connection.close()


def test_a_resource_that_is_not_there_is_named_in_the_error(live_scout: Rpc) -> None:
    for uri in ("baton://product/launch/none.md", "baton://nowhere/none.md", "https://example.org/x"):
        assert live_scout.post("resources/read", {"uri": uri}).json()["error"]["data"]["uri"] == uri


def test_a_token_in_the_address_is_no_token(live_scout: Rpc) -> None:
    token, live_scout.token = live_scout.token, None
    for name in ("access_token", "token", "bearer"):
        live_scout.path = f"/mcp?{name}={token}"
        response = live_scout.post("tools/list")
        assert response.status_code == 401
        assert "error=" not in response.headers["www-authenticate"]


@pytest.mark.parametrize("version", EVERY)
def test_a_host_that_takes_json_only_is_answered(live_scout: Rpc, version: str) -> None:
    live_scout.version = version
    live_scout.headers["Accept"] = "application/json"
    assert live_scout.post("tools/list").status_code == 200


def test_the_oldest_hosts_send_no_version_header(live_scout: Rpc) -> None:
    headers = live_scout.head()
    del headers["MCP-Protocol-Version"]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    response = httpx2.post(live_scout.address + "/mcp", json=body, headers=headers, timeout=30)
    assert response.status_code == 200
    assert "tools" in response.json()["result"]


@pytest.mark.parametrize("version", HANDSHAKE)
def test_initialize_agrees_on_the_version_that_was_asked_for(live_scout: Rpc, version: str) -> None:
    headers = live_scout.head()
    del headers["MCP-Protocol-Version"]
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    result = httpx2.post(live_scout.address + "/mcp", json=body, headers=headers, timeout=30).json()["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "baton"
    assert "<<<DATA" in result["instructions"]
    live_scout.version = version
    note = live_scout.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    assert note.status_code == 202
    # Another process may get the next request, so nothing may hang on a session.
    assert "mcp-session-id" not in note.headers


def test_discover_names_the_stateless_version(live_scout: Rpc) -> None:
    result = live_scout.answer("server/discover")
    assert MODERN in result["supportedVersions"]
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}


@pytest.mark.parametrize("version", EVERY)
def test_what_does_not_exist_is_a_protocol_error(live_scout: Rpc, version: str) -> None:
    live_scout.version = version
    assert live_scout.post("no/such").json()["error"]["code"] == -32601
    assert live_scout.post("tools/call", {"name": "no_such", "arguments": {}}).json()["error"]["code"] == -32602


def test_an_unknown_version_is_refused_with_those_that_are_served(live_scout: Rpc) -> None:
    live_scout.version = "2031-01-01"
    response = live_scout.post("tools/list")
    assert response.status_code == 400
    assert MODERN in response.text


def test_a_caller_that_hangs_up_does_not_undo_its_write(live_scout: Rpc) -> None:
    address = live_scout.address.removeprefix("http://")
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "doc_create",
            "arguments": {
                "action": "document",
                "folder_path": ["product", "launch"],
                "name": "cut.md",
                "content": "kept",
                "idempotency_key": "one",
            },
        },
    }
    live_scout.version = HANDSHAKE[1]
    connection = http.client.HTTPConnection(address)
    connection.request("POST", "/mcp", json.dumps(body), live_scout.head())
    assert connection.sock is not None
    connection.sock.close()
    result = live_scout.call("doc_create", **body["params"]["arguments"])  # type: ignore[index]
    assert result["structuredContent"]["outcome"] in ("saved", "replayed")
    assert len(live_scout.data("browse", action="documents")["documents"]) == 1
