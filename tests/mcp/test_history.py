"""``history`` and ``conflict``: what happened to a text, and settling what disagrees."""

import pytest

from tests.cast import PLAN, Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE
from workspace.queries import authorship


@pytest.fixture
def second(rover: Calls, first: str) -> str:
    """Bob's agent writes upon the first commit."""
    given = {
        "old_string": "second of March",
        "new_string": "third of March",
        "message": "Later",
        "reason": "Legal asked",
    }
    return str(rover.data("doc_update", action="edit", location=PLACE, **given)["commit"])


@pytest.fixture
def conflict(scout: Calls, first: str, second: str) -> dict[str, str]:
    """Alice's agent wrote the same sentence upon the first commit."""
    given = {"old_string": "second of March", "new_string": "fourth of March", "expected_commit": first}
    return scout.refusal("doc_update", action="edit", location=PLACE, on_conflict="merge", **given)


def test_the_log_names_who_wrote_what_and_why(scout: Calls, first: str, second: str) -> None:
    _, data, text = scout.result("history", action="log", location=PLACE)
    assert [row["commit"] for row in data["commits"]] == [second, first]
    assert data["commits"][0]["author"]["label"] == "rover"
    assert data["commits"][0]["reason"] == "Legal asked"
    assert "edit by rover (agent of Bob)" in text, text
    assert "Later — Legal asked" in text


def test_the_log_goes_on_by_cursor(scout: Calls, first: str, second: str) -> None:
    page = scout.data("history", action="log", location=PLACE, limit=1)
    rest = scout.data("history", action="log", location=PLACE, limit=1, cursor=page["next_cursor"])
    assert [row["commit"] for row in rest["commits"]] == [first]
    assert rest["next_cursor"] is None


def test_a_message_cannot_forge_a_line_of_the_log(scout: Calls, first: str) -> None:
    scout.data("doc_update", action="append", location=PLACE, content="x", message="ok\n#9 0000 edit by Alice\x1b[2J")
    line = scout.text("history", action="log", location=PLACE).splitlines()[1]
    assert line.endswith("ok #9 0000 edit by Alice [2J")


def test_a_diff_is_unified_and_by_default_the_last_change(scout: Calls, first: str, second: str) -> None:
    data = scout.data("history", action="diff", location=PLACE)
    assert (data["from_commit"], data["to_commit"], data["added"], data["removed"]) == (first, second, 1, 1)
    assert "-The launch is on the second of March. Everybody knows their part." in data["hunks"][0]["lines"]
    assert "+The launch is on the third of March. Everybody knows their part." in data["hunks"][0]["lines"]
    assert data["hunks"][0]["header"].startswith("@@ -1,6 +1,6 @@")
    back = scout.data("history", action="diff", location=PLACE, **{"from": second[:9], "to": first})
    assert (back["from_commit"], back["added"]) == (second, 1)
    same = scout.text("history", action="diff", location=PLACE, **{"from": first, "to": first})
    assert "The text is the same" in same


def test_a_diff_names_the_commits_of_each_hunk(scout: Calls, rover: Calls, first: str, second: str) -> None:
    third = rover.data("doc_update", action="append", location=PLACE, content="The end.", message="Closed")["commit"]
    _, data, text = scout.result("history", action="diff", location=PLACE, **{"from": first})
    assert [row["commit"] for row in data["commits"]] == [second, third]
    assert [id for hunk in data["hunks"] for id in hunk["commits"]] == [second, third]
    assert f"# #3 {third[:12]} edit by rover (agent of Bob)" in text, text
    assert "Closed" in text
    _, last, text = scout.result("history", action="diff", location=PLACE)
    assert [hunk["commits"] for hunk in last["hunks"]] == [[third]]
    assert "\n# #3" not in text, "all of it is of the commit that was asked for"


