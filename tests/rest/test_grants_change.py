"""Sharing: who was given what, who can read, and who may change it."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, code, fields

HERE = {"location": "product/launch"}


def test_grants_tell_what_holds_and_where_it_was_given(rover: Caller, cast: Cast) -> None:
    items = rover.get("/grants?location=product/launch").json()["items"]
    assert [(g["subject"], g["role"], g["inherited"]) for g in items] == [
        ("bob@example.org", "editor", False),
        ("carol@example.org", "viewer", False),
        ("alice@example.org", "manager", True),
    ]


def test_access_tells_who_can_read_and_why(rover: Caller, cast: Cast) -> None:
    items = rover.get("/access?location=product/launch").json()["items"]
    assert [(r["email"], r["role"]) for r in items] == [
        ("alice@example.org", "manager"),
        ("bob@example.org", "editor"),
        ("carol@example.org", "viewer"),
    ]
    assert items[0]["through"][0]["location"] == "product"


def test_what_is_shared_is_seen_and_what_is_taken_back_is_not(scout: Caller, mallory: Caller, plan: str) -> None:
    document = "product/launch/plan.md"
    grant = {"location": document, "subject": "mallory@example.org", "role": "viewer"}
    response = scout.post("/grants", grant)
    assert (response.status_code, response.json()) == (201, grant)
    assert mallory.get(f"/documents/{document}").status_code == 200
    assert scout.delete(f"/grants?location={document}&subject=mallory@example.org").status_code == 204
    assert code(mallory.get(f"/documents/{document}")) == (404, "NOT_FOUND")


def test_an_editor_shares_up_to_editor(rover: Caller, cast: Cast) -> None:
    grant = HERE | {"subject": "mallory@example.org"}
    assert rover.post("/grants", grant | {"role": "editor"}).status_code == 201
    response = rover.post("/grants", grant | {"role": "manager"})
    assert (code(response), response.json()["need"]) == ((403, "FORBIDDEN"), "manager")


def test_the_last_manager_stays(scout: Caller, cast: Cast) -> None:
    response = scout.delete("/grants?location=product&subject=alice@example.org")
    assert code(response) == (403, "FORBIDDEN")


def test_a_reader_shares_nothing(carol: Caller, cast: Cast) -> None:
    response = carol.post("/grants", HERE | {"subject": "mallory@example.org", "role": "viewer"})
    assert code(response) == (403, "FORBIDDEN")


BAD: list[tuple[Any, str]] = [
    (HERE | {"role": "viewer"}, "subject"),
    (HERE | {"subject": "bob@example.org"}, "role"),
    (HERE | {"subject": "bob@example.org", "role": "owner"}, "role"),
    (HERE | {"subject": "bob@example.org", "role": "Viewer"}, "role"),
    (HERE | {"subject": "bob@example.org", "role": 1}, "role"),
    (HERE | {"subject": "nobody@example.org", "role": "viewer"}, "subject"),
    (HERE | {"subject": "group:none", "role": "viewer"}, "subject"),
    (HERE | {"subject": ["bob@example.org"], "role": "viewer"}, "subject"),
    (HERE | {"subject": "bob@example.org", "role": "viewer", "notify": True}, "notify"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_named(scout: Caller, cast: Cast, body: Any, field: str) -> None:
    response = scout.post("/grants", body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


def test_revoking_names_what_is_missing(scout: Caller, cast: Cast) -> None:
    assert fields(scout.delete("/grants?location=product/launch")) == ["subject"]
    assert fields(scout.delete("/grants?subject=bob@example.org")) == ["location"]
    assert fields(scout.delete("/grants?location=product/launch&subject=mallory@example.org")) == ["subject"]
