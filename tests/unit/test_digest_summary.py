"""Summaries pick and never write; they say what was asked, decided, tried, changed and left open."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.digest.summary import SECTIONS, Summary, SummaryLine, extract, fold
from workspace.summarizers.dummy import Dummy
from workspace.summarizers.extractive import Extractive


def picked(content: str, max_words: int = 500) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in extract(content, "cap_1", max_words).lines:
        assert line.source == "cap_1"
        found.setdefault(line.section, []).append(line.text)
    assert list(found) == [name for name in SECTIONS if name in found]
    return found


MARKDOWN = """# Session of the ninth

## What was asked

- Move the launch.

## Decisions made:

- **Use Postgres**, because `jsonb` is there. It was
  measured twice.
- None.

Tried and rejected
------------------

Redis streams did not survive a restart. They lost 3 messages.

```
Decided: not this line
```

### Next steps

1. Tell the printers.
   - [ ] Write the docs
- [x] Ship it
"""


def test_headings_say_what_their_items_are() -> None:
    assert picked(MARKDOWN) == {
        "asked": ["Move the launch."],
        "decided": ["**Use Postgres**, because `jsonb` is there. It was measured twice."],
        "tried": ["Redis streams did not survive a restart.", "They lost 3 messages."],
        "changed": ["Ship it"],
        "open": ["Tell the printers.", "Write the docs"],
    }


def test_labels_speak_for_their_line_and_for_the_list_below() -> None:
    content = """Decided: keep sessions for 14 days
Open: who tells ops?

Changed: the keys rotate. Next steps:
1. run the migration
2. tell the support team

- Rejected:
  - a cache of users
- **Question open:** who pays

The importer was moved to its own folder.
"""
    assert picked(content) == {
        "decided": ["Keep sessions for 14 days"],
        "tried": ["A cache of users"],
        "changed": ["The keys rotate.", "The importer was moved to its own folder."],
        "open": ["Who tells ops?", "Run the migration", "Tell the support team", "Who pays"],
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("keep one queue", "Keep one queue"),
        ("**use** Postgres", "**Use** Postgres"),
        ("“no” is an answer", "“No” is an answer"),
        ("don't ship on Fridays", "Don't ship on Fridays"),
        ("a", "A"),
        ("élan counts", "Élan counts"),
        ("e\u0301lan counts", "E\u0301lan counts"),
        ("решили ждать", "Решили ждать"),
        ("ξεκινάμε", "Ξεκινάμε"),
        # Without capitals, or with letters whose capital is another number of letters.
        ("ნაბიჯი", "ნაბიჯი"),
        ("决定推迟", "决定推迟"),
        ("ﬁnish it", "ﬁnish it"),
        # Names and code keep their spelling.
        ("user_id is indexed", "user_id is indexed"),
        ("plan.md is the source", "plan.md is the source"),
        ("iOS first", "iOS first"),
        ("v2 ships", "v2 ships"),
        ("claude-code connects", "claude-code connects"),
        ("`jsonb` is there", "`jsonb` is there"),
        ("/api is closed", "/api is closed"),
        ("3 teams tried it", "3 teams tried it"),
    ],
)
def test_a_line_begins_with_a_capital_and_nothing_else_changes(text: str, line: str) -> None:
    assert picked(f"## Decided\n\n- {text}\n") == {"decided": [line]}


@pytest.mark.parametrize(
    ("sentence", "section"),
    [
        ("We decided to keep the flag until March.", "decided"),
        ("Going with opaque cursors, not offsets.", "decided"),
        ("We tried caching the user but it made logins stale.", "tried"),
        ("Polling did not work on Windows.", "tried"),
        ("Added cursor pagination to /items.", "changed"),
        ("The list endpoint now returns a cursor.", "changed"),
        ("The retry test is still failing on Windows.", "open"),
        ("Nobody has told the printers.", "open"),
        ("Alice asked for a shorter page.", "asked"),
    ],
)
def test_cue_words_say_what_a_sentence_is(sentence: str, section: str) -> None:
    assert picked(f"The sky is blue. {sentence} The sea is deep.") == {section: [sentence]}


def test_a_transcript_tells_requests_from_reports() -> None:
    content = """[2026-11-29 10:00] User: Hi! Please fix the flaky test in the importer. It fails on CI.