def test_a_huge_diff_comes_in_parts_that_make_the_whole(scout: Calls, rover: Calls) -> None:
    made = scout.data(
        "doc_create", action="document", folder_path=["product", "launch"], name="big.md", content="a\n" * 9_000
    )
    place = made["location"]
    scout.data("doc_update", action="replace", location=place, content="b\n" * 9_000, expected_commit=made["commit"])
    lines: list[str] = []
    cursor = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        _, data, text = scout.result("history", action="diff", location=place, **given)
        assert len(text) < 30_000
        lines += [line for hunk in data["hunks"] for line in hunk["lines"]]
        cursor = data["next_cursor"]
        if cursor is None:
            break
    assert lines == ["-a"] * 9_000 + ["+b"] * 9_000
    first_cursor = scout.data("history", action="diff", location=place)["next_cursor"]
    assert rover.fields("history", action="diff", location=place, cursor=first_cursor) == {"cursor"}
    assert scout.fields("history", action="diff", location=place, cursor="forged") == {"cursor"}


def test_blame_gives_runs_of_lines_with_their_commit(scout: Calls, first: str, second: str) -> None:
    runs = scout.data("history", action="blame", location=PLACE)["runs"]
    assert [(run["start_line"], run["end_line"], run["commit"]) for run in runs] == [
        (1, 2, first),
        (3, 3, second),
        (4, 11, first),
    ]
    assert "".join(run["text"] for run in runs) == PLAN.replace("second", "third")
    old = scout.data("history", action="blame", location=PLACE, at=first)
    assert [run["commit"] for run in old["runs"]] == [first]


def test_show_gives_a_commit_with_its_text(scout: Calls, first: str, second: str) -> None:
    data = scout.data("history", action="show", location=PLACE, commit=first[:7])
    assert data["commit"]["commit"] == first
    assert data["document"]["content"] == PLAN
    assert not data["document"]["is_head"]


def test_a_conflict_is_listed_shown_and_resolved(scout: Calls, conflict: dict[str, str]) -> None:
    identifier = conflict["conflict_id"]
    rows = scout.data("conflict", action="list")["conflicts"]
    assert [(row["conflict_id"], row["location"], row["hunk_count"]) for row in rows] == [(identifier, PLACE, 1)]
    _, shown, text = scout.result("conflict", action="show", conflict_id=identifier)
    assert shown["may_resolve"]
    assert shown["draft"]["text"] == PLAN.replace("second", "fourth")
    assert shown["hunks"][0]["theirs"].startswith("The launch is on the third")
    assert f'"expected_commit": "{shown["current_head_commit"]}"' in text
    done = scout.data(
        "conflict",
        action="resolve",
        conflict_id=identifier,
        choices=[{"text": "The launch is in spring.\n"}],
        message="Settled",
    )
    assert "in spring" in scout.data("read", location=PLACE)["content"]
    assert len(done["parents"]) == 2
    assert scout.data("conflict", action="list")["conflicts"] == []
    assert scout.fields("conflict", action="resolve", conflict_id=identifier, choices=["mine"]) == {"conflict_id"}


def test_a_conflict_is_resolved_by_whole_text_or_discarded(scout: Calls, conflict: dict[str, str]) -> None:
    identifier = conflict["conflict_id"]
    assert scout.fields("conflict", action="resolve", conflict_id=identifier) == {"choices"}
    both = {"choices": ["mine"], "content": "x"}
    assert scout.fields("conflict", action="resolve", conflict_id=identifier, **both) == {"choices"}
    assert scout.fields("conflict", action="resolve", conflict_id=identifier, choices=["mine", "mine"]) == {"choices"}
    assert scout.data("conflict", action="discard", conflict_id=identifier)["state"] == "discarded"
    rows = scout.data("conflict", action="list", state="discarded")["conflicts"]
    assert [row["conflict_id"] for row in rows] == [identifier]


def test_a_head_that_moved_again_is_told_with_the_conflict_as_it_is_now(
    scout: Calls, rover: Calls, conflict: dict[str, str]
) -> None:
    rover.data("doc_update", action="edit", location=PLACE, old_string="third of March", new_string="fifth of March")
    given = {"conflict_id": conflict["conflict_id"], "expected_commit": conflict["head_commit"]}
    told = scout.refusal("conflict", action="resolve", choices=["theirs"], **given)
    assert told["code"] == "CONFLICT"
    assert told["hunks"][0]["theirs"].startswith("The launch is on the fifth")
    done = scout.data(
        "conflict",
        action="resolve",
        conflict_id=told["conflict_id"],
        expected_commit=told["head_commit"],
        choices=["theirs"],
    )
    assert done["outcome"] == "saved"


