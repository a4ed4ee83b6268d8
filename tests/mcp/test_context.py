"""``context`` and ``revalidate``: what a model is told before it answers, and whether it still holds."""

import json

import pytest

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.jobs import work
from workspace.models import Receipt
from workspace.services.contexts import Context


@pytest.fixture
def indexed(first: str) -> str:
    """The indexed commit of the plan."""
    work.drain(seconds=30)
    return first


def test_the_text_is_the_context_itself_and_counts_as_read(rover: Calls, indexed: str) -> None:
    _, data, text = rover.result(
        "context", prompt="How many teams?", location="product/launch", session="s-7", deadline_ms=60_000
    )
    assert text == data["text"]
    assert data["budget"] == {"asked": 8_000, "used": len(text)}
    cited = data["citations"][0]
    assert (cited["location"], cited["commit"], cited["author"]["label"]) == (PLACE, indexed, "scout")
    assert f"{cited['citation']}, by scout for Alice" in text
    assert "thousand teams" in text
    stages = Receipt.objects.filter(operation=data["receipt"]).values_list("kind", "via", "session")
    assert sorted(stages) == [(kind, "mcp", "s-7") for kind in ("attached", "invoked", "read", "retrieved")]


def test_an_empty_context_says_why_and_is_not_attached(cast: Cast, indexed: str) -> None:
    _, data, text = Calls(cast.mallory).result("context", prompt="How many teams?")
    assert (text, data["text"], data["citations"], data["why"]) == ("", "", [], "nothing to say")
    assert not Receipt.objects.filter(kind="attached").exists()


def test_refusals_are_named_and_a_hidden_place_is_like_none(cast: Cast, rover: Calls, indexed: str) -> None:
    assert rover.fields("context", prompt="x", budget_chars=-1) == {"budget_chars"}
    assert rover.fields("context", prompt="x", deadline_ms=0) == {"deadline_ms"}
    assert rover.fields("context", prompt="x", location="a//b") == {"location"}
    assert rover.fields("context") == {"prompt"}
    mallory = Calls(cast.mallory)
    hidden = mallory.result("context", prompt="x", location="product/launch")
    assert hidden == mallory.result("context", prompt="x", location="product/nowhere")


def test_a_citation_is_told_what_became_of_it(rover: Calls, scout: Calls, indexed: str) -> None:
    cited = f"{PLACE}@{indexed}#L7"
    _, data, text = rover.result("revalidate", citations=[cited])
    assert (data["citations"][0]["state"], text) == ("unchanged", f"unchanged: {cited}")
    scout.data("doc_update", action="edit", location=PLACE, old_string="thousand", new_string="million")
    _, data, text = rover.result("revalidate", citations=[cited, f"{PLACE}@{indexed}#L3", f"x/y.md@{indexed}"])
    head = data["citations"][0]["head_commit"]
    assert text.splitlines() == [
        f"changed: {cited}; the newest is {PLACE}@{head}",
        f"unchanged: {PLACE}@{indexed}#L3; now {PLACE}@{head}#L3",
        f"not found: x/y.md@{indexed}",
    ]
    assert rover.fields("revalidate", citations=["x"]) == {"citations[0]"}
    assert rover.fields("revalidate", citations=[]) == {"citations"}


def test_a_hook_is_answered_in_a_hooks_form(cast: Cast, rover: Calls, indexed: str) -> None:
    asked = {"prompt": "How many teams?", "hook": True, "deadline_ms": 60_000}
    _, data, text = rover.result("context", location="product/launch", **asked)
    assert json.loads(text) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": data["text"]}
    }
    assert "thousand teams" in text
    _, _, text = Calls(cast.mallory).result("context", **asked)
    assert "nothing to say" in json.loads(text)["hookSpecificOutput"]["additionalContext"]
    assert rover.fields("context", prompt="x", hook="other") == {"hook"}


def test_a_hook_that_could_not_be_answered_in_time_stops_the_prompt(
    rover: Calls, indexed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Context(text="", citations=(), asked=8_000, used=0, left_out=0, partial=True, receipt="", why="unavailable")
    monkeypatch.setattr("workspace.services.contexts.prepare", lambda *_, **__: late)
    _, _, text = rover.result("context", prompt="x", hook=True)
    assert json.loads(text) == {"decision": "block", "reason": "Baton: memory was unavailable (unavailable)."}
