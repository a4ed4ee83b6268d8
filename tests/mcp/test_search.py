"""``search`` and ``capture``: from a note of a session to a passage that the next agent finds."""

import pytest

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.jobs import work

NOTE = """Asked: prepare the launch plan.
Decided: the launch is on the third of March, since legal needs a week.
Tried and rejected: a launch in two steps.
Changed: product/launch/plan.md.
Open: who speaks to the press? The key is AKIAIOSFODNN7EXAMPLE.
"""


def drain() -> None:
    work.drain(seconds=20)


def test_a_passage_is_found_with_its_citation(rover: Calls, first: str) -> None:
    drain()
    _, data, text = rover.result("search", query="thousand teams")
    hit = data["hits"][0]
    assert (hit["location"], hit["commit"], hit["stale"]) == (PLACE, first, False)
    assert hit["citation"].startswith(f"{PLACE}@{first}#L")
    assert hit["author"]["label"] == "scout"
    assert "thousand teams" in hit["snippet"]
    assert hit["citation"] in text
    assert '"location": "product/launch/plan.md"' in text


def test_a_passage_that_has_changed_since_says_so(scout: Calls, first: str) -> None:
    drain()
    scout.data("doc_update", action="append", location=PLACE, content="More.")
    _, data, text = scout.result("search", query="thousand teams")
    assert data["hits"][0]["stale"]
    assert "has changed since it was indexed" in text


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, True),
        ({"scope": "product"}, True),
        ({"within": PLACE}, True),
        ({"scope": "product/launch", "within": PLACE}, True),
        ({"within": "product/launch/empty"}, False),
    ],
)
def test_a_search_is_narrowed_to_a_place(scout: Calls, first: str, given: dict[str, str], found: bool) -> None:
    scout.data("doc_create", action="folder", folder_path=["product", "launch"], name="empty")
    drain()
    assert bool(scout.data("search", query="thousand teams", **given)["hits"]) is found


def test_refusals_name_the_arguments_as_the_tool_does(scout: Calls, first: str) -> None:
    assert scout.fields("search", query="a", scope="product", within="other/x.md") == {"within"}
    assert scout.fields("search", query="a", scope="/x") == {"scope"}
    assert scout.fields("search", query="a", within="x//y") == {"within"}
    assert scout.fields("search", query="") == {"query"}
    assert scout.refusal("search", query="a", scope="hidden")["code"] == "NOT_FOUND"


def test_an_answer_stays_in_bounds(scout: Calls) -> None:
    for n in range(60):
        scout.data(
            "doc_create",
            action="document",
            folder_path=["product", "launch", "語" * 150],
            name=f"{n}.md",
            content=f"# Title {n}\n\n" + "banana 語語語 " * 200,
        )
    drain()
    _, data, text = scout.result("search", query="banana", limit=100)
    assert data["shown"] > 5
    assert len(text) < 30_000
    assert data["left_out"] == 0 or f"{data['left_out']} more did not fit" in text


def test_a_capture_is_kept_redacted_summarised_and_erased(cast: Cast, scout: Calls, first: str) -> None:
    given = {"action": "commit", "folder": "product/launch", "content": NOTE, "session": "s-1"}
    _, made, text = scout.result("capture", **given)
    assert made["outcome"] == "saved"
    assert sum(made["redactions"].values()) == 1
    assert "1 secret taken out" in text
    # Without an operation_id the content is the identity, so a host that repeats its call makes no second one.
    again = scout.data("capture", **given)
    assert (again["outcome"], again["capture_id"]) == ("replayed", made["capture_id"])
    drain()
    handoff = Calls(cast.rover).data("read", location="product/launch/HANDOFF.md")["content"]
    assert "third of March" in handoff
    assert "AKIA" not in handoff
    rows = scout.data("capture", action="list", folder="product/launch")["captures"]
    assert [(row["capture_id"], row["session"]) for row in rows] == [(made["capture_id"], "s-1")]
    assert scout.data("capture", action="delete", capture_id=made["capture_id"])["outcome"] == "erased"
    drain()
    assert "third of March" not in scout.data("read", location="product/launch/HANDOFF.md")["content"]


def test_a_key_of_a_capture_is_for_one_content(scout: Calls) -> None:
    given = {"action": "commit", "folder": "product/launch", "operation_id": "o" * 255}
    assert scout.data("capture", **given, content="one")["outcome"] == "saved"
    refusal = scout.refusal("capture", **given, content="two")
    assert refusal["code"] == "IDEMPOTENCY_MISMATCH"
    assert scout.fields("capture", **{**given, "operation_id": "o" * 256}, content="x") == {"operation_id"}


def test_captures_are_bounded_and_need_an_editor(cast: Cast, scout: Calls) -> None:
    given = {"action": "commit", "folder": "product/launch"}
    assert scout.refusal("capture", **given, content="x" * (16 * 1024 + 1))["code"] == "TOO_LARGE"
    assert scout.fields("capture", **given, content=" ") == {"content"}
    assert scout.fields("capture", action="commit", folder="/x", content="x") == {"folder"}
    assert Calls(cast.carol).refusal("capture", **given, content="x")["need"] == "editor"
    assert Calls(cast.mallory).refusal("capture", **given, content="x")["code"] == "NOT_FOUND"
    hidden = Calls(cast.mallory).result("capture", action="list", folder="product/launch")
    assert hidden == Calls(cast.mallory).result("capture", action="list", folder="product/nowhere")