[10:01] Assistant: Sure! Let me look at it.
I replaced the mock with a fixed clock. I tried freezing time but it broke asyncio.
Tool: removed 10 files
Assistant: Great question! Would you like me to go on?
User: ok, we decided to skip Windows for now.
"""
    assert picked(content) == {
        "asked": ["Please fix the flaky test in the importer.", "It fails on CI."],
        "decided": ["Ok, we decided to skip Windows for now."],
        "tried": ["I tried freezing time but it broke asyncio."],
        "changed": ["I replaced the mock with a fixed clock."],
    }


def test_a_transcript_of_json_lines_is_read() -> None:
    content = """{"type":"user","message":{"role":"user","content":"Add pagination to the list endpoint"}}
{"role":"assistant","content":[{"type":"text","text":"Added cursors. Decided on opaque ones."},{"type":"tool_use"}]}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"removed everything"}]}}
{"role":"tool","content":"fixed nothing at all"}
"""
    assert picked(content) == {
        "asked": ["Add pagination to the list endpoint"],
        "decided": ["Decided on opaque ones."],
        "changed": ["Added cursors."],
    }


def test_a_heading_that_looks_like_a_speaker_is_no_transcript() -> None:
    assert picked("System: we removed the second queue.\n\n## Tool\n\nFixed the tool.\n")["changed"] == [
        "System: we removed the second queue.",
        "Fixed the tool.",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "## 决定\n- 使用 PostgreSQL。\n\n## 下一步\n- 更新文档。\n",
            {"decided": ["使用 PostgreSQL。"], "open": ["更新文档。"]},
        ),
        ("## Entscheidungen\n- Wir bleiben dabei.\n", {"decided": ["Wir bleiben dabei."]}),
        ("## Решения\n- Оставить как есть.\n", {"decided": ["Оставить как есть."]}),
        ("# Päivä\n## Mitä tehtiin\n- Korjasin kirjautumisen.\n", {"changed": ["Korjasin kirjautumisen."]}),
        ("Le ciel au dessus du port était gris.", {"changed": ["Le ciel au dessus du port était gris."]}),
    ],
)
def test_other_languages_go_by_their_headings_and_lists(content: str, expected: dict[str, list[str]]) -> None:
    assert picked(content) == expected


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "Sure! Let me look.",
        "```\nDecided: x\n```",
        "| Decided | x |\n|---|---|",
        "<!-- Decided: x -->",
        "Thanks!",
        "## Decided\n\nNone.\n",
        "$ git commit\n",
        "---\ndecided: x\n---\n",
        '{"decided',
        "Hi",
    ],
)
def test_what_carries_nothing_gives_no_lines(content: str) -> None:
    assert extract(content, "cap_1") == Summary(lines=())


def test_repeats_are_dropped_and_other_numbers_are_no_repeats() -> None:
    content = """## Decided
