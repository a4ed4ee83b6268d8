"""``doc_delete``: nothing goes before it was shown and confirmed."""

import pytest
from django.core import signing

from tests.cast import PLAN, Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.mcp.tools import delete


def test_the_first_call_deletes_nothing_and_tells_what_would_go(scout: Calls, first: str) -> None:
    _, data, text = scout.result("doc_delete", location=PLACE)
    assert data["deleted"] is False
    assert (data["commit"], data["number"], data["total_lines"]) == (first, 1, 11)
    assert "Nothing was deleted" in text
    assert "# Launch plan" in text
    assert data["confirm_token"] in text
    assert scout.data("read", location=PLACE)["content"] == PLAN


def test_the_second_call_deletes_and_a_repeat_of_it_is_replayed(scout: Calls, first: str) -> None:
    token = scout.data("doc_delete", location=PLACE)["confirm_token"]
    gone = scout.data("doc_delete", location=PLACE, confirm_token=token)
    assert (gone["outcome"], gone["parents"]) == ("saved", [first])
    assert scout.refusal("read", location=PLACE)["code"] == "GONE"
    assert scout.data("doc_delete", location=PLACE, confirm_token=token)["outcome"] == "replayed"
    back = scout.data("doc_update", action="restore", location=PLACE)
    assert back["id"] == gone["id"]
    assert scout.data("read", location=PLACE)["content"] == PLAN


def test_a_token_is_of_no_use_for_another_document_commit_or_principal(scout: Calls, rover: Calls, first: str) -> None:
    token = scout.data("doc_delete", location=PLACE)["confirm_token"]
    other = scout.data("doc_create", action="document", folder_path=["product", "launch"], name="other.md", content="")
    assert scout.fields("doc_delete", location=other["location"], confirm_token=token) == {"confirm_token"}
    assert rover.fields("doc_delete", location=PLACE, confirm_token=token) == {"confirm_token"}
    now = rover.data("doc_update", action="append", location=PLACE, content="More.")["commit"]
    refusal = scout.refusal("doc_delete", location=PLACE, confirm_token=token)
    assert (refusal["code"], refusal["head_commit"]) == ("CONFLICT", now)
    assert scout.data("read", location=PLACE)["commit"] == now


def test_a_token_is_valid_for_ten_minutes(scout: Calls, first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    token = scout.data("doc_delete", location=PLACE)["confirm_token"]
    monkeypatch.setattr(delete, "VALID_S", -1)
    refusal = scout.refusal("doc_delete", location=PLACE, confirm_token=token)
    assert "10 minutes" in refusal["detail"]


def test_a_forged_token_is_refused(scout: Calls, first: str) -> None:
    for token in ("", "x", "a:b:c", signing.dumps(["a"], salt="other")):
        assert scout.fields("doc_delete", location=PLACE, confirm_token=token) == {"confirm_token"}
    assert scout.data("read", location=PLACE)["content"] == PLAN


def test_a_reader_is_not_even_shown_a_token(cast: Cast, first: str) -> None:
    refusal = Calls(cast.carol).refusal("doc_delete", location=PLACE)
    assert (refusal["code"], refusal["need"]) == ("FORBIDDEN", "editor")


def test_a_folder_is_shown_with_what_is_in_it_and_then_deleted(scout: Calls, first: str) -> None:
    shown = scout.data("doc_delete", location="product/launch")
    assert (shown["deleted"], shown["documents"], shown["document_count"]) == (False, [PLACE], 1)
    scout.data("doc_update", action="append", location=PLACE, content="More.")
    changed = scout.fields("doc_delete", location="product/launch", confirm_token=shown["confirm_token"])
    assert changed == {"confirm_token"}
    token = scout.data("doc_delete", location="product/launch")["confirm_token"]
    gone = scout.data("doc_delete", location="product/launch", confirm_token=token)
    assert (gone["outcome"], gone["document_count"]) == ("deleted", 1)
    assert scout.refusal("browse", action="documents", location="product/launch")["code"] == "NOT_FOUND"
    assert scout.data("browse", action="folders", location="product")["folders"] == []


def test_a_folder_needs_a_manager(rover: Calls, first: str) -> None:
    assert rover.refusal("doc_delete", location="product/launch")["need"] == "manager"
    assert rover.refusal("doc_delete", location="product")["need"] == "manager"
    assert rover.refusal("doc_delete", location="other")["code"] == "INVALID"


def test_a_name_in_another_normalisation_is_the_same_document(scout: Calls) -> None:
    scout.data("doc_create", action="document", folder_path=["product", "launch"], name="caf\u00e9.md", content="")
    place = "product/launch/cafe\u0301.md"
    token = scout.data("doc_delete", location=place)["confirm_token"]
    assert scout.data("doc_delete", location=place, confirm_token=token)["outcome"] == "saved"
