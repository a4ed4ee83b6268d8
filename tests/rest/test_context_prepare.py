"""Context over REST: the text, what it cites, what became of it, and whether it still stands."""

import time
from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, code, fields
from workspace.jobs import work
from workspace.models import Receipt
from workspace.services import documents

PLACE = "product/launch/plan.md"
ASK = {"prompt": "How many teams do we want?", "location": "product/launch", "deadline_ms": 60_000}
HOOK = {"host": "codex", "session": "s-7", "operation_id": "op-1"}


@pytest.fixture
def indexed(cast: Cast, plan: str) -> str:
    """The indexed commit of the plan."""
    work.drain(seconds=30)
    return plan


def test_a_prompt_gets_its_context_and_the_host_reports_what_it_did(rover: Caller, indexed: str, carol: Caller) -> None:
    response = rover.post("/context", ASK | HOOK)
    assert response.status_code == 200
    found = response.json()
    (one,) = found["citations"]
    assert (one["location"], one["commit"], one["lines"], one["stale"]) == (PLACE, indexed, [5, 8], False)
    assert one["citation"] in found["text"]
    assert (one["author"]["label"], bool(one["committed_at"]), bool(one["indexed_at"])) == ("Alice", True, True)
    assert found["budget"] == {"asked": 8_000, "used": len(found["text"])}
    assert (found["partial"], found["why"], found["left_out"]) == (False, "", 0)

    told = rover.post("/receipts", {"receipt": found["receipt"], "stage": "attached"})
    assert (told.status_code, told.json()["kind"], told.json()["by"]["label"]) == (201, "attached", "rover")
    rows = carol.get("/receipts?operation=op-1&host=codex").json()["items"]
    assert sorted(row["kind"] for row in rows) == ["attached", "invoked", "read", "retrieved"]
    assert {(row["via"], row["session"], row["host"]) for row in rows} == {("hook", "s-7", "codex")}
    assert carol.get("/receipts?operation=op-1&host=gemini").json()["items"] == []


def test_a_retry_has_the_same_receipt_and_another_prompt_is_refused(rover: Caller, indexed: str) -> None:
    first, again = (rover.post("/context", ASK | HOOK).json() for _ in range(2))
    assert again == first
    assert code(rover.post("/context", ASK | HOOK | {"prompt": "Other"})) == (409, "IDEMPOTENCY_MISMATCH")
    assert Receipt.objects.filter(operation="op-1").count() == 2


def test_strangers_get_nothing_and_name_no_place(mallory: Caller, nobody: Caller, rover: Caller, indexed: str) -> None:
    asked = {"prompt": ASK["prompt"]}
    found = mallory.post("/context", asked).json()
    assert (found["text"], found["citations"], found["why"]) == ("", [], "nothing to say")
    assert code(mallory.post("/context", ASK)) == (404, "NOT_FOUND")
    assert code(nobody.post("/context", asked)) == (401, "UNAUTHENTICATED")
    receipt = rover.post("/context", asked).json()["receipt"]
    for named in (receipt, "rcp_none"):
        assert code(mallory.post("/receipts", {"receipt": named, "stage": "attached"})) == (404, "NOT_FOUND")


@pytest.mark.parametrize("prompt", ["", "\x00\x1b[31m", "\ud83d", "x" * 1_000_000, "語" * 1_000_000], ids=range(5))
def test_whatever_was_pasted_is_taken(rover: Caller, indexed: str, prompt: str) -> None:
    response = rover.post("/context", {"prompt": prompt, "deadline_ms": 60_000})
    assert (response.status_code, response.json()["text"]) == (200, "")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"prompt": None}, "prompt"),
        ({"prompt": ["x"]}, "prompt"),
        ({"budget_chars": -1}, "budget_chars"),
        ({"budget_chars": "8000"}, "budget_chars"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"location": "a//b"}, "location"),
        ({"host": 1}, "host"),
        ({"session": "a\nb"}, "session"),
        ({"operation_id": "x" * 256}, "operation_id"),
        ({"unknown": 1}, "unknown"),
    ],
    ids=range(10),
)
def test_what_is_wrong_is_named(rover: Caller, cast: Cast, change: Any, field: str) -> None:
    response = rover.post("/context", ASK | change)
    assert (code(response), fields(response)) == ((422, "INVALID"), [field])


