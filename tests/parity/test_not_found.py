"""Hidden and absent are the same: to the byte, the header and the number of queries, whatever takes a name or an id."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from tests.cast import Cast
from tests.parity import rows
from tests.parity.hidden import ABSENT, HIDDEN, HIDDEN_FOLDER, Statements, Things, make
from tests.parity.surfaces import Web
from workspace.actor import Actor, Via
from workspace.errors import NotFound
from workspace.mcp import resources
from workspace.mcp.tools import TOOLS
from workspace.services import agents, bearer, documents

MINE = "mine/own.md"


@pytest.fixture
def things(cast: Cast, plan: str) -> Things:
    documents.create(cast.mallory, location=MINE, content="mine\n")
    return make(cast, plan)


@pytest.fixture
def stranger(cast: Cast, things: Things) -> Actor:
    """Mallory's agent."""
    return bearer.authenticate(agents.create(cast.mallory, name="spy").token, via=Via.MCP)


def doc(**more: Any) -> Callable[[Things], dict[str, Any]]:
    """Arguments whose ``{…}`` are filled with the things."""

    def fill(value: Any, things: Things) -> Any:
        if isinstance(value, str):
            return value.format(**vars(things))
        if isinstance(value, list):
            return [part for item in value for part in fill(item, things).split("/")]
        return value

    return lambda things: {name: fill(value, things) for name, value in more.items()}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"node": "{id}"}),
    ("read", {"location": "{document}", "at": "{commit}"}),
    ("browse", {"action": "folders", "location": "{folder}"}),
    ("browse", {"action": "folders", "location": "{top}"}),
    ("browse", {"action": "documents", "location": "{folder}"}),
    ("browse", {"action": "people", "location": "{folder}"}),
    ("search", {"query": "launch", "scope": "{folder}"}),
    ("search", {"query": "launch", "scope": "{top}"}),
    ("search", {"query": "launch", "within": "{document}"}),
    ("history", {"action": "log", "location": "{document}"}),
    ("history", {"action": "show", "location": "{document}", "commit": "{commit}"}),
    ("history", {"action": "diff", "location": "{document}", "from": "{commit}", "to": "{commit}"}),
    ("history", {"action": "blame", "location": "{document}", "at": "{commit}"}),
    ("conflict", {"action": "list", "location": "{document}"}),
    ("conflict", {"action": "list", "location": "{folder}"}),
    ("conflict", {"action": "show", "conflict_id": "{conflict}"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "choices": ["mine"]}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "content": "x", "expected_commit": "{commit}"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "content": "x", "idempotency_key": "k"}),
    ("conflict", {"action": "discard", "conflict_id": "{conflict}"}),
    ("capture", {"action": "commit", "folder": "{folder}", "content": "x"}),
    ("capture", {"action": "list", "folder": "{folder}"}),
    ("capture", {"action": "list", "folder": "{top}"}),
    ("capture", {"action": "delete", "capture_id": "{capture}"}),
    ("doc_create", {"action": "document", "folder_path": ["{folder}"], "name": "x.md", "content": "x"}),
    (
        "doc_create",
        {"action": "document", "folder_path": ["{folder}"], "name": "x.md", "content": "x", "idempotency_key": "k"},
    ),
    ("doc_create", {"action": "document", "folder_path": ["{folder}", "deeper"], "name": "x.md", "content": "x"}),
    ("doc_create", {"action": "document", "folder_path": ["{document}"], "name": "x.md", "content": "x"}),
    ("doc_create", {"action": "folder", "folder_path": ["product"], "name": "{folder}"}),
    ("doc_create", {"action": "folder", "folder_path": ["{folder}"], "name": "x"}),
    ("doc_update", {"action": "move", "location": MINE, "to": "{folder}/own.md"}),
    ("doc_update", {"action": "move", "location": MINE, "to": "{document}"}),
    ("doc_update", {"action": "move", "location": "mine", "to": "{folder}/mine"}),
    ("doc_update", {"action": "move", "location": "mine", "to": "{folder}"}),
    ("doc_update", {"action": "move", "location": "{folder}", "to": "mine/x"}),
    ("doc_update", {"action": "move", "location": "{document}", "to": "mine/x.md", "idempotency_key": "k"}),
    ("doc_update", {"action": "restore", "location": MINE, "commit": "{commit}"}),
    ("doc_update", {"action": "restore", "location": "{document}", "commit": "{commit}"}),
    ("doc_update", {"action": "append", "location": MINE, "content": "x", "expected_commit": "{commit}"}),
    (
        "doc_update",
        {"action": "append", "location": "{document}", "content": "x", "expected_commit": "{commit}"},
    ),
    ("doc_update", {"action": "append", "location": "{document}", "content": "x", "idempotency_key": "k"}),
    ("doc_delete", {"location": "{folder}"}),
    ("doc_delete", {"location": "{top}"}),
    ("doc_delete", {"location": "{document}"}),
    ("access_read", {"location": "{folder}"}),
    ("access_read", {"action": "who", "location": "{document}"}),
    ("access_grant", {"location": "{folder}", "subject": "mallory@example.org", "role": "viewer"}),
    (
        "access_grant",
        {"location": "{document}", "subject": "group:none", "role": "manager", "confirm_token": "x"},
    ),
    ("access_revoke", {"location": "{folder}", "subject": "alice@example.org"}),
    ("access_revoke", {"location": "{document}", "subject": "alice@example.org", "confirm_token": "x"}),
    ("access_grant", {"action": "approve", "request_id": "{request}"}),
    ("access_grant", {"action": "approve", "request_id": "{request}", "role": "viewer", "confirm_token": "x"}),
    ("access_revoke", {"action": "decline", "request_id": "{request}", "reason": "no"}),
    ("access_revoke", {"action": "withdraw", "request_id": "{request}"}),
    ("read", {"location": MINE, "at": "{commit}"}),
    ("history", {"action": "diff", "location": MINE, "from": "{commit}"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=lambda value: str(value)[:90])
def test_a_tool_tells_nothing(stranger: Actor, things: Things, tool: str, arguments: dict[str, Any]) -> None:
    fill, before, answers = doc(**arguments), rows.state(), []
    for named in (things, ABSENT):
        given = fill(named)
        if arguments.get("name") == "{folder}":
            given["name"] = given["name"].rpartition("/")[2]
        with Statements() as statements:
            answer = TOOLS[tool].call(stranger, given).model_dump_json()
        for name in vars(named).values():
            answer = answer.replace(name, "…")
        answers.append((answer, statements.ran))
    assert answers[0][0] == answers[1][0]
    assert '"NOT_FOUND"' in answers[0][0] or '"INVALID"' in answers[0][0]
    assert len(answers[0][1]) == len(answers[1][1]), answers
    assert rows.state() == before


def test_a_resource_tells_nothing(stranger: Actor, things: Things) -> None:
    answers = []
    for named in (things, ABSENT):
        with Statements() as statements, pytest.raises(NotFound) as refused:
            resources.contents(stranger, f"baton://{named.document}")
        answers.append((str(refused.value), len(statements.ran)))
    assert answers[0] == answers[1]


LISTS: list[tuple[str, dict[str, Any]]] = [
    ("browse", {"action": "folders"}),
    ("browse", {"action": "documents"}),
    ("browse", {"action": "people"}),
    ("search", {"query": "launch plan teams"}),
    ("conflict", {"action": "list"}),
    ("capture", {"action": "list"}),
    ("access_read", {"action": "requests"}),
    ("access_read", {"action": "mine"}),
    ("identity", {"action": "tree"}),
]


@pytest.mark.parametrize(("tool", "arguments"), LISTS, ids=lambda value: str(value)[:60])
def test_a_list_counts_nothing_hidden(stranger: Actor, things: Things, tool: str, arguments: dict[str, Any]) -> None:
    answer = TOOLS[tool].call(stranger, arguments).model_dump_json()
    assert "launch" not in answer.replace("launch plan teams", "")
    assert "alice" not in answer
    assert "next_cursor" not in answer or '"next_cursor":null' in answer


# -- pages --

GET = [
    "/d/{document}", "/d/{document}?at={commit}", "/raw/{document}", "/edit/{document}", "/move/{document}",
    "/delete/{document}", "/history/{document}", "/diff/{document}", "/diff/{document}?from={commit}&to={commit}",
    "/blame/{document}", "/share/{document}", "/newer/{document}?than={commit}", "/f/{folder}", "/f/{top}",
    "/tree/{folder}", "/tree/{top}", "/new/document/{folder}", "/move/{folder}", "/delete/{folder}",
    "/share/{folder}", "/view-as/{folder}", "/view-as/{document}?person=alice@example.org",
    "/view-as/{folder}?person=alice@example.org", "/access-requests/{request}",
    "/conflicts/{conflict}", "/captures/{capture}", "/captures?folder={folder}",
    "/search?q=launch&location={folder}", "/search?q=launch&location={document}", "/search?q=launch&location={top}",
    f"/d/{MINE}?at={{commit}}", f"/diff/{MINE}?from={{commit}}", f"/diff/{MINE}?to={{commit}}",
]  # fmt: skip
POST: list[tuple[str, dict[str, str]]] = [
    ("/edit/{document}", {"content": "x", "base": "{commit}", "key": "k"}),
    ("/edit/{document}", {"content": "x"}),
    ("/new/document/{folder}", {"location": "{folder}/x.md", "content": "x", "key": "k"}),
    ("/new/folder", {"location": "{folder}/x"}),
    ("/new/folder", {"location": "{folder}"}),
    ("/restore/{document}", {"commit": "{commit}", "key": "k"}),
    (f"/restore/{MINE}", {"commit": "{commit}"}),
    ("/undelete/{document}", {"key": "k"}),
    ("/move/{document}", {"target": "mine/x.md", "key": "k"}),
    ("/move/{document}", {"target": "mine/x.md"}),
    ("/move/{folder}", {"target": "mine/x", "key": "k"}),
    (f"/move/{MINE}", {"target": "{folder}/x.md", "key": "k"}),
    ("/delete/{document}", {"base": "{commit}", "key": "k"}),
    ("/delete/{document}", {"base": "{commit}"}),
    ("/delete/{folder}", {}),
    ("/share/{folder}", {"subject": "mallory@example.org", "role": "viewer"}),
    ("/share/{document}", {"subject": "mallory@example.org", "role": "viewer", "confirm_token": "x"}),
    ("/share/{folder}", {"subject": "new@example.org", "role": "viewer", "invite": "1"}),
    ("/share-editors/{folder}", {"allowed": "no"}),
    ("/unshare/{document}", {"subject": "mallory@example.org", "confirm_token": "x"}),
    ("/access-requests/{request}", {"role": "viewer", "decision": "approve", "confirm_token": "x"}),
    ("/access-requests/{request}", {"role": "viewer", "decision": "decline"}),
    ("/access-requests/{request}/withdraw", {}),
    ("/unshare/{folder}", {"subject": "alice@example.org"}),
    ("/conflicts/{conflict}", {"choice-0": "mine", "key": "k"}),
    ("/conflicts/{conflict}/preview", {"choice-0": "mine"}),
    ("/conflicts/{conflict}/discard", {}),
    ("/captures/{capture}/erase", {}),
    ("/agents/{agent}/revoke", {}),
    ("/jobs/{job}/retry", {}),
]


def answered(client: Client, named: Things, method: str, address: str, sent: dict[str, str]) -> tuple[Any, ...]:
    filled = {name: value.format(**vars(named)) for name, value in sent.items()}
    path = address.format(**{name: quote(value) for name, value in vars(named).items()})
    with Statements() as statements:
        response = client.get(path) if method == "GET" else client.post(path, filled)
    body = re.sub(r'nonce="[^"]*"|req_[0-9a-f]+', "", response.content.decode())
    body = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": "|name="key" value=")[^"]+', "", body)
    headers = {name: re.sub(r"'nonce-[^']+'|req_[0-9a-f]+", "", value) for name, value in response.items()}
    used = [value for name, value in vars(named).items() if f"{{{name}}}" in f"{address} {sent}"]
    last = named.document.rpartition("/")[2]
    for name in sorted({*used, *map(quote, used), last}, key=len, reverse=True):
        body = body.replace(name, "…")
    headers.pop("Content-Length", None)
    return response.status_code, headers, body, statements.ran


