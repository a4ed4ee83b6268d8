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


def test_choices_are_named_by_their_hunk_too(rover: Caller, conflict: dict[str, Any]) -> None:
    assert [hunk["index"] for hunk in conflict["hunks"]] == [0]
    path = f"/conflicts/{conflict['conflict_id']}/resolution"
    for wrong in ([{"hunk": 1, "choice": "mine"}], [{"hunk": 0, "choice": "mine"}] * 2, []):
        refused = rover.post(path, {"choices": wrong})
        assert (code(refused), fields(refused)) == ((422, "INVALID"), ["choices"])
    assert "hunk 0 has no choice yet" in rover.post(path, {"choices": []}).json()["detail"]
    assert rover.post(path, {"choices": [{"hunk": 0, "choice": {"text": "None.\n"}}]}).status_code == 200
    assert "None.\n" in rover.get(PATH).json()["content"]


def test_a_hunk_tells_where_it_lies(rover: Caller, conflict: dict[str, Any]) -> None:
    hunk = rover.get(f"/conflicts/{conflict['conflict_id']}").json()["hunks"][0]
    assert hunk == conflict["hunks"][0]
    assert (hunk["heading"], hunk["path"]) == ("Goals", ["Launch plan", "Goals"])
    line = 1 + next(n for n, line in enumerate(PLAN.splitlines()) if "a thousand teams" in line)
    assert hunk["base_lines"] == hunk["theirs_lines"] == hunk["mine_lines"] == [line, line]
    assert hunk["suggestion"] is None


def test_a_suggestion_can_be_taken_where_there_is_one(scout: Caller, rover: Caller, plan: str) -> None:
    line = next(line for line in PLAN.splitlines(keepends=True) if "a thousand teams" in line)
    first, last = line.split()[0], "month."
    scout.put(PATH, {"content": PLAN.replace(line, line.replace(first, "Truly", 1))}, If_Match=f'"{plan}"')
    draft_line = line.replace(last, "tomorrow.", 1)
    told = rover.put(PATH, {"content": PLAN.replace(line, draft_line)}, If_Match=f'"{plan}"').json()
    suggestion = told["hunks"][0]["suggestion"]
    assert suggestion == draft_line.replace(first, "Truly", 1)
    path = f"/conflicts/{told['conflict_id']}/resolution"
    assert rover.post(path, {"choices": ["suggestion"]}).status_code == 200
    assert rover.get(PATH).json()["content"] == PLAN.replace(line, suggestion)


def test_a_suggestion_that_is_none_cannot_be_taken(rover: Caller, conflict: dict[str, Any]) -> None:
    refused = rover.post(f"/conflicts/{conflict['conflict_id']}/resolution", {"choices": ["suggestion"]})
    assert (code(refused), fields(refused)) == ((422, "INVALID"), ["choices"])


def test_a_whole_text_that_drops_an_added_line_asks(rover: Caller, scout: Caller, conflict: dict[str, Any]) -> None:
    head = scout.patch(PATH, {"append": "- Ask the press first"}, If_Match="*").json()["commit"]
    path = f"/conflicts/{conflict['conflict_id']}/resolution"
    body = {"content": draft("ten teams"), "expected_commit": head}
    asked = rover.post(path, body)
    assert (code(asked), fields(asked)) == ((422, "INVALID"), ["confirm_drop"])
    assert "Ask the press first" in asked.json()["detail"]
    assert rover.get(f"/conflicts/{conflict['conflict_id']}").json()["state"] == "open"
    assert rover.post(path, body | {"confirm_drop": True}).status_code == 200
    assert rover.get(PATH).json()["content"] == draft("ten teams")


def test_words_for_a_hunk_that_drop_an_added_line_ask(rover: Caller, scout: Caller, plan: str) -> None:
    grown = PLAN.replace("second", "third").replace("their part.\n", "their part.\nNobody works on Mondays.\n")
    scout.put(PATH, {"content": grown}, If_Match=f'"{plan}"')
    told = rover.put(PATH, {"content": PLAN.replace("second", "fourth")}, If_Match=f'"{plan}"').json()
    path = f"/conflicts/{told['conflict_id']}/resolution"
    for choice in ({"text": "It is late.\n"}, {"hunk": 0, "choice": {"text": "It is late.\n"}}):
        asked = rover.post(path, {"choices": [choice]})
        assert (code(asked), fields(asked)) == ((422, "INVALID"), ["confirm_drop"])
        assert "Nobody works on Mondays." in asked.json()["detail"]
    assert rover.post(path, {"choices": [{"text": "It is late.\n"}], "confirm_drop": True}).status_code == 200
    assert "Nobody works" not in rover.get(PATH).json()["content"]


def test_choices_that_still_fit_are_kept_when_the_head_moves(rover: Caller, scout: Caller, plan: str) -> None:
    def both(day: str, teams: str) -> str:
        return draft(teams).replace("second", day)

    head = scout.put(PATH, {"content": both("third", "two teams")}, If_Match=f'"{plan}"').json()["commit"]
    told = rover.put(PATH, {"content": both("fourth", "ten teams")}, If_Match=f'"{plan}"').json()
    path = f"/conflicts/{told['conflict_id']}/resolution"
    now = scout.put(PATH, {"content": both("fifth", "two teams")}, If_Match="*").json()["commit"]
    again = rover.post(path, {"choices": ["theirs", "mine"], "expected_commit": head})
    assert code(again) == (409, "CONFLICT")
    assert again.json()["head_commit"] == now
    assert again.json()["kept"] == [{"hunk": 1, "choice": "mine"}]
    assert ["fifth" in hunk["theirs"] for hunk in again.json()["hunks"]] == [True, False]
    scout.patch(PATH, {"append": "More."}, If_Match="*")
    done = rover.post(
        path, {"choices": [*again.json()["kept"], {"hunk": 0, "choice": "theirs"}], "expected_commit": now}
    )
    assert done.json()["outcome"] == "merged"
    assert rover.get(PATH).json()["content"] == both("fifth", "ten teams") + "More.\n"


def test_a_settled_one_names_the_commit_that_settled_it(rover: Caller, conflict: dict[str, Any]) -> None:
    path = f"/conflicts/{conflict['conflict_id']}/resolution"
    done = rover.post(path, {"choices": ["mine"]}).json()
    again = rover.post(path, {"choices": ["mine"]})
    assert (code(again), fields(again)) == ((422, "INVALID"), ["conflict_id"])
    assert done["commit"] in again.json()["detail"]


def test_what_a_merge_decided_is_told_and_kept(rover: Caller, scout: Caller, plan: str) -> None:
    scout.patch(PATH, {"append": "- one\n"}, If_Match="*")
    body = {"content": PLAN + "- two\n", "on_conflict": "merge"}
    done = rover.put(PATH, body, If_Match=f'"{plan}"').json()
    assert done["outcome"] == "merged"
    lines = rover.get(PATH).json()["content"].splitlines()
    assert done["decisions"]
    for decision in done["decisions"]:
        first, last = decision["lines"]
        assert {"- one", "- two"} & set(lines[first - 1 : last])
    kept = rover.get(f"/commits/{done['commit']}").json()
    assert (kept["decisions"], kept["merge_version"]) == (done["decisions"], 2)
    listed = rover.get("/commits?location=product/launch/plan.md").json()["items"]
    assert [commit["decisions"] for commit in listed] == [done["decisions"], [], []]
    assert [commit["merge_version"] for commit in listed] == [2, None, None]


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
