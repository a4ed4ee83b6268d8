"""Deleting a document, and taking that back."""

from tests.cast import PLAN
from tests.rest.conftest import Caller, code

PATH = "/documents/product/launch/plan.md"


def test_a_deletion_is_a_commit_that_can_be_taken_back(rover: Caller, plan: str) -> None:
    gone = rover.delete(f"{PATH}?message=Done%20with&reason=old", If_Match=f'"{plan}"').json()
    assert (gone["outcome"], gone["parents"]) == ("saved", [plan])
    tombstone = rover.get(f"/commits/{gone['commit']}").json()
    assert (tombstone["kind"], tombstone["message"], tombstone["reason"]) == ("delete", "Done with", "old")
    assert code(rover.get(PATH)) == (410, "GONE")
    assert rover.get("/documents?recursive=true").json()["items"] == []
    back = rover.post("/undeletes", {"location": "product/launch/plan.md"}).json()
    assert back["parents"] == [gone["commit"]]
    assert rover.get(PATH).json()["content"] == PLAN


def test_a_deletion_decided_on_an_older_version_is_a_conflict(rover: Caller, scout: Caller, plan: str) -> None:
    head = scout.patch(PATH, {"append": "Newer."}).json()["commit"]
    response = rover.delete(PATH, If_Match=f'"{plan}"')
    assert code(response) == (409, "CONFLICT")
    assert response.json()["conflict_id"] is None
    assert response.json()["head_commit"] == head
    assert rover.get(PATH).status_code == 200


def test_a_repeated_deletion_with_its_key_is_the_same_one(rover: Caller, plan: str) -> None:
    sent = {"If_Match": f'"{plan}"', "Idempotency_Key": "k"}
    first, again = rover.delete(PATH, **sent), rover.delete(PATH, **sent)
    assert again.json() == first.json() | {"outcome": "replayed"}
    assert code(rover.delete(PATH, If_Match="*")) == (410, "GONE")


def test_what_was_made_anew_at_the_place_stays(rover: Caller, scout: Caller, plan: str) -> None:
    rover.delete(PATH, If_Match="*")
    new = {"location": "product/launch/plan.md", "content": "anew"}
    made = scout.post("/documents", new, Idempotency_Key="k").json()
    assert made["parents"] == []
    assert code(rover.post("/undeletes", {"location": "product/launch/plan.md"})) == (409, "ALREADY_EXISTS")
    assert rover.get(PATH).json()["content"] == "anew"


def test_undelete_needs_an_editor_and_something_deleted(rover: Caller, carol: Caller, plan: str) -> None:
    assert code(rover.post("/undeletes", {"location": "product/launch/plan.md"})) == (409, "ALREADY_EXISTS")
    rover.delete(PATH, If_Match="*")
    assert code(carol.post("/undeletes", {"location": "product/launch/plan.md"})) == (403, "FORBIDDEN")
    assert code(rover.post("/undeletes", {"location": "product/launch/none.md"})) == (404, "NOT_FOUND")
    assert code(rover.post("/undeletes", {"location": "product/launch/plan.md", "to": "x"})) == (422, "INVALID")
