"""Making an earlier text the head again."""

from tests.cast import PLAN
from tests.rest.conftest import Caller, code, fields

PATH = "/documents/product/launch/plan.md"
HERE = {"location": "product/launch/plan.md"}


def test_an_earlier_text_comes_back_by_a_new_commit(rover: Caller, plan: str) -> None:
    head = rover.put(PATH, {"content": "Other."}, If_Match="*").json()["commit"]
    restored = rover.post("/restores", HERE | {"commit": plan[:10]}).json()
    assert (restored["outcome"], restored["parents"]) == ("saved", [head])
    assert rover.get(PATH).json()["content"] == PLAN
    again = rover.post("/restores", HERE | {"commit": plan}).json()
    assert (again["outcome"], again["commit"]) == ("unchanged", restored["commit"])


def test_a_restore_decided_on_an_older_version_is_a_conflict(rover: Caller, plan: str) -> None:
    rover.put(PATH, {"content": "Other."}, If_Match="*")
    assert code(rover.post("/restores", HERE | {"commit": plan}, If_Match=f'"{plan}"')) == (409, "CONFLICT")


def test_a_wrong_commit_is_named(rover: Caller, plan: str) -> None:
    for wrong in ("0" * 64, "abc", "zzzzzzz", plan.upper()):
        response = rover.post("/restores", HERE | {"commit": wrong})
        assert code(response) == (422, "INVALID")
        assert fields(response) == ["commit"]


def test_a_reader_cannot_restore(carol: Caller, plan: str) -> None:
    assert code(carol.post("/restores", HERE | {"commit": plan})) == (403, "FORBIDDEN")
