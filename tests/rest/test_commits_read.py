"""History: commits, differences, blame."""

import time
from typing import Any

import pytest

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, code, fields
from workspace.queries import authorship
from workspace.services import documents

HERE = "location=product/launch/plan.md"


@pytest.fixture
def history(cast: Cast, plan: str) -> list[str]:
    """Three commits: alice's, rover's, alice's."""
    second = documents.substitute(
        cast.rover,
        location="product/launch/plan.md",
        old_string="a thousand teams",
        new_string="two thousand teams",
        message="More",
        reason="Demand",
    )
    third = documents.append(cast.alice, location="product/launch/plan.md", content="The end.")
    return [plan, second.commit, third.commit]


def test_commits_come_newest_first_page_by_page(carol: Caller, history: list[str]) -> None:
    whole = carol.get(f"/commits?{HERE}").json()
    assert [c["id"] for c in whole["items"]] == history[::-1]
    assert whole["next_cursor"] is None
    first = carol.get(f"/commits?{HERE}&limit=2").json()
    rest = carol.get(f"/commits?{HERE}&limit=2&cursor={first['next_cursor']}").json()
    assert first["items"] + rest["items"] == whole["items"]
    second = whole["items"][1]
    assert (second["author"]["label"], second["author"]["person"]) == ("rover", "Bob")
    assert (second["message"], second["reason"], second["parents"]) == ("More", "Demand", [history[0]])


def test_a_commit_holds_its_text(carol: Caller, history: list[str]) -> None:
    found = carol.get(f"/commits/{history[0]}").json()
    assert found["content"] == PLAN
    assert carol.get(f"/commits/{history[0][:12]}").json() == found
    assert fields(carol.get("/commits/abc")) == ["id"]


def test_a_diff_marks_the_words(carol: Caller, history: list[str]) -> None:
    found = carol.get(f"/diff?{HERE}&from={history[0]}&to={history[1]}").json()
    assert (found["from"]["id"], found["to"]["id"]) == (history[0], history[1])
    assert (found["added"], found["removed"]) == (1, 1)
    (hunk,) = found["hunks"]
    assert hunk["heading"] == "Launch plan"
    old = next(line for line in hunk["lines"] if line["kind"] == "delete")
    new = next(line for line in hunk["lines"] if line["kind"] == "insert")
    assert [old["text"][s["start"] : s["end"]] for s in old["spans"]] == ["a"]
    assert [new["text"][s["start"] : s["end"]] for s in new["spans"]] == ["two"]


def test_a_diff_names_the_commits_of_each_hunk(carol: Caller, history: list[str]) -> None:
    found = carol.get(f"/diff?{HERE}&from={history[0]}&to={history[2]}").json()
    assert [made["id"] for made in found["commits"]] == history[1:]
    assert [made["author"]["label"] for made in found["commits"]] == ["rover", "Alice"]
    assert [hunk["commits"] for hunk in found["hunks"]] == [history[1:]]
    back = carol.get(f"/diff?{HERE}&from={history[2]}&to={history[0]}").json()
    assert ([hunk["commits"] for hunk in back["hunks"]], back["commits"]) == ([[]], [])


def test_a_diff_over_many_commits_takes_as_many_queries_as_over_few(
    carol: Caller, cast: Cast, history: list[str], django_assert_max_num_queries: Any
) -> None:
    for n in range(20):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"\n## Part {n}\n\n{n} more.")
    carol.get(f"/diff?{HERE}")
    for frm, count in ((history[1], 1 + 20), (history[0], 2 + 20)):
        with django_assert_max_num_queries(9):
            assert len(carol.get(f"/diff?{HERE}&from={frm}").json()["commits"]) == count


def test_a_diff_is_of_the_head_against_its_parent_by_default(carol: Caller, history: list[str]) -> None:
    found = carol.get(f"/diff?{HERE}").json()
    assert (found["from"]["id"], found["to"]["id"]) == (history[1], history[2])
    assert fields(carol.get(f"/diff?{HERE}&from=zzz")) == ["from"]
    assert code(carol.get(f"/diff?{HERE}&to={'0' * 64}")) == (404, "NOT_FOUND")


def test_blame_names_the_commit_of_every_line(carol: Caller, history: list[str]) -> None:
    found = carol.get(f"/blame?{HERE}").json()
    assert "".join(run["text"] for run in found["runs"]) == PLAN.replace("a thousand", "two thousand") + "The end.\n"
    ends = [(run["start_line"], run["end_line"]) for run in found["runs"]]
    assert [start for start, _ in ends] == [1, *(end + 1 for _, end in ends[:-1])]
    by = {run["text"]: run["commit"]["author"] for run in found["runs"]}
    assert next(a["label"] for text, a in by.items() if "two thousand" in text) == "rover"
    earlier = carol.get(f"/blame?{HERE}&at={history[0]}").json()
    assert {run["commit"]["id"] for run in earlier["runs"]} == {history[0]}


