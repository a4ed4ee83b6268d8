"""``doc_update`` asks before next to nothing of a long text is left, and says how to go on."""

from tests.cast import PLAN
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE


def test_the_refusal_says_the_call_that_goes_on(scout: Calls, first: str) -> None:
    call = {"action": "replace", "location": PLACE, "content": "", "expected_commit": first}
    refusal = scout.refusal("doc_update", **call)
    assert refusal["code"] == "INVALID"
    assert "repeat this very call with confirm_shrink true" in refusal["detail"]
    assert scout.data("read", location=PLACE)["content"] == PLAN
    assert scout.data("doc_update", **call, confirm_shrink=True)["outcome"] == "saved"


def test_it_goes_with_what_can_take_text_out_and_with_nothing_else(scout: Calls, first: str) -> None:
    call = {"action": "append", "location": PLACE, "content": "x", "confirm_shrink": True}
    assert scout.fields("doc_update", **call) == {"confirm_shrink"}


def test_a_section_comes_back_and_asks_as_well(scout: Calls, first: str) -> None:
    call = {"action": "replace", "location": PLACE, "content": PLAN.replace("a thousand", "ten")}
    scout.data("doc_update", **call, expected_commit=first)
    back = {"action": "restore", "location": PLACE, "commit": first, "section": "Goals"}
    assert scout.data("doc_update", **back)["outcome"] == "saved"
    assert scout.data("read", location=PLACE)["content"] == PLAN
    whole = {"action": "restore", "location": PLACE, "commit": first}
    assert scout.fields("doc_update", **whole, on_conflict="merge") == {"on_conflict"}
    assert scout.fields("doc_update", action="restore", location=PLACE, section="Goals") == {"section"}
    short = scout.data("doc_create", action="document", folder_path=["product"], name="s.md", content="# All\n\nFew.\n")
    given = {"location": "product/s.md", "expected_commit": short["commit"]}
    scout.data("doc_update", action="replace", content=f"# All\n\n{'It says much. ' * 200}\n", **given)
    less = {"action": "restore", "location": "product/s.md", "commit": short["commit"], "section": "All"}
    assert scout.fields("doc_update", **less) == {"confirm_shrink"}
    assert scout.data("doc_update", **less, confirm_shrink=True)["outcome"] == "saved"


def test_a_whole_version_asks_when_it_leaves_next_to_nothing(scout: Calls, first: str) -> None:
    empty = {"action": "replace", "location": PLACE, "content": "", "confirm_shrink": True, "expected_commit": first}
    emptied = scout.data("doc_update", **empty)["commit"]
    scout.data("doc_update", action="restore", location=PLACE, commit=first)
    call = {"action": "restore", "location": PLACE, "commit": emptied}
    refusal = scout.refusal("doc_update", **call)
    assert "repeat this very call with confirm_shrink true" in refusal["detail"]
    assert scout.data("read", location=PLACE)["content"] == PLAN
    assert scout.data("doc_update", **call, confirm_shrink=True)["outcome"] == "saved"
