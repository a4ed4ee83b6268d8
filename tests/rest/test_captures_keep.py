"""Captures: kept once, without secrets, seen by the folder's readers, erased by whoever may."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, code, fields

NOTE = {
    "folder": "product/launch",
    "content": "Asked: check the dates.\nDecided: June.\nOpen: who tells support?\n",
    "operation_id": "op-1",
    "host": "claude-code",
    "session": "s-1",
    "event": "session-end",
}


@pytest.fixture
def kept(rover: Caller) -> dict[str, Any]:
    """A capture that rover kept."""
    response = rover.post("/captures", NOTE)
    assert response.status_code == 201
    found: dict[str, Any] = response.json()
    return found


def test_a_capture_is_kept_and_read_by_the_readers_of_its_folder(
    kept: dict[str, Any], carol: Caller, mallory: Caller
) -> None:
    found = carol.get(f"/captures/{kept['id']}").json()
    assert found["content"] == NOTE["content"]
    assert (found["author"]["label"], found["state"], found["deleted"]) == ("rover", "captured", False)
    assert (found["host"], found["session"], found["event"]) == ("claude-code", "s-1", "session-end")
    assert [fact["kind"] for fact in found["timeline"]][:2] == ["captured", "acknowledged"]
    assert [c["id"] for c in carol.get("/captures?folder=product/launch").json()["items"]] == [kept["id"]]
    assert code(mallory.get(f"/captures/{kept['id']}")) == (404, "NOT_FOUND")
    assert mallory.get("/captures").json()["items"] == []
    assert code(mallory.get("/captures?folder=product/launch")) == (404, "NOT_FOUND")


def test_a_repeated_capture_is_the_same_one(kept: dict[str, Any], rover: Caller, scout: Caller) -> None:
    again = rover.post("/captures", NOTE)
    assert (again.status_code, again.json()) == (201, kept | {"replayed": True})
    other = rover.post("/captures", NOTE | {"content": "Other."})
    assert code(other) == (409, "IDEMPOTENCY_MISMATCH")
    assert scout.post("/captures", NOTE).json()["id"] != kept["id"]


def test_secrets_are_taken_out_and_counted(rover: Caller, cast: Cast) -> None:
    secret = cast.tokens["scout"]
    made = rover.post("/captures", NOTE | {"content": f"Used {secret} to sign in."}).json()
    assert sum(made["redactions"].values()) == 1
    assert secret not in rover.get(f"/captures/{made['id']}").content.decode()


def test_who_kept_it_and_managers_erase_it(
    kept: dict[str, Any], rover: Caller, carol: Caller, scout: Caller, mallory: Caller
) -> None:
    path = f"/captures/{kept['id']}"
    assert code(mallory.delete(path)) == (404, "NOT_FOUND")
    assert code(carol.delete(path)) == (403, "FORBIDDEN")
    assert rover.delete(path).status_code == 204
    assert rover.delete(path).status_code == 204
    found = scout.get(path).json()
    assert (found["content"], found["deleted"], found["state"]) == ("", True, "deleted")


def test_a_reader_keeps_nothing(carol: Caller, mallory: Caller) -> None:
    assert code(carol.post("/captures", NOTE)) == (403, "FORBIDDEN")
    assert code(mallory.post("/captures", NOTE)) == (404, "NOT_FOUND")


BAD: list[tuple[Any, str]] = [
    ({"content": ""}, "content"),
    ({"content": " \n"}, "content"),
    ({"content": 1}, "content"),
    ({"content": "a\x00"}, "content"),
    ({"content": "\ud800"}, "content"),
    ({"operation_id": ""}, "operation_id"),
    ({"operation_id": "o" * 256}, "operation_id"),
    ({"operation_id": None}, "operation_id"),
    ({"folder": "a//b"}, "folder"),
    ({"folder": ""}, "folder"),
    ({"retention_days": 0}, "retention_days"),
    ({"retention_days": "7"}, "retention_days"),
    ({"retention_days": True}, "retention_days"),
    ({"host": 1}, "host"),
    ({"unknown": 1}, "unknown"),
]


@pytest.mark.parametrize(("change", "field"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_named(rover: Caller, cast: Cast, change: Any, field: str) -> None:
    response = rover.post("/captures", NOTE | change)
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


def test_a_capture_has_at_most_16_kib(rover: Caller, cast: Cast) -> None:
    assert rover.post("/captures", NOTE | {"content": "é" * 8192}).status_code == 201
    response = rover.post("/captures", NOTE | {"content": "é" * 8192 + "x", "operation_id": "op-2"})
    assert code(response) == (413, "TOO_LARGE")
