"""Settling a conflict: by choices, by the whole text, or not at all."""

from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, agent_of, code, fields

PATH = "/documents/product/launch/plan.md"


def draft(words: str) -> str:
    return PLAN.replace("a thousand teams", words)


@pytest.fixture
def conflict(scout: Caller, rover: Caller, plan: str) -> dict[str, Any]:
    """Scout wrote first; rover's draft waits."""
    scout.put(PATH, {"content": draft("two teams")}, If_Match=f'"{plan}"')
    found: dict[str, Any] = rover.put(PATH, {"content": draft("ten teams")}, If_Match=f'"{plan}"').json()
    return found


def test_a_choice_for_each_hunk_makes_a_commit_with_two_parents(rover: Caller, conflict: dict[str, Any]) -> None:
    path = f"/conflicts/{conflict['conflict_id']}"
    saved = rover.post(f"{path}/resolution", {"choices": ["mine"], "expected_commit": conflict["head_commit"]}).json()
    assert (saved["outcome"], saved["parents"]) == ("saved", [conflict["head_commit"], conflict["base_commit"]])
    assert rover.get(PATH).json()["content"] == draft("ten teams")
    closed = rover.get(path).json()
    assert (closed["state"], closed["resolution"]) == ("resolved", saved["commit"])
    assert rover.get("/conflicts").json()["items"] == []
    assert [c["id"] for c in rover.get("/conflicts?state=resolved").json()["items"]] == [conflict["conflict_id"]]


@pytest.mark.parametrize(
    ("choice", "words"),
    [("theirs", "two teams"), ("base", "a thousand teams"), ({"text": "We want none.\n"}, None), ("both", None)],
)
def test_every_kind_of_choice(rover: Caller, conflict: dict[str, Any], choice: Any, words: str | None) -> None:
    response = rover.post(f"/conflicts/{conflict['conflict_id']}/resolution", {"choices": [choice]})
    assert response.status_code == 200
    text = rover.get(PATH).json()["content"]
    if words:
        assert text == draft(words)
    elif choice == "both":
        assert text.index("two teams") < text.index("ten teams")
    else:
        assert "We want none." in text


def test_the_whole_text_settles_it_too(rover: Caller, conflict: dict[str, Any]) -> None:
    rover.post(f"/conflicts/{conflict['conflict_id']}/resolution", {"content": "All new.\n"})
    assert rover.get(PATH).json()["content"] == "All new.\n"


def test_a_head_that_moved_again_is_told(rover: Caller, scout: Caller, conflict: dict[str, Any]) -> None:
    head = scout.put(PATH, {"content": draft("three teams")}, If_Match="*").json()["commit"]
    again = rover.post(f"/conflicts/{conflict['conflict_id']}/resolution", {"choices": ["mine"]})
    assert code(again) == (409, "CONFLICT")
    assert again.json()["head_commit"] == head
    assert "three teams" in again.json()["hunks"][0]["theirs"]
    done = rover.post(
        f"/conflicts/{conflict['conflict_id']}/resolution", {"choices": ["mine"], "expected_commit": head}
    )
    assert done.status_code == 200


def test_the_author_and_the_editors_see_a_draft_and_nobody_else(
    rover: Caller, scout: Caller, carol: Caller, mallory: Caller, conflict: dict[str, Any]
) -> None:
    path = f"/conflicts/{conflict['conflict_id']}"
    for caller in (rover, scout):
        assert caller.get(path).json()["mine"] == draft("ten teams")
        assert len(caller.get("/conflicts").json()["items"]) == 1
        assert len(caller.get("/conflicts?location=product/launch").json()["items"]) == 1
    for caller in (carol, mallory):
        assert code(caller.get(path)) == (404, "NOT_FOUND")
        assert code(caller.delete(path)) == (404, "NOT_FOUND")
        assert code(caller.post(f"{path}/resolution", {"content": "x"})) == (404, "NOT_FOUND")
        assert caller.get("/conflicts").json()["items"] == []


def test_a_narrowed_agent_does_not_resolve(cast: Cast, conflict: dict[str, Any]) -> None:
    reader = agent_of(cast, "bob", "viewer@product/launch")
    response = reader.post(f"/conflicts/{conflict['conflict_id']}/resolution", {"content": "x"})
    assert code(response) == (403, "FORBIDDEN")


def test_a_draft_can_be_discarded(rover: Caller, conflict: dict[str, Any]) -> None:
    path = f"/conflicts/{conflict['conflict_id']}"
    assert rover.delete(f"{path}?reason=No").status_code == 204
    assert rover.get(path).json()["state"] == "discarded"
    assert code(rover.post(f"{path}/resolution", {"content": "x"})) == (422, "INVALID")


BAD: list[tuple[Any, list[str]]] = [
    ({}, ["choices"]),
    ({"choices": ["mine"], "content": "x"}, ["choices"]),
    ({"choices": []}, ["choices"]),
    ({"choices": ["mine", "mine"]}, ["choices"]),
    ({"choices": "mine"}, ["choices"]),
    ({"choices": ["ours"]}, ["choices[0]"]),
    ({"choices": [1]}, ["choices[0]"]),
    ({"choices": [{"text": 1}]}, ["choices[0]"]),
    ({"choices": [{"text": "x", "more": 1}]}, ["choices[0]"]),
    ({"choices": [{"text": "\ud800"}]}, ["choices[0]"]),
    ({"content": 1}, ["content"]),
    ({"content": "x", "expected_commit": "zzzzzzz"}, ["expected_commit"]),
    ({"content": "x", "unknown": 1}, ["unknown"]),
]


@pytest.mark.parametrize(("body", "named"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_named(rover: Caller, conflict: dict[str, Any], body: Any, named: list[str]) -> None:
    response = rover.post(f"/conflicts/{conflict['conflict_id']}/resolution", body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == named


def test_a_state_that_is_none_is_refused(rover: Caller) -> None:
    assert fields(rover.get("/conflicts?state=closed")) == ["state"]
