"""``doc_create`` and ``doc_update``: every outcome, and what is told of it."""

import pytest

from tests.cast import PLAN, Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.mcp.tool import NOTICE
from workspace.services import documents, sharing

BASE = {"action": "document", "folder_path": ["product", "launch"]}


def test_a_document_is_created_with_the_folders_on_the_way(scout: Calls) -> None:
    data = scout.data(
        "doc_create",
        action="document",
        folder_path=["product", "launch", "notes", "週報"],
        name="a b#?%2F.md",
        content="# Hi\n",
        message="start",
    )
    assert data["outcome"] == "saved"
    assert data["location"] == "product/launch/notes/週報/a b#?%2F.md"
    assert data["created_folders"] == ["product/launch/notes", "product/launch/notes/週報"]
    assert data["web_url"].endswith("%20b%23%3F%252F.md")
    assert scout.data("read", location=data["location"])["message"] == "start"


def test_a_taken_name_is_never_overwritten(scout: Calls, first: str) -> None:
    for name in ("plan.md", "PLAN.md"):
        refusal = scout.refusal("doc_create", **BASE, name=name, content="other")
        assert refusal["code"] == "ALREADY_EXISTS"
    assert scout.data("read", location=PLACE)["content"] == PLAN


def test_the_same_key_gives_the_first_outcome_and_other_content_is_refused(scout: Calls) -> None:
    given = {**BASE, "name": "once.md", "content": "x", "idempotency_key": "k" * 255}
    made, again = scout.data("doc_create", **given), scout.data("doc_create", **given)
    assert (made["outcome"], again["outcome"]) == ("saved", "replayed")
    assert made["commit"] == again["commit"]
    refusal = scout.refusal("doc_create", **{**given, "content": "y"})
    assert refusal["code"] == "IDEMPOTENCY_MISMATCH"


def test_a_folder_is_made_and_moved_once_with_a_key(scout: Calls) -> None:
    given = {"action": "folder", "folder_path": ["product"], "name": "next"}
    made = scout.data("doc_create", **given)
    assert made["location"] == "product/next"
    assert scout.refusal("doc_create", **given)["code"] == "ALREADY_EXISTS"
    assert scout.refusal("doc_create", **given, idempotency_key="k")["code"] == "ALREADY_EXISTS"
    given["name"] = "after"
    made, again = (scout.data("doc_create", **given, idempotency_key="k") for _ in range(2))
    assert again == made | {"outcome": "replayed"}
    other = scout.refusal("doc_create", **given | {"name": "other"}, idempotency_key="k")
    assert other["code"] == "IDEMPOTENCY_MISMATCH"
    move = {"action": "move", "location": "product/after", "to": "product/later", "idempotency_key": "k"}
    moved, again = (scout.data("doc_update", **move) for _ in range(2))
    assert (moved["outcome"], again) == ("saved", moved | {"outcome": "replayed"})
    assert scout.refusal("doc_update", **move | {"to": "product/x"})["code"] == "IDEMPOTENCY_MISMATCH"
    assert scout.fields("doc_create", **given, content="text") == {"content"}


def test_replace_needs_the_commit_that_was_read(scout: Calls, first: str) -> None:
    given = {"action": "replace", "location": PLACE, "content": "new\n"}
    refusal = scout.refusal("doc_update", **given)
    assert refusal["code"] == "PRECONDITION_REQUIRED"
    assert refusal["errors"][0]["field"] == "expected_commit"
    saved = scout.data("doc_update", **given, expected_commit=first[:7])
    assert saved["parents"] == [first]
    same = scout.data("doc_update", **given, expected_commit=saved["commit"])
    assert (same["outcome"], same["commit"]) == ("unchanged", saved["commit"])


def test_edit_append_and_section_change_their_part(scout: Calls, first: str) -> None:
    scout.data("doc_update", action="edit", location=PLACE, old_string="second", new_string="third")
    scout.data("doc_update", action="section", location=PLACE, section="Goals", content="Ten thousand.\n")
    scout.data("doc_update", action="append", location=PLACE, content="The end.")
    text = scout.data("read", location=PLACE)["content"]
    assert "third of March" in text
    assert "Ten thousand." in text
    assert "a thousand teams" not in text
    assert text.endswith("The end.\n")


def test_text_that_is_not_there_or_there_twice_is_counted(scout: Calls, first: str) -> None:
    given = {"action": "edit", "location": PLACE, "new_string": "x"}
    assert "0 times" in scout.refusal("doc_update", **given, old_string="absent words")["detail"]
    assert "2 times" in scout.refusal("doc_update", **given, old_string="\nThe ")["detail"]
    assert scout.data("doc_update", **given, old_string="\nThe ", replace_all=True)["outcome"] == "saved"


def test_two_writers_of_different_places_are_merged(scout: Calls, rover: Calls, first: str) -> None:
    rover.data("doc_update", action="edit", location=PLACE, old_string="second", new_string="third")
    given = {"action": "edit", "location": PLACE, "old_string": "an hour", "new_string": "a day"}
    told = scout.refusal("doc_update", **given, expected_commit=first)
    assert told["code"] == "CONFLICT"
    assert told["hunks"] == []
    assert "on_conflict merge" in told["next"]
    merged = scout.data("doc_update", **given, expected_commit=first, on_conflict="merge")
    assert merged["outcome"] == "merged"
    assert len(merged["parents"]) == 2
    text = scout.data("read", location=PLACE)["content"]
    assert "third of March" in text
    assert "within a day" in text


