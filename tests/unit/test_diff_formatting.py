"""A diff of prose: what changes no word is told apart from what does."""

import pytest

from workspace.merge.diff import diff

PROSE = """# Plan

The launch is on the second of March and everybody knows
their part in it, from the first rehearsal to
the very last day of the month.

- one item of the list
- another item

| a | b |
|---|---|
| 1 | 2 |
"""
FLOWED = PROSE.replace(
    "and everybody knows\ntheir part in it, from the first rehearsal to\nthe",
    "and everybody\nknows their part in it, from the first rehearsal\nto the",
)


@pytest.mark.parametrize(
    "new",
    [
        FLOWED,
        PROSE.replace("- ", "* "),
        PROSE.replace("| 1 | 2 |", "| 1   | 2   |"),
        PROSE.replace("- another item\n", "- another\n  item\n"),
        PROSE.replace("month.\n\n", "month.\n\n\n"),
    ],
)
def test_a_change_of_form_is_formatting_only(new: str):
    hunks = diff(PROSE, new)
    assert hunks
    assert all(hunk.formatting for hunk in hunks)


@pytest.mark.parametrize(
    "new",
    [
        FLOWED.replace("second", "third"),
        PROSE.replace("- another item", "  - another item"),
        PROSE.replace("- another item", "1. another item"),
        PROSE.replace("month.\n\n- one", "month.\n- one item more\n\n- one"),
        PROSE.replace("knows\ntheir", "knows\n\ntheir"),
        PROSE.replace("knows\n", "knows  \n"),
        PROSE.replace("| 1 | 2 |", "| 1 | 3 |"),
    ],
)
def test_a_change_of_words_or_of_meaning_is_not(new: str):
    assert not all(hunk.formatting for hunk in diff(PROSE, new))


@pytest.mark.parametrize("around", ["```\n{}```\n", "---\n{}---\n", "~~~~ text\n```\n{}~~~~\n"])
def test_where_the_form_is_the_meaning_every_change_counts(around: str):
    old, new = around.format("a: b c\nd e\n"), around.format("a: b\nc d e\n")
    assert not any(hunk.formatting for hunk in diff(old, new))


def test_a_paragraph_broken_anew_far_from_a_change_of_words_is_told_apart():
    between = "".join(f"A line of the plan, the {n}th.\n\n" for n in range(10))
    hunks = diff(PROSE + between + "The end.\n", FLOWED + between + "The very end.\n")
    assert [hunk.formatting for hunk in hunks] == [True, False]


def test_in_lines_broken_anew_only_the_words_that_changed_are_marked():
    new = FLOWED.replace("rehearsal", "dress rehearsal")
    (hunk,) = diff(PROSE, new)
    marked = [line.text[span.start : span.end] for line in hunk.lines for span in line.spans]
    assert marked == ["dress"]
