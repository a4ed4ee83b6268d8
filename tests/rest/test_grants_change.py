"""Sharing: who was given what, who can read, and who may change it."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, agent_of, code, fields

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
    assert items[0]["through"][0]["chain"] == []


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


# -- previews, and what confirms them --

MALLORY = HERE | {"subject": "mallory@example.org", "role": "viewer"}


def test_a_preview_tells_who_gains_what_and_changes_nothing(scout: Caller, mallory: Caller, plan: str) -> None:
    response = scout.post("/grants", MALLORY | {"preview": True})

    assert response.status_code == 200
    told = response.json()
    assert told["detail"] == "Mallory gains reading of 1 document in 1 folder, and of everything put here later."
    assert told["gains"] == [
        {"email": "mallory@example.org", "label": "Mallory", "role_before": None, "role_after": "viewer"}
    ]
    assert (told["people"], told["future"], told["changes"]) == ({"gain": 1, "lose": 0, "keep": 0}, True, True)
    assert code(mallory.get("/folders/product/launch")) == (404, "NOT_FOUND")


def test_a_confirmed_preview_is_done_and_done_again(scout: Caller, mallory: Caller, cast: Cast) -> None:
    confirmed = MALLORY | {
        "confirm_token": scout.post("/grants", MALLORY | {"preview": True}).json()["confirm_token"],
    }
    for _ in range(2):
        response = scout.post("/grants", confirmed)
        assert (response.status_code, response.json()) == (201, MALLORY)
    assert mallory.get("/folders/product/launch").status_code == 200


def test_what_is_no_longer_as_it_was_told_is_told_again(scout: Caller, rover: Caller, cast: Cast) -> None:
    token = scout.post("/grants", MALLORY | {"preview": True}).json()["confirm_token"]
    rover.post("/grants", MALLORY | {"role": "editor"})
    response = scout.post("/grants", MALLORY | {"confirm_token": token})

    assert code(response) == (409, "ACCESS_CHANGE")
    problem = response.json()
    assert problem["loses"] == ["mallory@example.org"]
    assert problem["preview"]["loses"][0]["role_before"] == "editor"
    assert scout.post("/grants", MALLORY | {"confirm_token": problem["confirm_token"]}).status_code == 201


@pytest.mark.parametrize("other", [{"role": "editor"}, {"location": "product"}, {"subject": "carol@example.org"}])
def test_a_token_confirms_one_change_alone(scout: Caller, rover: Caller, cast: Cast, other: dict[str, str]) -> None:
    token = scout.post("/grants", MALLORY | {"preview": True}).json()["confirm_token"]
    if other.get("subject"):
        other = other | {"role": "editor"}
    assert code(scout.post("/grants", MALLORY | other | {"confirm_token": token})) == (409, "ACCESS_CHANGE")
    assert code(rover.post("/grants", MALLORY | {"confirm_token": token})) == (409, "ACCESS_CHANGE")


def test_taking_back_is_previewed_and_confirmed(scout: Caller, rover: Caller, cast: Cast) -> None:
    path = "/grants?location=product/launch&subject=bob@example.org"
    shown = scout.delete(f"{path}&preview=true")
    assert (shown.status_code, shown.json()["role"]) == (200, None)
    assert shown.json()["detail"].startswith("Bob loses all access to 0 documents in 1 folder")
    assert rover.get("/folders/product/launch").status_code == 200
    assert code(scout.delete(f"{path}&confirm_token=forged")) == (409, "ACCESS_CHANGE")
    assert scout.delete(f"{path}&confirm_token={shown.json()['confirm_token']}").status_code == 204
    assert code(rover.get("/folders/product/launch")) == (404, "NOT_FOUND")


def test_a_preview_is_not_confirmed_in_the_same_breath(scout: Caller, cast: Cast) -> None:
    response = scout.post("/grants", MALLORY | {"preview": True, "confirm_token": "x"})
    assert fields(response) == ["confirm_token"]
    path = "/grants?location=product/launch&subject=bob@example.org&preview=true&confirm_token=x"
    assert fields(scout.delete(path)) == ["confirm_token"]


@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 200), ("carol", 403), ("mallory", 404)])
def test_a_preview_is_refused_as_the_grant_is(cast: Cast, name: str, status: int) -> None:
    body = HERE | {"subject": "carol@example.org", "role": "editor", "preview": True}
    assert agent_of(cast, name).post("/grants", body).status_code == status


# -- sharing by editors --


def test_a_manager_closes_sharing_for_editors(scout: Caller, rover: Caller, cast: Cast) -> None:
    assert rover.get("/folders/product/launch").json()["abilities"]["share"] is True
    assert scout.patch("/folders/product", {"editors_share": False}).status_code == 200
    told = rover.get("/folders/product/launch").json()
    assert (told["abilities"]["share"], told["editors_share"]) == (False, True)
    assert code(rover.post("/grants", MALLORY)) == (403, "FORBIDDEN")
    assert scout.post("/grants", MALLORY).status_code == 201
    assert scout.patch("/folders/product", {"editors_share": True, "retention_days": 5}).status_code == 200
    assert scout.get("/folders/product").json()["retention_days"] == 5
    assert rover.post("/grants", MALLORY).status_code == 201


@pytest.mark.parametrize(("name", "status"), [("bob", 403), ("carol", 403), ("mallory", 404)])
def test_only_a_manager_closes_it(cast: Cast, name: str, status: int) -> None:
    assert agent_of(cast, name).patch("/folders/product/launch", {"editors_share": False}).status_code == status


@pytest.mark.parametrize("body", [{}, {"editors_share": "no"}, {"editors_share": None}])
def test_a_setting_is_true_or_false(scout: Caller, cast: Cast, body: Any) -> None:
    assert code(scout.patch("/folders/product", body)) == (422, "INVALID")
