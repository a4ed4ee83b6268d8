"""Requests for access: who may ask, see, decide and withdraw."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, agent_of, code, fields
from workspace.services import access_requests

HERE = "product/launch"
ASK = {"location": HERE, "role": "editor", "reason": "I write the notes."}


@pytest.fixture
def asked(mallory: Caller) -> str:
    """Mallory's request to be editor of product/launch."""
    return str(mallory.post("/access-requests", ASK).json()["id"])


def waiting(caller: Caller, query: str = "") -> list[str]:
    return [item["id"] for item in caller.get(f"/access-requests{query}").json()["items"]]


def test_asking_is_answered_with_the_request_as_it_stands(mallory: Caller) -> None:
    response = mallory.post("/access-requests", ASK)

    assert response.status_code == 201
    made = response.json()
    assert made | ASK == made
    assert (made["state"], made["granted"], made["answer"]) == ("open", None, "")
    assert mallory.post("/access-requests", ASK | {"reason": "Again."}).json() == made


def test_asking_for_what_never_was_is_answered_alike(mallory: Caller) -> None:
    there, nowhere = (mallory.post("/access-requests", ASK | {"location": place}) for place in (HERE, "product/none"))

    def bare(response: Any) -> dict[str, Any]:
        return {k: v for k, v in response.json().items() if k not in ("id", "created_at", "location")}

    assert there.status_code == nowhere.status_code == 201
    assert bare(there) == bare(nowhere)
    assert set(there.headers) == set(nowhere.headers)


@pytest.mark.parametrize(("name", "sees"), [("alice", True), ("bob", True), ("carol", False)])
def test_those_who_share_the_place_see_the_request(cast: Cast, asked: str, name: str, sees: bool) -> None:
    assert waiting(agent_of(cast, name)) == ([asked] if sees else [])


def test_a_request_in_the_list_tells_who_asks_for_whom(rover: Caller, asked: str) -> None:
    (item,) = rover.get("/access-requests").json()["items"]

    assert (item["by"]["kind"], item["by"]["person"], item["email"]) == ("agent", "Mallory", "mallory@example.org")
    assert (item["decided_at"], item["decided_by"]) == (None, "")


def test_the_list_is_narrowed_to_a_place(scout: Caller, asked: str) -> None:
    assert waiting(scout, "?location=product") == [asked]
    assert waiting(scout, "?location=other") == []


def test_approving_is_previewed_and_gives_a_lesser_role(rover: Caller, mallory: Caller, asked: str) -> None:
    path, body = f"/access-requests/{asked}/decision", {"approve": True, "role": "viewer", "answer": "For now."}
    shown = rover.post(path, body | {"preview": True})
    assert shown.status_code == 200
    assert shown.json()["detail"].startswith("Mallory gains reading of")
    assert code(mallory.get(f"/folders/{HERE}")) == (404, "NOT_FOUND")
    done = rover.post(path, body | {"confirm_token": shown.json()["confirm_token"]})
    assert (done.status_code, done.json()["state"], done.json()["granted"]) == (201, "approved", "viewer")
    assert mallory.get(f"/folders/{HERE}").json()["role"] == "viewer"
    (mine,) = mallory.get("/access-requests?list=mine").json()["items"]
    assert (mine["state"], mine["granted"], mine["answer"]) == ("approved", "viewer", "For now.")


def test_a_token_of_another_role_approves_nothing(rover: Caller, asked: str) -> None:
    path = f"/access-requests/{asked}/decision"
    token = rover.post(path, {"approve": True, "role": "viewer", "preview": True}).json()["confirm_token"]
    response = rover.post(path, {"approve": True, "confirm_token": token})
    assert code(response) == (409, "ACCESS_CHANGE")
    assert response.json()["preview"]["role"] == "editor"
    assert waiting(rover) == [asked]


def test_declining_gives_nothing_and_tells_why(rover: Caller, mallory: Caller, asked: str) -> None:
    done = rover.post(f"/access-requests/{asked}/decision", {"approve": False, "answer": "Ask Ann."})
    assert (done.status_code, done.json()["state"]) == (201, "declined")
    assert code(mallory.get(f"/folders/{HERE}")) == (404, "NOT_FOUND")
    assert mallory.get("/access-requests?list=mine&state=declined").json()["items"][0]["answer"] == "Ask Ann."
    again = rover.post(f"/access-requests/{asked}/decision", {"approve": True})
    assert again.json()["state"] == "declined"