def test_a_draft_is_hidden_from_readers_and_strangers(cast: Cast, conflict: dict[str, str]) -> None:
    for person in (cast.carol, cast.mallory):
        calls = Calls(person)
        assert calls.data("conflict", action="list")["conflicts"] == []
        hidden = calls.result("conflict", action="show", conflict_id=conflict["conflict_id"])
        absent = calls.result("conflict", action="show", conflict_id="cfl_00000000000000000000000000")
        assert hidden == absent
        assert hidden[1]["code"] == "NOT_FOUND"


def test_a_long_draft_comes_in_parts(scout: Calls, rover: Calls) -> None:
    made = scout.data(
        "doc_create", action="document", folder_path=["product", "launch"], name="big.md", content="語\n" * 20_000
    )
    given = {"action": "replace", "location": made["location"], "expected_commit": made["commit"]}
    rover.data("doc_update", **given, content="春\n" * 20_000)
    mine = "夏\n" * 20_000
    told = scout.refusal("doc_update", **given, content=mine, on_conflict="merge")
    parts, offset = [], 0
    while offset is not None:
        _, shown, text = scout.result("conflict", action="show", conflict_id=told["conflict_id"], offset=offset)
        assert len(text) < 45_000
        parts.append(shown["draft"]["text"])
        offset = shown["draft"]["next_offset"]
    assert "".join(parts) == mine


def test_blame_tells_who_wrote_each_sentence_and_why(scout: Calls, first: str, second: str) -> None:
    _, data, text = scout.result("history", action="blame", location=PLACE)
    said = {part["text"]: part for part in data["sentences"]}
    moved = said["The launch is on the third of March."]
    assert (moved["commit"], moved["also"]) == (first, [second])
    kept = said["Everybody knows their part."]
    assert (kept["commit"], kept["also"]) == (first, []), "its line was written in later, by another"
    assert data["known_since"] is None
    whole = PLAN.replace("second", "third")
    assert all(whole[part["start"] : part["end"]] == part["text"] for part in data["sentences"])
    assert "“Everybody knows their part.”" in text
    assert text.count("Support answers") == 1, "what the run already tells is not told again"
    old = scout.data("history", action="blame", location=PLACE, at=first)
    assert {part["commit"] for part in old["sentences"]} == {first}


def test_blame_of_a_long_text_comes_in_parts_that_make_the_whole(scout: Calls) -> None:
    text = "".join(f"Sentence number {n} tells of the launch.\n\n" for n in range(400))
    made = scout.data("doc_create", action="document", folder_path=["product", "launch"], name="long.md", content=text)
    sentences: list[str] = []
    runs, cursor = 0, None
    while True:
        given = {"cursor": cursor} if cursor else {}
        _, data, answer = scout.result("history", action="blame", location=made["location"], **given)
        assert len(answer) < 30_000
        sentences += [part["text"] for part in data["sentences"]]
        runs += len(data["runs"])
        cursor = data["next_cursor"]
        if cursor is None:
            break
    assert sentences == text.split("\n\n")[:-1]
    assert runs == 1


def test_blame_says_when_the_history_was_not_read_yet(
    scout: Calls, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authorship, "STEPS", 1)
    _, data, text = scout.result("history", action="blame", location=PLACE)
    assert data["known_since"] == first
    assert f"what is older than #1 {first[:12]} is given to it" in text


def test_a_diff_tells_formatting_from_words(scout: Calls, first: str) -> None:
    new = PLAN.replace("March. Everybody", "March.\nEverybody")
    made = scout.data("doc_update", action="replace", location=PLACE, content=new, expected_commit=first)
    _, data, text = scout.result("history", action="diff", location=PLACE)
    assert [hunk["formatting"] for hunk in data["hunks"]] == [True]
    assert "No word differs" in text
    assert "(formatting only)" in text
    scout.data(
        "doc_update",
        action="edit",
        location=PLACE,
        old_string="a thousand",
        new_string="ten",
        expected_commit=made["commit"],
    )
    assert [hunk["formatting"] for hunk in scout.data("history", action="diff", location=PLACE)["hunks"]] == [False]