@pytest.fixture
def woven(cast: Cast, plan: str) -> str:
    """A document of 20,000 lines, of which every second is of another commit."""
    place = "product/launch/woven.md"
    first = "".join(f"line {n}\n" for n in range(20_000))
    made = documents.create(cast.alice, location=place, content=first)
    second = "".join(f"line {n}\n" if n % 2 else f"row {n}\n" for n in range(20_000))
    documents.edit(cast.rover, location=place, content=second, expected_commit=made.commit)
    return place


def test_blame_of_many_runs_comes_in_parts_and_soon(carol: Caller, woven: str) -> None:
    start = time.perf_counter()
    first = carol.get(f"/blame?location={woven}").json()
    # A text that is split again for each run takes minutes.
    assert time.perf_counter() - start < 10
    assert (first["runs"][-1]["end_line"], first["next_line"]) == (5_000, 5_001)
    last = carol.get(f"/blame?location={woven}&line=19999").json()
    assert [run["text"] for run in last["runs"]] == ["row 19998\n", "line 19999\n"]
    assert last["next_line"] is None
    assert carol.get(f"/blame?location={woven}&line=99999").json()["runs"] == []
    assert fields(carol.get(f"/blame?location={woven}&line=0")) == ["line"]


def test_a_diff_of_many_lines_says_that_it_is_cut(carol: Caller, woven: str, history: list[str]) -> None:
    found = carol.get(f"/diff?location={woven}").json()
    assert (found["added"], found["removed"], found["truncated"]) == (10_000, 10_000, True)
    assert sum(len(hunk["lines"]) for hunk in found["hunks"]) == 10_000
    assert carol.get(f"/diff?{HERE}").json()["truncated"] is False


@pytest.mark.parametrize("path", ["/commits", "/diff", "/blame", "/grants", "/access"])
def test_a_location_is_required(scout: Caller, path: str) -> None:
    for query in ("", "?location="):
        response = scout.get(path + query)
        assert code(response) == (422, "INVALID")
        assert fields(response) == ["location"]


def test_a_commit_is_found_after_its_document_moved_or_went(scout: Caller, history: list[str]) -> None:
    scout.post("/moves", {"from": "product/launch/plan.md", "to": "product/launch/new.md"})
    assert scout.get(f"/commits/{history[0]}").json()["location"] == "product/launch/plan.md"
    scout.delete("/documents/product/launch/new.md", If_Match="*")
    items = scout.get("/commits?location=product/launch/new.md").json()["items"]
    assert [c["kind"] for c in items] == ["delete", "move", "edit", "edit", "create"]


def test_blame_names_the_commits_of_every_sentence(carol: Caller, history: list[str]) -> None:
    text = PLAN.replace("a thousand", "two thousand") + "The end.\n"
    found = carol.get(f"/blame?{HERE}").json()["sentences"]
    by = {text[s["start"] : s["end"]]: (s["commit"], s["also"], s["author"]["label"]) for s in found}
    assert by["We want two thousand teams in the first month."] == (history[0], [history[1]], "Alice")
    assert by["Support answers within an hour."] == (history[0], [], "Alice")
    assert by["The end."] == (history[2], [], "Alice")
    part = carol.get(f"/blame?{HERE}&line=7").json()["sentences"]
    assert part == [s for s in found if s["start"] >= text.index("We want")]


def test_a_diff_tells_formatting_from_words(carol: Caller, cast: Cast, history: list[str]) -> None:
    text = documents.append(cast.alice, location="product/launch/plan.md", content="- one\n- two").commit
    now = documents.substitute(
        cast.alice, location="product/launch/plan.md", old_string="- ", new_string="* ", replace_all=True
    ).commit
    assert [h["formatting"] for h in carol.get(f"/diff?{HERE}&from={text}&to={now}").json()["hunks"]] == [True]
    assert not any(h["formatting"] for h in carol.get(f"/diff?{HERE}&from={history[0]}").json()["hunks"])


def test_blame_says_when_the_history_was_not_read_yet(
    carol: Caller, history: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert carol.get(f"/blame?{HERE}").json()["known_since"] is None
    monkeypatch.setattr(authorship, "STEPS", 1)
    found = carol.get(f"/blame?{HERE}").json()
    assert found["known_since"] == history[1]
    assert {said["commit"] for said in found["sentences"]} == set(history[1:])