def test_who_could_not_share_the_place_decides_nothing(carol: Caller, mallory: Caller, asked: str) -> None:
    for caller in (carol, mallory):
        response = caller.post(f"/access-requests/{asked}/decision", {"approve": False})
        assert code(response) == (404, "NOT_FOUND")


def test_an_editor_does_not_make_a_manager(cast: Cast, rover: Caller, scout: Caller, mallory: Caller) -> None:
    asked = mallory.post("/access-requests", ASK | {"role": "manager"}).json()["id"]
    assert waiting(rover) == []
    assert code(rover.post(f"/access-requests/{asked}/decision", {"approve": True})) == (404, "NOT_FOUND")
    assert scout.post(f"/access-requests/{asked}/decision", {"approve": True}).json()["granted"] == "manager"


def test_only_who_asked_withdraws(rover: Caller, mallory: Caller, asked: str) -> None:
    assert code(rover.delete(f"/access-requests/{asked}")) == (404, "NOT_FOUND")
    assert mallory.delete(f"/access-requests/{asked}").status_code == 204
    assert waiting(rover) == []
    assert code(mallory.delete("/access-requests/acr_none")) == (404, "NOT_FOUND")


def test_a_person_has_twenty_open_requests_at_most(mallory: Caller) -> None:
    for number in range(access_requests.MOST_OPEN):
        assert mallory.post("/access-requests", ASK | {"location": f"nowhere/{number}"}).status_code == 201
    response = mallory.post("/access-requests", ASK)
    assert code(response) == (429, "RATE_LIMITED")
    assert int(response["Retry-After"]) > 0


def test_pages_of_requests_go_on_by_the_cursor(cast: Cast, scout: Caller, mallory: Caller) -> None:
    made = [mallory.post("/access-requests", ASK | {"location": place}).json()["id"] for place in (HERE, "product")]
    first = scout.get("/access-requests?limit=1").json()
    then = scout.get(f"/access-requests?limit=1&cursor={first['next_cursor']}").json()
    assert [item["id"] for item in first["items"] + then["items"]] == made
    assert then["next_cursor"] is None


BAD: list[tuple[Any, str]] = [
    ({"role": "viewer"}, "location"),
    ({"location": HERE}, "role"),
    (ASK | {"role": "owner"}, "role"),
    (ASK | {"location": "/x"}, "location"),
    (ASK | {"reason": 1}, "reason"),
    (ASK | {"subject": "x"}, "subject"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_with_asking_is_named(mallory: Caller, body: Any, field: str) -> None:
    response = mallory.post("/access-requests", body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


UNFIT: list[tuple[Any, str]] = [
    ({}, "approve"),
    ({"approve": "yes"}, "approve"),
    ({"approve": True, "role": "manager"}, "role"),
    ({"approve": False, "role": "viewer"}, "role"),
    ({"approve": False, "preview": True}, "preview"),
    ({"approve": True, "preview": True, "confirm_token": "x"}, "confirm_token"),
]


@pytest.mark.parametrize(("body", "field"), UNFIT, ids=range(len(UNFIT)))
def test_what_is_wrong_with_a_decision_is_named(rover: Caller, asked: str, body: Any, field: str) -> None:
    response = rover.post(f"/access-requests/{asked}/decision", body)
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


@pytest.mark.parametrize("query", ["?list=all", "?list=mine&location=product", "?state=open", "?list=mine&state=lost"])
def test_what_is_wrong_with_a_list_is_named(rover: Caller, query: str) -> None:
    assert code(rover.get(f"/access-requests{query}")) == (422, "INVALID")


def test_what_somebody_holds_already_is_not_asked_for(rover: Caller, cast: Cast) -> None:
    response = rover.post("/access-requests", ASK | {"role": "viewer"})
    assert (code(response), fields(response)) == ((422, "INVALID"), ["role"])
    assert rover.post("/access-requests", ASK | {"role": "manager"}).status_code == 201


def test_nobody_asks_without_a_token(nobody: Caller) -> None:
    assert code(nobody.post("/access-requests", ASK)) == (401, "UNAUTHENTICATED")
