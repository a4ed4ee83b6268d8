"""A write that leaves all but nothing of a long page is INVALID until it is confirmed."""

from typing import Any

import pytest

from tests.cast import PLAN
from tests.rest.conftest import Caller, code, fields

PATH = "/documents/product/launch/plan.md"


@pytest.mark.parametrize("body", [{"content": ""}, {"content": "\n"}])
def test_a_replacement_by_nothing_is_asked_about(rover: Caller, plan: str, body: dict[str, Any]) -> None:
    refused = rover.put(PATH, body, If_Match=f'"{plan}"')
    assert code(refused) == (422, "INVALID")
    assert fields(refused) == ["confirm_shrink"]
    assert rover.get(PATH).json()["content"] == PLAN
    assert rover.put(PATH, body | {"confirm_shrink": True}, If_Match=f'"{plan}"').json()["outcome"] == "saved"


def test_an_edit_that_takes_out_all_is_asked_about(rover: Caller, plan: str) -> None:
    body = {"old_string": PLAN, "new_string": ""}
    assert fields(rover.patch(PATH, body)) == ["confirm_shrink"]
    assert rover.patch(PATH, body | {"confirm_shrink": True}).status_code == 200


def test_a_short_page_may_be_replaced_by_less(rover: Caller, plan: str) -> None:
    assert rover.put(PATH, {"content": "x"}, If_Match=f'"{plan}"').status_code == 200
