"""Creating a document: once, and never over another."""

from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, agent_of, code, fields

NEW = {"location": "product/launch/new.md", "content": PLAN, "message": "First", "reason": "Because"}


def test_a_new_document_answers_where_it_is(scout: Caller) -> None:
    response = scout.post("/documents", NEW, Idempotency_Key="k")
    made = response.json()
    assert response.status_code == 201
    assert response["ETag"] == f'"{made["commit"]}"'
    assert response["Location"].endswith("/api/v1/documents/product/launch/new.md")
    assert made["outcome"] == "saved"
    assert (made["parents"], made["created_folders"]) == ([], [])
    assert made["citation"] == f"product/launch/new.md@{made['commit']}"
    commit = scout.get(f"/commits/{made['commit']}").json()
    assert commit["author"]["label"] == "scout"
    assert commit["author"]["person"] == "Alice"
    assert (commit["message"], commit["reason"], commit["via"]) == ("First", "Because", "rest")


def test_missing_folders_are_made_and_named(scout: Caller) -> None:
    made = scout.post("/documents", NEW | {"location": "product/launch/a/b/new.md"}, Idempotency_Key="k").json()
    assert made["created_folders"] == ["product/launch/a", "product/launch/a/b"]


def test_a_repeated_request_is_answered_again_and_done_once(scout: Caller) -> None:
    first = scout.post("/documents", NEW, Idempotency_Key="k")
    again = scout.post("/documents", NEW, Idempotency_Key="k")
    assert again.status_code == 201
    assert again["ETag"] == first["ETag"]
    assert again.json() == first.json() | {"outcome": "replayed"}
    assert len(scout.get("/commits?location=product/launch/new.md").json()["items"]) == 1


def test_a_key_used_for_something_else_is_refused(scout: Caller, rover: Caller) -> None:
    scout.post("/documents", NEW, Idempotency_Key="k")
    assert code(scout.post("/documents", NEW | {"content": "other"}, Idempotency_Key="k")) == (
        409,
        "IDEMPOTENCY_MISMATCH",
    )
    # Another caller's key is another key.
    assert code(rover.post("/documents", NEW, Idempotency_Key="k")) == (409, "ALREADY_EXISTS")


def test_the_key_is_required(scout: Caller) -> None:
    response = scout.post("/documents", NEW)
    assert code(response) == (428, "PRECONDITION_REQUIRED")
    assert fields(response) == ["Idempotency-Key"]


@pytest.mark.parametrize(("key", "status"), [("k", 201), ("k" * 255, 201), ("k" * 256, 422), ("", 422)])
def test_a_key_has_1_to_255_characters(scout: Caller, key: str, status: int) -> None:
    response = scout.post("/documents", NEW, Idempotency_Key=key)
    assert response.status_code == status
    if status == 422:
        assert fields(response) == ["Idempotency-Key"]


@pytest.mark.parametrize("location", ["product/launch/plan.md", "product/launch/PLAN.md", "product/launch"])
def test_nothing_is_overwritten(scout: Caller, plan: str, location: str) -> None:
    response = scout.post("/documents", NEW | {"location": location}, Idempotency_Key="k")
    assert code(response) == (409, "ALREADY_EXISTS")
    assert scout.get("/documents/product/launch/plan.md").json()["commit"] == plan


def test_a_reader_is_told_which_role_is_needed(carol: Caller) -> None:
    response = carol.post("/documents", NEW, Idempotency_Key="k")
    assert code(response) == (403, "FORBIDDEN")
    assert response.json()["need"] == "editor"


def test_a_stranger_cannot_create_where_nothing_is_seen(mallory: Caller, cast: Cast) -> None:
    hidden = mallory.post("/documents", NEW, Idempotency_Key="a")
    assert code(hidden) == (404, "NOT_FOUND")
    narrowed = agent_of(cast, "alice", "viewer@product/launch")
    assert code(narrowed.post("/documents", NEW, Idempotency_Key="b")) == (403, "FORBIDDEN")


BAD: list[tuple[Any, str]] = [
    ({"content": "x"}, "location"),
    ({"location": "product/launch/x.md"}, "content"),
    (NEW | {"extra": 1}, "extra"),
    (NEW | {"location": 7}, "location"),
    (NEW | {"location": None}, "location"),
    (NEW | {"location": ""}, "location"),
    (NEW | {"location": "top.md"}, "location"),
    (NEW | {"location": "/product/x.md"}, "location"),
    (NEW | {"location": "product//x.md"}, "location"),
    (NEW | {"location": "product/x.md/"}, "location"),
    (NEW | {"location": "product/../x.md"}, "location"),
    (NEW | {"location": "product/launch/."}, "location"),
    (NEW | {"location": "product/launch/ x.md"}, "location"),
    (NEW | {"location": "product/launch/a\nb.md"}, "location"),
    (NEW | {"location": "product/launch/a\x00b.md"}, "location"),
    (NEW | {"location": "product/launch/\ud800.md"}, "location"),
    (NEW | {"location": "product/launch/" + "x" * 201}, "location"),
    (NEW | {"content": 5}, "content"),
    (NEW | {"content": True}, "content"),
    (NEW | {"content": ["x"]}, "content"),
    (NEW | {"content": None}, "content"),
    (NEW | {"content": "a\x00b"}, "content"),
    (NEW | {"content": "a\udfffb"}, "content"),
    (NEW | {"message": 1}, "message"),
    (NEW | {"message": "m" * 2001}, "message"),
    (NEW | {"reason": {}}, "reason"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_with_a_body_is_named(scout: Caller, body: Any, field: str) -> None:
    response = scout.post("/documents", body, Idempotency_Key="k")
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


def test_every_wrong_field_is_named_at_once(scout: Caller) -> None:
    response = scout.post("/documents", {"location": 1, "content": 2, "message": 3}, Idempotency_Key="k")
    assert fields(response) == ["message", "location", "content"] or set(fields(response)) == {
        "location",
        "content",
        "message",
    }


@pytest.mark.parametrize("text", ["", "﻿# bom", "a\r\nb\rc\nd", "no end", "עברית ‮x", "é", "👩‍👩‍👧", "\t \n\n"])
def test_texts_come_back_as_they_were_sent(scout: Caller, text: str) -> None:
    scout.post("/documents", NEW | {"content": text}, Idempotency_Key="k")
    assert scout.get("/documents/product/launch/new.md").json()["content"] == text


def test_a_mebibyte_is_kept_and_one_byte_more_is_too_large(scout: Caller) -> None:
    whole = "ж" * (512 * 1024)  # as escapes three times as long on the wire
    assert scout.post("/documents", NEW | {"content": whole}, Idempotency_Key="a").status_code == 201
    response = scout.post("/documents", NEW | {"content": whole + "x"}, Idempotency_Key="b")
    assert code(response) == (413, "TOO_LARGE")
    assert response.json()["limit"] == 1024 * 1024
    assert fields(response) == ["content"]
