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
