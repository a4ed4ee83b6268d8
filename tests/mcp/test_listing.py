"""What hosts are offered: the list of tools is committed, so that a change of it is seen."""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from workspace.mcp.tools import TOOLS

SNAPSHOT = Path(__file__).with_name("tools.json")

CONTRACT = {
    "brief_me": {"ack_through"},
    "browse": {"action", "location", "type", "label", "group"},
    "read": {"location", "node", "at", "offset", "max_bytes"},
    "search": {"query", "scope", "within", "how", "limit"},
    "doc_create": {"action", "folder_path", "name", "content", "idempotency_key", "message", "reason"},
    "doc_update": {
        *("action", "location", "content", "old_string", "new_string", "replace_all", "section", "to", "commit"),
        *("expected_commit", "on_conflict", "idempotency_key", "message", "reason"),
    },
    "doc_delete": {"location", "confirm_token"},
    "history": {"action", "location", "from", "to", "at", "commit", "cursor"},
    "conflict": {"action", "conflict_id", "choices", "content", "expected_commit"},
    "capture": {"action", "folder", "content", "session", "operation_id", "capture_id"},
    "context": {"prompt", "location", "budget_chars", "deadline_ms", "session", "hook"},
    "revalidate": {"citations"},
    "access_read": {"action", "location", "cursor"},
    "access_grant": {"action", "location", "subject", "role", "request_id", "confirm_token", "reason"},
    "access_revoke": {"action", "location", "subject", "request_id", "confirm_token", "reason"},
    "identity": {"action"},
}
READING = {"brief_me", "browse", "read", "search", "history", "context", "revalidate", "identity", "access_read"}


def listed() -> str:
    tools = [tool.listing.model_dump(by_alias=True, exclude_none=True) for tool in TOOLS.values()]
    return json.dumps(tools, indent=1, ensure_ascii=False) + "\n"


def test_the_list_of_tools_is_the_committed_one() -> None:
    """To accept a change: ``BATON_ACCEPT=1 pytest tests/mcp/test_listing.py``."""
    if os.environ.get("BATON_ACCEPT"):
        SNAPSHOT.write_text(listed(), encoding="utf-8")
    assert listed() == SNAPSHOT.read_text(encoding="utf-8")


def test_every_tool_and_argument_of_the_contract_is_there() -> None:
    assert set(TOOLS) == set(CONTRACT)
    for name, arguments in CONTRACT.items():
        assert arguments <= set(TOOLS[name].listing.input_schema["properties"]), name


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_are_schemas_and_closed(name: str) -> None:
    listing = TOOLS[name].listing
    Draft202012Validator.check_schema(listing.input_schema)
    Draft202012Validator.check_schema(listing.output_schema)
    assert listing.input_schema["type"] == listing.output_schema["type"] == "object"
    assert listing.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("name", TOOLS)
def test_tools_tell_whether_they_only_read(name: str) -> None:
    listing = TOOLS[name].listing
    assert listing.title
    assert listing.description
    assert listing.annotations.read_only_hint is (name in READING)
    assert listing.annotations.destructive_hint is (name in {"doc_delete", "capture", "access_revoke"})
    assert listing.annotations.open_world_hint is False


def test_the_list_is_no_burden_on_a_context() -> None:
    size = sum(
        len(json.dumps(tool.listing.input_schema)) + len(tool.description) + len(tool.name) for tool in TOOLS.values()
    )
    assert size < 16_000
