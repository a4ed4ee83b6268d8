"""Arguments: strict, each wrong one named."""

from typing import Any

import pytest

from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.actor import Actor, Via
from workspace.mcp.tools import TOOLS

NOBODY = Calls(Actor(person=0, label="nobody", via=Via.MCP))
"""These calls end before any query."""


@pytest.mark.parametrize("tool", TOOLS)
def test_an_unknown_argument_is_refused(tool: str) -> None:
    refusal = NOBODY.refusal(tool, surprise=1)
    assert "surprise" in {e["field"] for e in refusal["errors"]}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_property_of_a_wrong_type_is_refused_by_name(tool: str) -> None:
    properties = TOOLS[tool].listing.input_schema["properties"]
    for name, shape in properties.items():
        wrong: Any = "text" if shape.get("type") in ("integer", "boolean", "array") else 5
        refusal = NOBODY.refusal(tool, **{name: wrong})
        named = {e["field"] for e in refusal["errors"]}
        assert any(field == name or field.startswith(f"{name}.") for field in named), (name, named)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_required_argument_is_asked_for(tool: str) -> None:
    required = set(TOOLS[tool].listing.input_schema.get("required", ()))
    if not required:
        return
    assert {e["field"] for e in NOBODY.refusal(tool)["errors"]} == required


@pytest.mark.parametrize(
    ("tool", "action"),
    [
        (name, action)
        for name, tool in TOOLS.items()
        for action in tool.listing.input_schema["properties"].get("action", {}).get("enum", ())
    ],
)
def test_every_action_is_declared_and_refuses_what_it_does_not_take(tool: str, action: str) -> None:
    arguments = TOOLS[tool].arguments
    takes = arguments.ACTIONS[action]
    properties = set(TOOLS[tool].listing.input_schema["properties"])
    assert {*takes.needs, *takes.may} <= properties
    examples: dict[str, Any] = {"string": "abcdefgh", "integer": 1, "boolean": True, "array": ["mine"]}
    for name in properties - {"action", *takes.needs, *takes.may}:
        shape = TOOLS[tool].listing.input_schema["properties"][name]
        value = shape["enum"][0] if "enum" in shape else examples[shape["type"]]
        refusal = NOBODY.refusal(tool, action=action, **{name: value})
        assert name in {e["field"] for e in refusal["errors"]}, (action, name)


def test_null_counts_as_left_out_for_an_optional_argument_only() -> None:
    assert NOBODY.fields("read", location=None, node=None, at=None) == {"location"}
    assert NOBODY.fields("search", query=None) == {"query"}


@pytest.mark.parametrize("bad", ["a\ud800b", "a\0b"])
@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("read", {"location": None}, "location"),
        ("search", {"query": None}, "query"),
        ("doc_create", {"action": "document", "folder_path": ["a", None], "name": "b", "content": ""}, "folder_path.1"),
        ("doc_create", {"action": "document", "folder_path": ["a"], "name": "b", "content": None}, "content"),
        (
            "doc_update",
            {"action": "append", "location": PLACE, "content": "x", "idempotency_key": None},
            "idempotency_key",
        ),
        ("doc_update", {"action": "append", "location": PLACE, "content": "x", "message": None}, "message"),
        ("conflict", {"action": "resolve", "conflict_id": "cfl_1", "choices": [{"text": None}]}, "choices.0.text"),
    ],
)
def test_text_that_is_none_is_refused_by_name(tool: str, arguments: dict[str, Any], field: str, bad: str) -> None:
    def filled(value: Any) -> Any:
        match value:
            case None:
                return bad
            case list():
                return [filled(item) for item in value]
            case dict():
                return {name: filled(item) for name, item in value.items()}
        return value

    assert NOBODY.fields(tool, **filled(arguments)) == {field}


def test_an_unknown_name_with_a_surrogate_can_be_told_of() -> None:
    result = TOOLS["read"].call(NOBODY.actor, {"a\ud800": 1})
    result.model_dump_json().encode()


def test_a_key_of_255_characters_is_taken_and_one_of_256_is_not() -> None:
    given = {"action": "append", "location": PLACE, "content": "x"}
    assert NOBODY.fields("doc_update", **given, idempotency_key="k" * 256) == {"idempotency_key"}
    assert NOBODY.fields("doc_update", **given, idempotency_key="") == {"idempotency_key"}
    parsed = TOOLS["doc_update"].arguments.parse({**given, "idempotency_key": "k" * 255})
    assert len(parsed.idempotency_key) == 255  # type: ignore[attr-defined]


def test_numbers_and_booleans_are_not_guessed_from_text() -> None:
    assert NOBODY.fields("read", location=PLACE, offset="5") == {"offset"}
    assert NOBODY.fields("read", location=PLACE, offset=True) == {"offset"}
    assert NOBODY.fields("read", location=PLACE, offset=-1) == {"offset"}
    assert NOBODY.fields("search", query="a", limit=101) == {"limit"}
    update = {"action": "edit", "location": PLACE, "old_string": "a", "new_string": "b"}
    assert NOBODY.fields("doc_update", **update, replace_all="yes") == {"replace_all"}
    assert NOBODY.fields("doc_update", **update, on_conflict="overwrite") == {"on_conflict"}


def test_folder_path_is_a_list_of_names() -> None:
    base = {"action": "document", "name": "b.md", "content": ""}
    assert NOBODY.fields("doc_create", **base, folder_path="product/launch") == {"folder_path"}
    assert NOBODY.fields("doc_create", **base, folder_path=[]) == {"folder_path"}
    assert NOBODY.fields("doc_create", **base, folder_path=["a/b", "..", "x" * 201]) == {
        "folder_path.0",
        "folder_path.1",
        "folder_path.2",
    }
