"""Whatever can be asked is in ``asked``: each route with each method, each argument that names something."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.parity.answers import address
from tests.parity.asked import LISTING_TOOLS, LISTS, REST, TOOLS, Asked
from tests.parity.asked_pages import LIBRARY, NAMELESS, PAGES, WEB
from tests.parity.routes import route_of, routes
from workspace.mcp import tools as mcp

OPENAPI = Path(__file__).resolve().parents[1] / "rest" / "openapi.json"
KINDS = (
    "folder", "document", "lost", "id", "commit", "conflict", "capture", "job", "agent", "request", "invitation",
    "receipt", "email", "top", "mine", "own", "own_commit", "proposal", "binding", "repository",
)  # fmt: skip
EXAMPLE = dict.fromkeys(KINDS, "x") | {"group": "1", "person": "1"}
NEUTRAL = frozenset({
    "ack_through", "acknowledge_access_change", "answer", "append", "approve", "budget_chars", "choices",
    "confirm_drop", "confirm_shrink", "confirm_token", "content", "cursor", "deadline_ms", "denied",
    "editors_share", "event", "hook", "host", "how", "idempotency_key", "kind", "label", "limit", "line", "lines",
    "list", "max_bytes", "message", "mode", "new_string", "offset", "old_string", "on_conflict", "operation",
    "operation_id", "policy", "preview", "prompt", "propose", "q", "query", "reason", "recursive", "replace_all",
    "retention_days", "role", "section", "session", "stage", "state", "type", "via",
})  # fmt: skip
"""Arguments that name nothing that there is or is not."""
KNOWN = {
    "subject": "a person or group to share with, whom whoever shares has to be able to name",
    "name": "what something new is called, in a place that is another argument",
    "group": "narrows a list of people to those who are in it as well",
    "/audit from": "a time", "/audit to": "a time", "/audit action": "an action", "/audit request": "a request's id, "
    "which is whoever made it's own choice",
}  # fmt: skip
"""Arguments that need no twin, and why."""


def asked_of(calls: list[Asked]) -> Iterator[tuple[str, str, set[str]]]:
    """The route and the method of each call, and the arguments in which it names something."""
    for asked in calls:
        path = address(asked, EXAMPLE)
        sent: dict[str, Any] = dict(parse_qsl(urlsplit(asked.path).query)) | (asked.body or {})
        yield route_of(path), asked.method, {name for name, value in sent.items() if "{" in str(value)}


def test_every_route_is_asked_with_every_method() -> None:
    asked = {(route, method) for route, method, _ in asked_of([*REST, *WEB, *LISTS, *PAGES])}
    missing = [
        f"{method} {route.address}"
        for route in routes()
        if not route.address.startswith(LIBRARY) and route.address not in NAMELESS
        for method in sorted(route.methods) or ["?"]
        if f"{route.address} {method}" not in NAMELESS and (route.address, method) not in asked
    ]
    assert not missing


def test_what_needs_no_asking_is_there() -> None:
    there = {route.address for route in routes()}
    assert {address.partition(" ")[0] for address in NAMELESS} <= there | {""}


def test_every_argument_of_rest_that_names_something_is_asked() -> None:
    named: dict[tuple[str, str], set[str]] = {}
    for route, method, names in asked_of(REST):
        named.setdefault((route, method), set()).update(names)
    described = json.loads(OPENAPI.read_text(encoding="utf-8"))
    missing = []
    for path, operations in described["paths"].items():
        route = route_of(re.sub(r"\{\w+\}", "x", path))
        for method, operation in operations.items():
            for name in _arguments(described, operation):
                explained = name in NEUTRAL or name in KNOWN or f"{path.removeprefix('/api/v1')} {name}" in KNOWN
                if not explained and name not in named.get((route, method.upper()), set()):
                    missing.append(f"{method.upper()} {path}: {name}")
    assert not missing


def _arguments(described: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    yield from (given["name"] for given in operation.get("parameters", ()) if given["in"] == "query")
    for kind in operation.get("requestBody", {}).get("content", {}).values():
        yield from _properties(described, kind["schema"])


def _properties(described: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield from _properties(described, described["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    for one in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _properties(described, one)
    yield from schema.get("properties", {})


def test_every_argument_of_a_tool_that_names_something_is_asked() -> None:
    named: dict[tuple[str, str], set[str]] = {}
    for tool, arguments in TOOLS:
        action = arguments.get("action") or mcp.TOOLS[tool].arguments.model_fields.get("action")
        key = (tool, action if isinstance(action, str) else action.default if action else "")
        named.setdefault(key, set()).update(name for name, value in arguments.items() if "{" in str(value))
    listed = {(tool, arguments.get("action", "")) for tool, arguments in LISTING_TOOLS}
    missing = []
    for tool, offered in mcp.TOOLS.items():
        takes = {action: {*of.needs, *of.may} for action, of in offered.arguments.ACTIONS.items()} or {
            "": set(offered.listing.input_schema["properties"])
        }
        for action, arguments in takes.items():
            names = {name for name in arguments if name not in NEUTRAL and name not in KNOWN}
            if names - named.get((tool, action), set()) or (tool, action) not in {*named, *listed}:
                missing.append(f"{tool} {action}: {sorted(names - named.get((tool, action), set()))}")
    assert not missing
