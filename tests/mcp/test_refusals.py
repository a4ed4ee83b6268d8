"""Each refusal has one MCP form: ``CODE: what happened; what to do next``."""

import re
from dataclasses import replace
from typing import Any, Self

import pytest
from django.db import connection

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace import errors
from workspace.actor import Role, Scope
from workspace.mcp.errors import WORDINGS, refused
from workspace.mcp.tools import TOOLS

SAMPLES = [
    errors.Unauthenticated(),
    errors.Forbidden("You are viewer of this document; this needs editor.", need="editor"),
    errors.NotFound(),
    errors.AlreadyExists("This name is taken.", location="a/b.md"),
    errors.IdempotencyMismatch(),
    errors.AccessChange(gains=("carol@example.org",), loses=()),
    errors.Gone(),
    errors.PreconditionRequired("It needs the commit.", field="expected_commit"),
    errors.Invalid("name", "is empty."),
    errors.TooLarge(field="content", limit=1024, size=2048),
    errors.RateLimited(retry_after=3),
    errors.Unavailable(),
]


def test_the_table_is_complete() -> None:
    assert set(WORDINGS) == set(errors.REFUSALS)
    assert {type(sample) for sample in SAMPLES} == set(errors.REFUSALS)


@pytest.mark.parametrize("refusal", SAMPLES, ids=lambda r: r.code)
def test_a_refusal_says_what_happened_and_what_to_do(refusal: errors.Refusal) -> None:
    form = refused(refusal)
    assert re.fullmatch(rf"{refusal.code}: [^;]+(; [^;]+)*; [^;]+[^.]\.", form.text)
    assert form.structured["code"] == refusal.code
    assert refusal.data.items() <= form.structured.items()
    assert form.happened
    assert form.advice


def test_an_access_change_names_who_gains_and_how_to_go_on() -> None:
    text = refused(errors.AccessChange(gains=("carol@example.org",), loses=("bob@example.org",))).text
    assert "carol@example.org would gain" in text
    assert "bob@example.org would lose" in text
    assert "acknowledge_access_change" in text


def test_a_fault_inside_tells_nothing_of_the_inside(scout: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("/srv/secret.py: SELECT 1")

    tool = TOOLS["read"]
    monkeypatch.setitem(tool.__dict__, "run", broken)
    data = scout.refusal("read", location=PLACE)
    assert data["code"] == "INTERNAL"
    assert "secret" not in str(data)
    assert "SELECT" not in str(data)


READS = [
    ("read", {}),
    ("history", {"action": "log"}),
    ("history", {"action": "diff"}),
    ("history", {"action": "blame"}),
    ("history", {"action": "show", "commit": "0123456789abcdef"}),
    ("doc_update", {"action": "append", "content": "x"}),
    ("doc_update", {"action": "edit", "old_string": "a", "new_string": "b"}),
    ("doc_update", {"action": "section", "section": "A", "content": "b"}),
    ("doc_update", {"action": "replace", "content": "x", "expected_commit": "0123456789abcdef"}),
    ("doc_update", {"action": "move", "to": "mine/x.md"}),
    ("doc_update", {"action": "restore"}),
    ("doc_update", {"action": "restore", "commit": "0123456789abcdef"}),
    ("doc_delete", {}),
    ("browse", {"action": "people"}),
    ("conflict", {"action": "list"}),
    ("search", {"query": "launch"}),
]


@pytest.mark.parametrize(("tool", "arguments"), READS, ids=lambda value: str(value)[:60])
def test_hidden_and_absent_are_the_same_to_the_byte_and_the_query(
    cast: Cast, first: str, tool: str, arguments: dict[str, Any]
) -> None:
    stranger = cast.mallory
    answers, counts = [], []
    for place in (PLACE, "product/launch/nothing.md", "nowhere/at/all.md"):
        given = {**arguments, "within" if tool == "search" else "location": place}
        with CountedQueries() as count:
            answers.append(TOOLS[tool].call(stranger, given).model_dump_json())
        counts.append(count.number)
    assert "NOT_FOUND" in answers[0]
    assert answers[0] == answers[1] == answers[2]
    assert counts[0] == counts[1] == counts[2]


class CountedQueries:
    """How many statements ran inside, savepoints included."""

    number = 0

    def __enter__(self) -> Self:
        self._wrapper = connection.execute_wrapper(self._count)
        self._wrapper.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        self._wrapper.__exit__(*failure)

    def _count(self, execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        self.number += 1
        return execute(sql, params, many, context)


def test_a_reader_is_told_which_role_is_needed(cast: Cast, first: str) -> None:
    data = Calls(cast.carol).refusal("doc_update", action="append", location=PLACE, content="x")
    assert data["code"] == "FORBIDDEN"
    assert data["need"] == "editor"


def test_an_agent_that_may_only_read_is_offered_no_writing_tool(cast: Cast) -> None:
    reader = replace(cast.scout, scopes=(Scope(role=Role.VIEWER),))
    offered = {name for name, tool in TOOLS.items() if tool.offered_to(reader)}
    assert offered == {
        *("browse", "read", "search", "history", "access_read", "identity", "context", "revalidate", "brief_me"),
    }
    writer = replace(cast.scout, scopes=(Scope(role=Role.VIEWER), Scope(role=Role.EDITOR, folder=1)))
    assert all(tool.offered_to(writer) for tool in TOOLS.values())
    assert all(tool.offered_to(cast.scout) for tool in TOOLS.values())


def test_a_tool_that_was_not_offered_is_still_refused_by_the_service(cast: Cast, first: str) -> None:
    reader = Calls(replace(cast.scout, scopes=(Scope(role=Role.VIEWER),)))
    assert reader.refusal("doc_update", action="append", location=PLACE, content="x")["code"] == "FORBIDDEN"
    assert reader.refusal("doc_delete", location=PLACE)["code"] == "FORBIDDEN"
    refusal = reader.refusal("doc_create", action="document", folder_path=["product"], name="x.md", content="")
    assert refusal["code"] == "FORBIDDEN"
