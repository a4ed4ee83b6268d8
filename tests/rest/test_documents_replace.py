"""Replacing a text: upon the commit that was read, and nobody's words are lost."""

from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, code, fields
from workspace.services import documents

PATH = "/documents/product/launch/plan.md"
GOALS = PLAN.replace("a thousand teams", "two thousand teams")
RISKS = PLAN.replace("a progress bar", "a progress bar and patience")
OTHER_GOALS = PLAN.replace("a thousand teams", "ten teams")


def test_a_replacement_upon_the_head_is_saved(rover: Caller, plan: str) -> None:
    response = rover.put(PATH, {"content": GOALS, "message": "More"}, If_Match=f'"{plan}"')
    saved = response.json()
    assert response.status_code == 200
    assert (saved["outcome"], saved["parents"]) == ("saved", [plan])
    assert response["ETag"] == f'"{saved["commit"]}"'
    assert rover.get(PATH).json()["content"] == GOALS


def test_the_same_text_again_makes_no_commit(rover: Caller, plan: str) -> None:
    saved = rover.put(PATH, {"content": PLAN}, If_Match=f'"{plan}"').json()
    assert (saved["outcome"], saved["commit"]) == ("unchanged", plan)


def test_both_sides_are_merged_into_a_commit_with_two_parents(rover: Caller, scout: Caller, plan: str) -> None:
    head = scout.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"').json()["commit"]
    merged = rover.put(PATH, {"content": RISKS, "on_conflict": "merge"}, If_Match=f'"{plan}"').json()
    assert (merged["outcome"], merged["parents"]) == ("merged", [head, plan])
    text = rover.get(PATH).json()["content"]
    assert "two thousand teams" in text
    assert "and patience" in text


@pytest.mark.parametrize("on_conflict", ["merge", "reject", None])
def test_a_conflict_keeps_the_draft_and_tells_both_sides(
    rover: Caller, scout: Caller, carol: Caller, plan: str, on_conflict: str | None
) -> None:
    head = scout.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"').json()["commit"]
    body = {"content": OTHER_GOALS} | ({"on_conflict": on_conflict} if on_conflict else {})
    response = rover.put(PATH, body, If_Match=f'"{plan}"')
    conflict = response.json()
    assert code(response) == (409, "CONFLICT")
    assert (conflict["base_commit"], conflict["head_commit"]) == (plan, head)
    (hunk,) = conflict["hunks"]
    assert hunk["kind"] == "modify/modify"
    assert "a thousand" in hunk["base"]
    assert "two thousand" in hunk["theirs"]
    assert "ten teams" in hunk["mine"]
    assert hunk["heading"] == "Goals"
    assert "ten teams" in conflict["merged_preview"]
    assert rover.get(PATH).json()["commit"] == head
    kept = rover.get(f"/conflicts/{conflict['conflict_id']}").json()
    assert kept["mine"] == OTHER_GOALS
    assert code(carol.get(f"/conflicts/{conflict['conflict_id']}")) == (404, "NOT_FOUND")


def test_reject_keeps_even_what_would_merge(rover: Caller, scout: Caller, plan: str) -> None:
    scout.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"')
    conflict = rover.put(PATH, {"content": RISKS}, If_Match=f'"{plan}"').json()
    assert conflict["hunks"] == []
    assert conflict["conflict_id"]


def test_a_repeated_conflict_is_the_same_one(rover: Caller, scout: Caller, plan: str) -> None:
    scout.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"')
    sent: dict[str, Any] = {"If_Match": f'"{plan}"', "Idempotency_Key": "k"}
    first, again = (rover.put(PATH, {"content": OTHER_GOALS}, **sent).json() for _ in range(2))
    assert again["conflict_id"] == first["conflict_id"]
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert again["hunks"] == first["hunks"]


def test_a_star_replaces_whatever_is_there(rover: Caller, scout: Caller, plan: str) -> None:
    scout.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"')
    assert rover.put(PATH, {"content": RISKS}, If_Match="*").json()["outcome"] == "saved"


def test_an_abbreviated_commit_is_enough(rover: Caller, plan: str) -> None:
    assert rover.put(PATH, {"content": GOALS}, If_Match=f'"{plan[:7]}"').status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_the_base_is_required(rover: Caller, plan: str, method: str) -> None:
    response = rover(method, PATH, {"content": "x"} if method == "PUT" else None)
    assert code(response) == (428, "PRECONDITION_REQUIRED")
    assert fields(response) == ["If-Match"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "etag", ["", "{0}", 'W/"{0}"', '"{0}", "{0}"', '"{0}', '""', '"nothex!"', '"abc"', "'{0}'", '"' + "0" * 64 + '"']
)
def test_an_etag_that_is_none_is_invalid(rover: Caller, plan: str, method: str, etag: str) -> None:
    body = {"PUT": {"content": "x"}, "PATCH": {"append": "x"}}.get(method)
    response = rover(method, PATH, body, If_Match=etag.format(plan))
    assert code(response) == (422, "INVALID")
    assert fields(response) == ["If-Match"]
    assert rover.get(PATH).json()["commit"] == plan


def test_the_commit_of_another_document_is_invalid(rover: Caller, cast: Cast, plan: str) -> None:
    other = documents.create(cast.alice, location="product/launch/other.md", content="x").commit
    response = rover.put(PATH, {"content": "x"}, If_Match=f'"{other}"')
    assert code(response) == (422, "INVALID")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": 1}, "content"),
        ({"content": "x", "on_conflict": "overwrite"}, "on_conflict"),
        ({"content": "x", "on_conflict": True}, "on_conflict"),
        ({"content": "x", "expected_commit": "1234567"}, "expected_commit"),
        ({"content": "x", "location": "y"}, "location"),
    ],
)
def test_a_wrong_field_is_named(rover: Caller, plan: str, body: Any, field: str) -> None:
    response = rover.put(PATH, body, If_Match=f'"{plan}"')
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


def test_a_reader_cannot_write(carol: Caller, plan: str) -> None:
    for method, body in (("PUT", {"content": "x"}), ("PATCH", {"append": "x"}), ("DELETE", None)):
        response = carol(method, PATH, body, If_Match="*")
        assert code(response) == (403, "FORBIDDEN")
        assert response.json()["need"] == "editor"


def test_a_write_takes_a_fixed_number_of_queries(rover: Caller, plan: str, django_assert_max_num_queries: Any) -> None:
    rover.get("/me")
    with django_assert_max_num_queries(12):
        rover.put(PATH, {"content": GOALS}, If_Match=f'"{plan}"')
