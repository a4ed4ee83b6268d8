"""Editing a part: exact text, the end, a section."""

from typing import Any

import pytest

from tests.cast import PLAN
from tests.rest.conftest import Caller, code, fields

PATH = "/documents/product/launch/plan.md"


def test_exact_text_is_replaced_once(rover: Caller, plan: str) -> None:
    saved = rover.patch(PATH, {"old_string": "second of March", "new_string": "third of June"}).json()
    assert (saved["outcome"], saved["parents"]) == ("saved", [plan])
    assert rover.get(PATH).json()["content"] == PLAN.replace("second of March", "third of June")


def test_text_that_is_not_there_or_there_often_says_how_often(rover: Caller, plan: str) -> None:
    for old, times in (("nowhere", "0"), ("The ", "3")):
        response = rover.patch(PATH, {"old_string": old, "new_string": "x"})
        assert code(response) == (422, "INVALID")
        assert fields(response) == ["old_string"]
        assert f"found {times} times" in response.json()["detail"]
    assert rover.patch(PATH, {"old_string": "The ", "new_string": "A ", "replace_all": True}).status_code == 200
    assert "The " not in rover.get(PATH).json()["content"]


def test_text_is_put_at_the_end(rover: Caller, plan: str) -> None:
    rover.patch(PATH, {"append": "One more line."})
    assert rover.get(PATH).json()["content"] == PLAN + "One more line.\n"


def test_an_append_that_is_repeated_is_done_once(rover: Caller, plan: str) -> None:
    first = rover.patch(PATH, {"append": "Once."}, Idempotency_Key="k").json()
    again = rover.patch(PATH, {"append": "Once."}, Idempotency_Key="k").json()
    assert again == first | {"outcome": "replayed"}
    assert rover.get(PATH).json()["content"].count("Once.") == 1


def test_a_section_is_replaced(rover: Caller, plan: str) -> None:
    rover.patch(PATH, {"section": "Goals", "content": "Fewer.\n"})
    text = rover.get(PATH).json()["content"]
    assert "Fewer." in text
    assert "thousand" not in text
    assert "## Risks" in text
    assert code(rover.patch(PATH, {"section": "None", "content": "x"})) == (422, "INVALID")


def test_with_a_base_the_base_must_hold(rover: Caller, scout: Caller, plan: str) -> None:
    head = scout.patch(PATH, {"append": "Newer."}).json()["commit"]
    edit = {"old_string": "a thousand teams", "new_string": "ten teams"}
    assert code(rover.patch(PATH, edit, If_Match=f'"{plan}"')) == (409, "CONFLICT")
    merged = rover.patch(PATH, edit | {"on_conflict": "merge"}, If_Match=f'"{plan}"').json()
    assert (merged["outcome"], merged["parents"]) == ("merged", [head, plan])


BAD: list[tuple[Any, str]] = [
    ({}, "body"),
    ({"append": "x", "section": "Goals", "content": "y"}, "body"),
    ({"append": "x", "old_string": "y", "new_string": "z"}, "body"),
    ({"content": "x"}, "body"),
    ({"new_string": "x"}, "body"),
    ({"old_string": "x"}, "new_string"),
    ({"old_string": "", "new_string": "x"}, "old_string"),
    ({"old_string": 1, "new_string": "x"}, "old_string"),
    ({"old_string": "a", "new_string": "b", "replace_all": "yes"}, "replace_all"),
    ({"old_string": "a", "new_string": "b", "replace_all": 1}, "replace_all"),
    ({"old_string": "a", "new_string": "b\x00"}, "new_string"),
    ({"append": ""}, "append"),
    ({"append": 3}, "append"),
    ({"append": "x", "content": "y"}, "content"),
    ({"append": "x", "replace_all": True}, "replace_all"),
    ({"section": "Goals"}, "content"),
    ({"section": 1, "content": "x"}, "section"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_with_an_edit_is_named(rover: Caller, plan: str, body: Any, field: str) -> None:
    response = rover.patch(PATH, body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]
