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


def test_one_section_comes_back_and_the_rest_stays(rover: Caller, plan: str) -> None:
    text = PLAN.replace("a thousand", "ten").replace("progress bar", "queue")
    rover.put(PATH, {"content": text}, If_Match="*")
    restored = rover.post("/restores", HERE | {"commit": plan, "section": "Goals"}).json()
    assert restored["outcome"] == "saved"
    assert rover.get(PATH).json()["content"] == PLAN.replace("progress bar", "queue")


def test_a_section_is_merged_with_what_came_meanwhile_where_that_is_asked(rover: Caller, plan: str) -> None:
    decided = rover.put(PATH, {"content": PLAN.replace("a thousand", "ten")}, If_Match="*").json()["commit"]
    rover.patch(PATH, {"old_string": "progress bar", "new_string": "queue"})
    body = HERE | {"commit": plan, "section": "Goals", "expected_commit": decided}
    assert code(rover.post("/restores", body)) == (409, "CONFLICT")
    assert rover.post("/restores", body | {"on_conflict": "merge"}).json()["outcome"] == "merged"
    assert rover.get(PATH).json()["content"] == PLAN.replace("progress bar", "queue")


def test_a_section_that_leaves_next_to_nothing_is_asked_about(rover: Caller, plan: str) -> None:
    short = rover.put(PATH, {"content": "# Plan\n\n## All\n\nFew.\n"}, If_Match="*").json()["commit"]
    rover.put(PATH, {"content": f"# Plan\n\n## All\n\n{'It says much. ' * 200}\n"}, If_Match="*")
    body = HERE | {"commit": short, "section": "All"}
    asked = rover.post("/restores", body)
    assert (code(asked), fields(asked)) == ((422, "INVALID"), ["confirm_shrink"])
    assert rover.post("/restores", body | {"confirm_shrink": True}).json()["outcome"] == "saved"


def test_a_version_that_leaves_next_to_nothing_is_asked_about(rover: Caller, plan: str) -> None:
    empty = rover.put(PATH, {"content": "", "confirm_shrink": True}, If_Match="*").json()["commit"]
    rover.post("/restores", HERE | {"commit": plan})
    asked = rover.post("/restores", HERE | {"commit": empty})
    assert (code(asked), fields(asked)) == ((422, "INVALID"), ["confirm_shrink"])
    assert rover.get(PATH).json()["content"] == PLAN
    assert rover.post("/restores", HERE | {"commit": empty, "confirm_shrink": True}).json()["outcome"] == "saved"
    assert rover.get(PATH).json()["content"] == ""


def test_what_is_of_a_section_goes_with_a_section(rover: Caller, plan: str) -> None:
    body = HERE | {"commit": plan}
    assert fields(rover.post("/restores", body | {"on_conflict": "merge"})) == ["on_conflict"]
    assert fields(rover.post("/restores", body | {"section": "None such"})) == ["section"]