def test_a_conflict_names_the_exact_next_call(scout: Calls, rover: Calls, first: str) -> None:
    rover.data("doc_update", action="edit", location=PLACE, old_string="second", new_string="third")
    refused, data, text = scout.result(
        "doc_update",
        action="edit",
        location=PLACE,
        old_string="second",
        new_string="fourth",
        expected_commit=first,
        on_conflict="merge",
    )
    assert refused
    assert data["notice"] == NOTICE
    assert data["base_commit"] == first
    assert data["hunk_count"] == 1
    assert data["hunks"][0]["theirs"] == "The launch is on the third of March. Everybody knows their part.\n"
    assert data["hunks"][0]["mine"] == "The launch is on the fourth of March. Everybody knows their part.\n"
    assert f'"conflict_id": "{data["conflict_id"]}"' in text
    assert f'"expected_commit": "{data["head_commit"]}"' in text
    done = scout.data(
        "conflict",
        action="resolve",
        conflict_id=data["conflict_id"],
        expected_commit=data["head_commit"],
        choices=["both"],
    )
    assert done["parents"] == [data["head_commit"], first]


def test_a_conflict_of_huge_texts_is_bounded(scout: Calls, rover: Calls) -> None:
    place = scout.data("doc_create", **BASE, name="big.md", content="a\n" * 60_000)
    given = {"action": "replace", "location": place["location"], "expected_commit": place["commit"]}
    rover.data("doc_update", **given, content="b\n" * 60_000)
    refused, data, text = scout.result("doc_update", **given, content="c\n" * 60_000, on_conflict="merge")
    assert refused
    assert data["preview_cut"]
    assert data["hunks"][0]["cut"]
    assert len(text) < 40_000
    assert len(str(data)) < 60_000


def test_a_stale_or_foreign_commit_is_refused(scout: Calls, first: str) -> None:
    other = scout.data("doc_create", **BASE, name="other.md", content="x")["commit"]
    for commit in (other, "0" * 64, "nothex!"):
        given = {"action": "append", "location": PLACE, "content": "x", "expected_commit": commit}
        assert scout.fields("doc_update", **given) == {"expected_commit"}


@pytest.mark.parametrize("size", [1024 * 1024, 1024 * 1024 + 1])
def test_a_mebibyte_is_taken_and_one_byte_more_is_not(scout: Calls, size: int) -> None:
    given = {**BASE, "name": "big.md", "content": "x" * size}
    if size > 1024 * 1024:
        refusal = scout.refusal("doc_create", **given)
        assert refusal["code"] == "TOO_LARGE"
        assert refusal["errors"][0]["field"] == "content"
    else:
        assert scout.data("doc_create", **given)["outcome"] == "saved"


def test_a_move_keeps_the_id_and_a_repeat_with_its_key_is_replayed(scout: Calls, first: str) -> None:
    before = scout.data("read", location=PLACE)["id"]
    given = {"action": "move", "location": PLACE, "to": "product/launch/old/plan.md", "idempotency_key": "m"}
    moved, again = scout.data("doc_update", **given), scout.data("doc_update", **given)
    assert (moved["outcome"], again["outcome"]) == ("saved", "replayed")
    assert moved["id"] == before
    assert scout.refusal("read", location=PLACE)["code"] == "NOT_FOUND"


def test_a_move_that_widens_access_has_to_be_acknowledged(cast: Cast, scout: Calls) -> None:
    documents.create(cast.alice, location="product/secret.md", content="x")
    given = {"action": "move", "location": "product/secret.md", "to": "product/launch/secret.md"}
    refusal = scout.refusal("doc_update", **given)
    assert refusal["code"] == "ACCESS_CHANGE"
    assert {"bob@example.org", "carol@example.org"} <= set(refusal["gains"])
    assert scout.data("doc_update", **given, acknowledge_access_change=True)["outcome"] == "saved"


def test_a_folder_is_moved_too(scout: Calls, first: str) -> None:
    made = scout.data("doc_update", action="move", location="product/launch", to="product/start")
    assert made["location"] == "product/start"
    assert scout.data("read", location="product/start/plan.md")["content"] == PLAN
    assert scout.refusal("doc_update", action="move", location="product/start", to="product/start/in/it")


def test_an_earlier_text_is_restored_by_a_new_commit(scout: Calls, first: str) -> None:
    now = scout.data("doc_update", action="append", location=PLACE, content="More.")["commit"]
    stale = scout.refusal("doc_update", action="restore", location=PLACE, commit=first, expected_commit=first)
    assert stale["code"] == "CONFLICT"
    assert stale["conflict_id"] is None
    assert now in stale["next"]
    back = scout.data("doc_update", action="restore", location=PLACE, commit=first, expected_commit=now)
    assert back["parents"] == [now]
    assert scout.data("read", location=PLACE)["content"] == PLAN


def test_a_revoked_grant_ends_writing_at_once(cast: Cast, rover: Calls, first: str) -> None:
    rover.data("doc_update", action="append", location=PLACE, content="one")
    sharing.revoke(cast.alice, location="product/launch", subject="bob@example.org")
    refusal = rover.refusal("doc_update", action="append", location=PLACE, content="two")
    assert refusal["code"] == "NOT_FOUND"
