"""Folders: listing, making, settings, deleting."""

from tests.cast import Cast
from tests.rest.conftest import Caller, agent_of, code, fields


def test_folders_are_listed_by_parent(rover: Caller, scout: Caller, plan: str) -> None:
    (top,) = scout.get("/folders").json()["items"]
    assert (top["location"], top["role"], top["folders"]) == ("product", "manager", 1)
    (launch,) = scout.get("/folders?parent=product").json()["items"]
    assert (launch["location"], launch["documents"]) == ("product/launch", 1)
    # On the way to what bob sees, only the name shows.
    (passed,) = rover.get("/folders").json()["items"]
    assert (passed["location"], passed["role"]) == ("product", None)


def test_a_stranger_sees_no_folder(mallory: Caller, cast: Cast) -> None:
    assert mallory.get("/folders").json() == {"items": [], "next_cursor": None}
    assert code(mallory.get("/folders?parent=product")) == (404, "NOT_FOUND")
    assert code(mallory.get("/folders/product/launch")) == (404, "NOT_FOUND")
    assert fields(mallory.get("/folders?parent=a//b")) == ["parent"]


def test_a_folder_is_made_with_those_above_it(scout: Caller) -> None:
    response = scout.post("/folders", {"location": "team/notes"})
    assert response.status_code == 201
    assert response.json()["created_folders"] == ["team", "team/notes"]
    assert scout.get("/folders/team/notes").json()["abilities"]["manage"] is True
    assert code(scout.post("/folders", {"location": "team/notes"})) == (409, "ALREADY_EXISTS")
    assert code(scout.post("/folders", {"location": "team/Notes"})) == (409, "ALREADY_EXISTS")


def test_a_repeated_creation_with_its_key_is_the_same_one(scout: Caller, rover: Caller) -> None:
    body = {"location": "team/notes"}
    first, again = (scout.post("/folders", body, Idempotency_Key="k") for _ in range(2))
    assert (first.status_code, first.json()["outcome"]) == (201, "saved")
    assert (again.status_code, again.json()) == (201, first.json() | {"outcome": "replayed"})
    other = scout.post("/folders", {"location": "team/other"}, Idempotency_Key="k")
    assert code(other) == (409, "IDEMPOTENCY_MISMATCH")
    assert rover.post("/folders", {"location": "mine"}, Idempotency_Key="k").json()["outcome"] == "saved"


def test_a_wrong_location_is_named(scout: Caller) -> None:
    for wrong in ("", "a//b", "../a", 1, None, "a\x00"):
        assert fields(scout.post("/folders", {"location": wrong})) == ["location"]


def test_a_reader_makes_no_folder(carol: Caller, cast: Cast) -> None:
    assert code(carol.post("/folders", {"location": "product/launch/x"})) == (403, "FORBIDDEN")
    assert code(carol.post("/folders", {"location": "product/x"})) == (403, "FORBIDDEN")


def test_only_a_manager_changes_settings_and_deletes(scout: Caller, rover: Caller, plan: str) -> None:
    for caller, status in ((rover, 403), (scout, 200)):
        assert caller.patch("/folders/product/launch", {"retention_days": 90}).status_code == status
    assert scout.get("/folders/product/launch").json()["retention_days"] == 90
    assert scout.patch("/folders/product/launch", {"retention_days": None}).status_code == 200
    for wrong in ({}, {"retention_days": 0}, {"retention_days": "9"}, {"retention_days": True}, {"days": 1}):
        assert code(scout.patch("/folders/product/launch", wrong)) == (422, "INVALID")
    response = rover.delete("/folders/product/launch")
    assert (code(response), response.json()["need"]) == ((403, "FORBIDDEN"), "manager")
    assert scout.delete("/folders/product/launch").json() == {"location": "product/launch", "documents": 1}
    assert code(scout.get("/folders/product/launch")) == (404, "NOT_FOUND")
    assert scout.post("/undeletes", {"location": "product/launch/plan.md"}).status_code == 200


def test_a_narrowed_agent_manages_nothing(cast: Cast) -> None:
    editor = agent_of(cast, "alice", "editor@product/launch")
    assert code(editor.delete("/folders/product/launch")) == (403, "FORBIDDEN")
    assert code(editor.post("/folders", {"location": "elsewhere"})) == (404, "NOT_FOUND")