- Raise the timeout of the importer worker to 30 seconds in production.
- **Raise the timeout** of the importer worker to 30 seconds in production
- Raise the timeout of the importer worker to 40 seconds in production.
- Do not raise the timeout of the importer worker to 30 seconds in production.
"""
    assert len(picked(content)["decided"]) == 3


def test_the_budget_is_kept_and_no_section_starves() -> None:
    content = "## Changed\n" + "".join(f"- Change number {n} is {n} words\n" for n in range(300))
    content += "## Open\n- The last word is open.\n"
    found = picked(content, 100)
    assert found["open"] == ["The last word is open."]
    assert 80 < sum(len(text.split()) for texts in found.values() for text in texts) <= 100


WORDS = st.sampled_from(
    [
        "## Decided",
        "## Open",
        "## Other",
        "Decided: x y z",
        "- We tried it twice",
        "User: please fix it",
        "```",
        "---",
        "",
        "Assistant: done",
        "We added a thing. It was removed. E.g. this, v. 2.0 too!",
        "> quoted: fixed",
        "漢字。決定",
        "* [x] a b c",
        "Tool: noise",
        '{"role":"user","content":"fix x now"}',
        "    indented fixed",
        "| fixed | row |",
        "Next steps:",
        "**Open**",
    ]
)


@LAW
@given(st.lists(WORDS, max_size=14).map("\n".join), st.integers(0, 60))
def test_no_word_is_invented_and_the_same_text_gives_the_same_summary(content: str, budget: int) -> None:
    summary = extract(content, "cap_1", budget)
    assert summary == extract(content, "cap_1", budget)
    assert sum(len(line.text.split()) for line in summary.lines) <= budget
    letters = re.sub(r"\W", "", content.encode().decode("unicode_escape", "ignore") + content)
    for line in summary.lines:
        assert line.section in SECTIONS
        assert line.text == " ".join(line.text.split()) != ""
        first, *others = (re.sub(r"\W", "", word) for word in line.text.split())
        assert first in letters or first[:1].lower() + first[1:] in letters
        assert all(word in letters for word in others)


@LAW
@given(st.text(max_size=300))
def test_any_text_can_be_summarised(content: str) -> None:
    assert sum(len(line.text.split()) for line in extract(content, "cap_1").lines) <= 500


NOW = datetime(2026, 11, 29, tzinfo=UTC)


def summary(source: str, *lines: tuple[str, str]) -> Summary:
    return Summary(lines=tuple(SummaryLine(section=section, text=text, source=source) for section, text in lines))


def test_folding_puts_the_newest_first_within_a_section() -> None:
    old = summary("cap_1", ("decided", "Keep the flag."), ("open", "Tell the printers."))
    new = summary(
        "cap_2", ("asked", "Move the launch."), ("decided", "Drop the flag now."), ("decided", "keep the **flag**")
    )
    folded = fold([(NOW - timedelta(days=1), old), (NOW, new)])
    assert [(line.section, line.text, line.source) for line in folded.lines] == [
        ("asked", "Move the launch.", "cap_2"),
        ("decided", "Drop the flag now.", "cap_2"),
        ("decided", "keep the **flag**", "cap_2"),
        ("open", "Tell the printers.", "cap_1"),
    ]


def test_folding_keeps_the_budget_and_older_sections() -> None:
    old = (NOW - timedelta(days=9), summary("cap_0", ("decided", "The oldest decision still stands.")))
    many = [
        (NOW - timedelta(hours=n), summary(f"cap_{n + 1}", ("changed", f"Change {n} of many in here was made.")))
        for n in range(200)
    ]
    folded = fold([*many, old])
    words = sum(len(line.text.split()) for line in folded.lines)
    assert 450 < words <= 500
    assert folded.lines[0].text == "The oldest decision still stands."
    assert [line.source for line in folded.lines[1:4]] == ["cap_1", "cap_2", "cap_3"]


def test_folding_nothing_gives_nothing() -> None:
    assert fold([]) == Summary(lines=())
    assert fold([(NOW, Summary(lines=()))]) == Summary(lines=())


def test_the_engines_answer_alike() -> None:
    assert Extractive().summarise(MARKDOWN, source="cap_1") == extract(MARKDOWN, "cap_1")
    assert [line.text for line in Dummy().summarise("\nfirst\nsecond", source="cap_1").lines] == ["first"]


@pytest.mark.parametrize(
    "piece", ["- a\n", "a. ", "decided ", "User: please fix it\n", "```\n", '{"a":', "**", "<!--", "> "]
)
def test_time_is_bounded(piece: str) -> None:
    start = time.perf_counter()
    extract((piece * 65_536)[:65_536], "cap_1")
    assert time.perf_counter() - start < 4
