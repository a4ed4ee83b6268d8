"""Moving and renaming documents and folders."""

from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, code, fields
from workspace.services import folders, sharing

FROM = {"from": "product/launch/plan.md"}


def test_a_move_keeps_the_id_and_the_history(rover: Caller, plan: str) -> None:
    before = rover.get("/documents/product/launch/plan.md").json()
    moved = rover.post("/moves", FROM | {"to": "product/launch/old/plan-1.md"}).json()
    assert moved["location"] == "product/launch/old/plan-1.md"
    assert (moved["id"], moved["parents"]) == (before["id"], [plan])
    assert moved["created_folders"] == ["product/launch/old"]
    assert code(rover.get("/documents/product/launch/plan.md")) == (404, "NOT_FOUND")
    kinds = [c["kind"] for c in rover.get("/commits?location=product/launch/old/plan-1.md").json()["items"]]
    assert kinds == ["move", "create"]


def test_a_repeated_move_with_its_key_is_the_same_one(rover: Caller, plan: str) -> None:
    body = FROM | {"to": "product/launch/moved.md"}
    first, again = (rover.post("/moves", body, Idempotency_Key="k").json() for _ in range(2))
    assert again == first | {"outcome": "replayed"}


def test_a_folders_repeated_move_with_its_key_is_the_same_one(scout: Caller, plan: str) -> None:
    for body in (
        {"from": "product/launch", "to": "product/old/launch"},
        {"from": "product", "to": "stuff"},
    ):
        first, again = (scout.post("/moves", body, Idempotency_Key=body["to"]).json() for _ in range(2))
        assert (first["outcome"], again) == ("saved", first | {"outcome": "replayed"})
        other = body | {"to": "elsewhere"}
        assert code(scout.post("/moves", other, Idempotency_Key=body["to"])) == (409, "IDEMPOTENCY_MISMATCH")
        assert code(scout.post("/moves", body)) == (404, "NOT_FOUND")


def test_one_key_moves_one_thing_be_it_a_document_or_a_folder(scout: Caller, plan: str) -> None:
    body = FROM | {"to": "product/launch/moved.md"}
    assert scout.post("/moves", body, Idempotency_Key="k").status_code == 200
    other = {"from": "product/launch", "to": "product/other"}
    assert code(scout.post("/moves", other, Idempotency_Key="k")) == (409, "IDEMPOTENCY_MISMATCH")
    assert scout.post("/moves", body, Idempotency_Key="k").json()["outcome"] == "replayed"


def test_a_move_decided_on_an_older_version_is_a_conflict(rover: Caller, scout: Caller, plan: str) -> None:
    scout.patch("/documents/product/launch/plan.md", {"append": "Newer."})
    body = FROM | {"to": "product/launch/moved.md"}
    assert code(rover.post("/moves", body, If_Match=f'"{plan}"')) == (409, "CONFLICT")
    assert code(rover.post("/moves", body | {"expected_commit": plan})) == (409, "CONFLICT")
    response = rover.post("/moves", body | {"expected_commit": plan[:8]}, If_Match=f'"{"0" * 64}"')
    assert code(response) == (422, "INVALID")


def test_a_taken_name_is_refused(rover: Caller, plan: str) -> None:
    new = {"location": "product/launch/other.md", "content": "x"}
    rover.post("/documents", new, Idempotency_Key="k")
    for to in ("product/launch/other.md", "product/launch/OTHER.md"):
        assert code(rover.post("/moves", FROM | {"to": to})) == (409, "ALREADY_EXISTS")


def test_a_move_that_lets_others_read_is_told_and_must_be_acknowledged(scout: Caller, cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="open")
    sharing.grant(cast.alice, location="open", subject="mallory@example.org", role="viewer")
    body = FROM | {"to": "open/plan.md"}
    response = scout.post("/moves", body)
    assert code(response) == (409, "ACCESS_CHANGE")
    assert response.json()["gains"] == ["mallory@example.org"]
    assert scout.post("/moves", body | {"acknowledge_access_change": True}).status_code == 200


def test_a_folder_moves_with_all_that_is_below_it(scout: Caller, plan: str) -> None:
    moved = scout.post("/moves", {"from": "product/launch", "to": "product/start"}).json()
    assert (moved["location"], moved["commit"]) == ("product/start", None)
    assert scout.get("/documents/product/start/plan.md").json()["content"] == PLAN
    assert code(scout.get("/documents/product/launch/plan.md")) == (404, "NOT_FOUND")


BAD: list[tuple[Any, list[str]]] = [
    ({"to": "product/x.md"}, ["from"]),
    (FROM, ["to"]),
    (FROM | {"to": 1}, ["to"]),
    (FROM | {"to": "top.md"}, ["to"]),
    (FROM | {"to": "product/../x.md"}, ["to"]),
    ({"from": "a//b.md", "to": "product/x.md"}, ["from"]),
    (FROM | {"to": "product/x.md", "acknowledge_access_change": "true"}, ["acknowledge_access_change"]),
    (FROM | {"to": "product/x.md", "source": "y"}, ["source"]),
    ({"from": "product", "to": "product/launch/product"}, ["to"]),
]


@pytest.mark.parametrize(("body", "named"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_named(scout: Caller, plan: str, body: Any, named: list[str]) -> None:
    response = scout.post("/moves", body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == named


def test_a_reader_cannot_move(carol: Caller, plan: str) -> None:
    assert code(carol.post("/moves", FROM | {"to": "product/launch/x.md"})) == (403, "FORBIDDEN")