def test_what_is_wrong_in_a_report_is_named(rover: Caller, indexed: str) -> None:
    receipt = rover.post("/context", ASK).json()["receipt"]
    for change, field in (
        ({"stage": "read"}, "stage"),
        ({"reason": 1}, "reason"),
        ({"receipt": ""}, "receipt"),
        ({"reason": "x" * 2_001}, "reason"),
    ):
        response = rover.post("/receipts", {"receipt": receipt, "stage": "withheld"} | change)
        assert (code(response), fields(response)) == ((422, "INVALID"), [field])


# -- whether it still stands ------------------------------------------------------


def standing(caller: Caller, *cited: str) -> list[Any]:
    response = caller.post("/revalidate", {"citations": list(cited)})
    assert response.status_code == 200
    found: list[Any] = response.json()["items"]
    return found


def test_each_citation_is_told_what_became_of_it(cast: Cast, plan: str, rover: Caller) -> None:
    goals, risks, whole = (f"{PLACE}@{plan}{lines}" for lines in ("#L7", "#L9-L11", ""))
    assert [one["state"] for one in standing(rover, goals, risks, whole, f"{PLACE}@{plan[:10]}#L7")] == [
        "unchanged"
    ] * 4
    head = documents.substitute(cast.bob, location=PLACE, old_string="## Goals", new_string="## Our\n\n## Aims").commit
    documents.substitute(cast.bob, location=PLACE, old_string="is slow", new_string="is quick")
    head = documents.append(cast.bob, location=PLACE, content="More.").commit
    found = standing(rover, goals, risks, whole)
    assert [one["state"] for one in found] == ["unchanged", "changed", "changed"]
    assert [one["now"] for one in found] == [f"{PLACE}@{head}#L9", None, None]
    assert {(one["location"], one["head_commit"]) for one in found} == {(PLACE, head)}
    documents.move(cast.alice, source=PLACE, target="product/launch/roadmap.md")
    found = standing(rover, goals, risks)
    assert [one["state"] for one in found] == ["moved", "changed"]
    assert {one["location"] for one in found} == {"product/launch/roadmap.md"}
    documents.delete(cast.alice, location="product/launch/roadmap.md", expected_commit=found[0]["head_commit"])
    (found,) = standing(rover, goals)
    assert (found["state"], found["location"], found["head_commit"]) == ("deleted", None, None)


def test_many_lines_that_are_alike_are_looked_for_in_time_that_grows_with_the_text(cast: Cast, rover: Caller) -> None:
    place = "product/launch/log.md"
    before = documents.create(cast.alice, location=place, content="tick\n" * 200_000).commit
    after = documents.append(cast.alice, location=place, content="tock").commit
    begun = time.monotonic()
    spans = [f"#L{first}-L{first + 90_000}" for first in range(1, 50)]
    found = standing(rover, f"{place}@{before}#L1-L200000", *(f"{place}@{before}{span}" for span in spans))
    assert time.monotonic() - begun < 5
    assert [one["now"] for one in found] == [
        f"{place}@{after}#L1-L200000",
        *(f"{place}@{after}{span}" for span in spans),
    ]


def test_what_is_hidden_is_not_found_like_what_never_was(plan: str, mallory: Caller, rover: Caller, cast: Cast) -> None:
    hidden = standing(mallory, f"{PLACE}@{plan}#L7")
    assert hidden == [
        {"citation": f"{PLACE}@{plan}#L7", "state": "not found", "location": None, "head_commit": None, "now": None}
    ]
    lines = [f"{PLACE}@{plan}#L{span}" for span in ("900", "0", "5-L900", "9-L5")]
    wrong = (f"{PLACE}@{'0' * 64}", f"other/place.md@{plan}", *lines)
    assert {one["state"] for one in standing(rover, *wrong)} == {"not found"}


def test_what_is_no_citation_is_named(rover: Caller, plan: str) -> None:
    for sent, field in (
        ([], "citations"),
        (["x"] * 51, "citations"),
        ([f"{PLACE}@{plan}", "no citation"], "citations[1]"),
        ([f"{PLACE}@{plan}#L1-"], "citations[0]"),
        ([7], "citations[0]"),
        ("x", "citations"),
    ):
        response = rover.post("/revalidate", {"citations": sent})
        assert (code(response), fields(response)) == ((422, "INVALID"), [field])
