"""Sections are found by name and replaced without touching anything else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown import lines, sections

PLAN = """---
title: The launch
labels: [plan, "#q4"]
tags: plan, risk
type: decision
---
# Launch

Intro.

## Plan

Ship it.

### Risks

None known.

```
# not a heading
```

## Costs
Twelve.

Later
-----

- item
  # not a section
"""


def titles(text: str) -> list[tuple[str, int, int, int]]:
    return [(s.title, s.level, s.start_line, s.end_line) for s in sections.outline(text)]


def test_the_outline_knows_titles_levels_and_lines() -> None:
    assert titles(PLAN) == [
        ("Launch", 1, 7, 30),
        ("Plan", 2, 11, 22),
        ("Risks", 3, 15, 22),
        ("Costs", 2, 23, 25),
        ("Later", 2, 26, 30),
    ]
    assert sections.find(PLAN, "Risks").path == ("Launch", "Plan", "Risks")


@pytest.mark.parametrize(
    "text",
    [
        "```\n# a\n```\n",
        "~~~~\n# a\n~~~\n# b\n~~~~\n",
        "<!--\n# a\n-->\n",
        "<div>\n# a\n</div>\n",
        "    # a\n",
        "> # a\n",
        "- # a\n",
        "#a\n",
        "####### a\n",
        "\\# a\n",
        "---\na: b\n# c\n---\n",
        "",
    ],
)
def test_what_only_looks_like_a_heading_opens_no_section(text: str) -> None:
    assert titles(text) == []


def test_a_title_is_text_without_markup() -> None:
    (section,) = sections.outline("## The `foo` of *bar* [here](http://x) &amp; there ##\n")
    assert section.title == "The foo of bar here & there"
    assert section.anchor == "the-foo-of-bar-here--there"


def test_anchors_are_unique_even_when_a_title_looks_like_a_numbered_one() -> None:
    anchors = [s.anchor for s in sections.outline("# a\n\n# a-1\n\n# a\n\n# a\n\n# !\n\n# ?\n\n# Ünïcode 漢字\n")]
    assert anchors == ["a", "a-1", "a-2", "a-3", "section", "section-1", "ünïcode-漢字"]


@pytest.mark.parametrize(
    "name",
    ["Risks", "risks", "### Risks", "Plan > Risks", "Launch > Plan > Risks", "plan > risks", "#risks", " Risks "],
)
def test_a_section_answers_to_title_path_heading_and_anchor(name: str) -> None:
    assert sections.find(PLAN, name).start_line == 15


@pytest.mark.parametrize("name", ["Riks", "## Risks", "Costs > Risks", "", "#", "Plan >"])
def test_a_wrong_name_is_refused_with_the_titles_there_are(name: str) -> None:
    with pytest.raises(sections.SectionError) as refused:
        sections.find(PLAN, name)
    assert refused.value.matches == ()
    assert refused.value.titles == ("Launch", "Plan", "Risks", "Costs", "Later")


def test_an_ambiguous_name_is_refused_with_the_anchors_to_choose_from() -> None:
    text = "# A\n\n## Notes\n\n# B\n\n## Notes\n"
    with pytest.raises(sections.SectionError, match="#notes-1") as refused:
        sections.find(text, "Notes")
    assert [match.start_line for match in refused.value.matches] == [3, 7]
    assert sections.find(text, "#notes-1").start_line == 7
    assert sections.find(text, "B > Notes").start_line == 7


def test_replacing_a_section_keeps_its_heading_and_the_rest() -> None:
    text = sections.replace(PLAN, "Plan", "New plan.\n\n### Steps\n\n1. Go\n")
    assert text == PLAN.replace(
        "Ship it.\n\n### Risks\n\nNone known.\n\n```\n# not a heading\n```\n", "New plan.\n\n### Steps\n\n1. Go\n"
    )


def test_content_with_its_own_heading_replaces_the_heading() -> None:
    assert sections.replace("# A\n\nx\n\n# B\n\ny\n", "A", "# Renamed\n\nz") == "# Renamed\n\nz\n\n# B\n\ny\n"
    assert sections.replace("## A\n\nx\n", "A", "### A\n\nz") == "### A\n\nz\n"
    assert sections.replace("## A\n\nx\n", "A", "### Sub\n\nz") == "## A\n\n### Sub\n\nz\n"


def test_an_empty_section_and_an_emptied_one() -> None:
    assert sections.replace("# A\n# B\n", "A", "x") == "# A\n\nx\n\n# B\n"
    assert sections.replace("# A\n\nx\n\n# B\n", "A", "") == "# A\n\n# B\n"
    assert sections.replace("# A", "A", "x") == "# A\n\nx"


def test_the_line_ends_of_the_document_win() -> None:
    assert sections.replace("# A\r\n\r\nx\r\n\r\n# B\r\n", "A", "y\nz\n") == "# A\r\n\r\ny\r\nz\r\n\r\n# B\r\n"


LINE = st.sampled_from(["# A", "## B", "### C", "text", "- item", "", "```", "> quote", "Title", "===", "  two  "])


@LAW
@given(st.lists(LINE, max_size=25).map("\n".join), st.integers(0, 20), st.booleans())
def test_replacing_a_section_leaves_what_is_outside_alone(text: str, pick: int, final: bool) -> None:
    text += "\n" if final else ""
    outline = sections.outline(text)
    if not outline:
        return
    section = outline[pick % len(outline)]
    result = sections.replace(text, f"#{section.anchor}", "new words")
    before = lines.slice(text, 1, section.heading_end)
    after = lines.slice(text, section.end_line + 1, lines.count(text))
    assert result.startswith(before)
    assert result.endswith(after)
    assert "new words" in lines.slice(result, section.heading_end + 1, lines.count(result))
    assert sections.replace(result, f"#{section.anchor}", "new words") == result


@LAW
@given(st.lists(LINE, max_size=25).map("\n".join))
def test_sections_of_one_level_do_not_overlap_and_nest_inside_their_parents(text: str) -> None:
    total = lines.count(text)
    outline = sections.outline(text)
    for index, section in enumerate(outline):
        assert 1 <= section.start_line <= section.heading_end <= section.end_line <= total
        for other in outline[index + 1 :]:
            assert other.start_line > section.end_line or other.end_line <= section.end_line


def test_title_labels_and_type_come_from_the_front_matter() -> None:
    assert sections.title_of(PLAN) == "The launch"
    assert sections.labels_of(PLAN) == ("plan", "q4", "risk")
    assert sections.type_of(PLAN) == "decision"


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert sections.title_of("intro\n\n## First *one*\n") == "First one"
    assert sections.title_of("no heading") is None
    assert sections.labels_of("# x") == ()
    assert sections.type_of("# x") is None


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_title_is_looked_for_near_the_top(end: str) -> None:
    assert sections.title_of(f"words{end}{end}" * 1_000 + f"# Here{end}" + f"words{end}" * 20_000) == "Here"
    assert sections.title_of(f"---{end}a: 1{end}---{end}" + f"words{end}{end}" * 1_000 + f"# Here{end}") == "Here"
    assert sections.title_of(f"words{end}{end}" * 20_000 + "# Here") is None
    assert sections.title_of("w" * 50_000 + f"{end}# Here") is None


def test_a_heading_where_the_search_for_a_title_ends_is_not_taken_for_another() -> None:
    before = "w" * (sections.TITLE_WITHIN - 7) + "\n\n"
    assert sections.title_of(f"{before}Plan\n===\n") is None
    assert sections.title_of(f"{before}# Plan of the launch\n") is None


@pytest.mark.parametrize(
    "yaml", ["labels: 3", "labels: {a: b}", "labels: [[a], {b: c}, null]", "type: [a]", "type: true"]
)
def test_labels_of_the_wrong_shape_are_left_out(yaml: str) -> None:
    text = f"---\n{yaml}\n---\n"
    assert sections.labels_of(text) == ()
    assert sections.type_of(text) is None


def test_many_equal_headings_take_linear_time() -> None:
    start = time.perf_counter()
    assert len(sections.outline("# a\n" * 20_000)) == 20_000
    assert time.perf_counter() - start < 5