@pytest.mark.parametrize(
    ("method", "address", "sent"),
    [*(("GET", address, {}) for address in GET), *(("POST", address, sent) for address, sent in POST)],
    ids=lambda value: str(value)[:60],
)
def test_a_page_tells_nothing(cast: Cast, things: Things, method: str, address: str, sent: dict[str, str]) -> None:
    client, before = Web(cast, "mallory").client, rows.state()
    client.get("/help/connect")
    hidden = answered(client, things, method, address, sent)
    absent = answered(client, ABSENT, method, address, sent)
    assert hidden[0] in (404, 422, 428)
    assert hidden[:3] == absent[:3]
    assert len(hidden[3]) == len(absent[3]), (hidden[3], absent[3])
    assert rows.state() == before


# -- REST: what is asked with a body or a query, and the headers of the answer --

CALLED: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "/folders", {"location": "{folder}"}),
    ("POST", "/folders", {"location": "{folder}/x"}),
    ("POST", "/documents", {"location": "{folder}/x.md", "content": "x"}),
    ("POST", "/documents", {"location": "{document}", "content": "x"}),
    ("POST", "/documents", {"location": "{document}/x.md", "content": "x"}),
    ("POST", "/moves", {"from": MINE, "to": "{folder}/x.md"}),
    ("POST", "/moves", {"from": "mine", "to": "{folder}/x"}),
    ("POST", "/moves", {"from": "{folder}", "to": "mine/x"}),
    ("POST", "/moves", {"from": "{document}", "to": "mine/x.md"}),
    ("POST", "/undeletes", {"location": "{document}"}),
    ("POST", "/restores", {"location": "{document}", "commit": "{commit}"}),
    ("POST", "/restores", {"location": MINE, "commit": "{commit}"}),
    ("POST", "/grants", {"location": "{folder}", "subject": "mallory@example.org", "role": "viewer"}),
    ("POST", "/grants", {"location": "{document}", "subject": "mallory@example.org", "role": "viewer"}),
    ("POST", "/grants", {"location": "{folder}", "subject": "group:none", "role": "viewer", "preview": True}),
    ("POST", "/grants", {"location": "{folder}", "subject": "a@b.org", "role": "viewer", "confirm_token": "x"}),
    ("DELETE", "/grants?location={folder}&subject=alice@example.org&preview=true", None),
    ("DELETE", "/grants?location={document}&subject=alice@example.org&confirm_token=x", None),
    ("PATCH", "/folders/{folder}", {"editors_share": False}),
    ("GET", "/access?location={folder}", None),
    ("POST", "/access-requests/{request}/decision", {"approve": True, "preview": True}),
    ("POST", "/access-requests/{request}/decision", {"approve": False}),
    ("DELETE", "/access-requests/{request}", None),
    ("POST", "/captures", {"folder": "{folder}", "content": "x", "operation_id": "k"}),
    ("POST", "/conflicts/{conflict}/resolution", {"content": "x"}),
    ("POST", "/jobs/{job}/retry", None),
    ("PUT", "/documents/{document}", {"content": "x"}),
    ("PATCH", "/documents/{document}", {"append": "x"}),
    ("PATCH", "/folders/{folder}", {"retention_days": 3}),
    ("DELETE", "/documents/{document}", None),
    ("DELETE", "/folders/{folder}", None),
    ("DELETE", "/conflicts/{conflict}", None),
    ("DELETE", "/captures/{capture}", None),
    ("DELETE", "/grants?location={folder}&subject=alice@example.org", None),
    ("GET", "/grants?location={folder}", None),
    ("GET", "/access?location={document}", None),
    ("GET", "/search?q=launch&location={folder}", None),
    ("GET", "/search?q=launch&location={top}", None),
    ("GET", "/documents?location={folder}", None),
    ("GET", "/documents?location={top}&recursive=true", None),
    ("GET", "/folders?parent={folder}", None),
    ("GET", "/captures?folder={folder}", None),
    ("GET", "/conflicts?location={folder}", None),
    ("GET", "/receipts?location={folder}", None),
    ("GET", "/receipts?capture={capture}", None),
    ("GET", "/commits/{commit}", None),
    ("GET", "/documents/{document}?at={commit}", None),
    ("GET", f"/documents/{MINE}?at={{commit}}", None),
    ("GET", "/diff?location={document}&from={commit}", None),
    ("GET", f"/diff?location={MINE}&from={{commit}}", None),
    ("HEAD", "/documents/{document}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLED, ids=lambda value: str(value)[:70])
def test_a_call_tells_nothing(cast: Cast, things: Things, method: str, path: str, body: dict[str, Any] | None) -> None:
    token, answers = agents.create(cast.mallory, name="spy").token, []
    bearer.authenticate(token, via=Via.REST)
    before = rows.state()
    for named in (things, ABSENT):
        client, sent = Client(), doc(**(body or {}))(named)
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "k"}
        if method in ("PUT", "DELETE"):
            headers["If-Match"] = f'"{named.commit}"'
        with Statements() as statements:
            address = "/api/v1" + path.format(**vars(named))
            response = client.generic(
                method,
                address,
                "" if body is None else json.dumps(sent),
                content_type="application/json",
                headers=headers,
            )
        told = {name: value for name, value in response.items() if name != "X-Request-Id"}
        text = re.sub(r"req_[0-9a-f]+", "", response.content.decode())
        for name in sorted(vars(named).values(), key=len, reverse=True):
            text = text.replace(name, "…")
        answers.append((response.status_code, told, text, statements.ran))
    assert answers[0][0] in (404, 422) or path.startswith("/receipts?capture")
    assert answers[0][:3] == answers[1][:3]
    assert len(answers[0][3]) == len(answers[1][3]), (answers[0][3], answers[1][3])
    assert rows.state() == before


def test_the_names_are_those_of_the_cast(things: Things) -> None:
    assert (things.folder, things.document) == (HIDDEN_FOLDER, HIDDEN)
