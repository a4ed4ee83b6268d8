"""A diff of prose: what changes no word is told apart from what does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.merge.diff import diff
from workspace.merge.lines import Lines

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


LIST = "# Work\n\n" + "".join(
    f"- the {word} item of the list\n" for word in ["first", "second", "third", "fourth", "fifth"]
)


def told(old: str, new: str) -> list[str]:
    """The lines that a diff shows as changed in words."""
    return [
        {"delete": "-", "insert": "+"}[line.kind] + line.text
        for hunk in diff(old, new)
        if not hunk.formatting
        for line in hunk.lines
        if line.kind != "context"
    ]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param(
            PROSE, FLOWED.replace("- one item", "- two items"),
            ["-- one item of the list", "+- two items of the list"], id="a paragraph broken anew above an item",
        ),
        pytest.param(
            LIST, LIST.replace("- ", "* ").replace("third", "very third"),
            ["-- the third item of the list", "+* the very third item of the list"], id="another bullet",
        ),
        pytest.param(
            LIST.replace("- ", "1. "),
            "# Work\n\n1. the first item of the list\n2. a new one\n" + "".join(
                f"{n}. the {word} item of the list\n"
                for n, word in enumerate(["second", "third", "fourth", "fifth"], 3)
            ),
            ["+2. a new one"], id="a list numbered anew around what was added",
        ),
        pytest.param(
            LIST, LIST.replace("- the second item of the list\n", "").replace("- ", "* "),
            ["-- the second item of the list"], id="another bullet around what was taken out",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
            "| a   | b   |\n|-----|-----|\n| 1   | 2   |\n| 3   | 5   |\n",
            ["-| 3 | 4 |", "+| 3   | 5   |"], id="a table padded around a cell that changed",
        ),
        pytest.param("One.\n", "One.\n\nTwo.\n", ["+", "+Two."], id="a paragraph that was added with its blank line"),
        pytest.param("One.\n\nTwo.\n", "Two.\n", ["-One.", "-"], id="a paragraph that was taken out with it"),
        pytest.param(
            "One two three\nfour five.\n\nOld.\n\nThe end.\n", "One two\nthree four five.\n\nNew.\n\nThe\nend.\n",
            ["-Old.", "+New."], id="paragraphs broken anew on both sides",
        ),
    ],
)  # fmt: skip
def test_beside_a_change_of_words_formatting_is_told_apart(old: str, new: str, lines: list[str]):
    assert told(old, new) == lines


def test_the_lines_between_are_shown_once_and_with_the_change_of_words():
    old, new = "One two three\nfour five.\n\nBetween.\n\nOld.\n", "One two\nthree four five.\n\nBetween.\n\nNew.\n"
    form, words = diff(old, new)
    assert [hunk.formatting for hunk in (form, words)] == [True, False]
    assert (form.old_start, form.old_lines, words.old_start, words.old_lines) == (1, 2, 3, 4)


BLOCK = st.sampled_from(["A line of prose that is long enough to be broken.", "- item", "* item", "1. one", "2. one",
    "| a | b |", "|---|---|", "| a  | b  |", "", "# Head", "```", "word", "another word", "> quoted"])  # fmt: skip
TEXTS = st.lists(BLOCK, max_size=14).map("\n".join)


@given(old=TEXTS, new=TEXTS)
def test_hunks_tell_every_changed_line_once_and_in_order(old: str, new: str):
    hunks = diff(old, new)
    before, after = Lines.of(old).keys, Lines.of(new).keys
    came: list[str] = []
    at = to = 0
    for hunk in hunks:
        first_old = hunk.old_start - (1 if hunk.old_lines else 0)
        first_new = hunk.new_start - (1 if hunk.new_lines else 0)
        assert before[at:first_old] == after[to:first_new], "what is between is the same, and shown in no other hunk"
        came += before[at:first_old]
        olds = [line.text for line in hunk.lines if line.kind != "insert"]
        news = [line.text for line in hunk.lines if line.kind != "delete"]
        assert olds == before[first_old : first_old + hunk.old_lines]
        assert news == after[first_new : first_new + hunk.new_lines]
        came += news
        at, to = first_old + hunk.old_lines, first_new + hunk.new_lines
    assert came + before[at:] == after


@given(old=TEXTS)
def test_a_text_whose_prose_is_broken_anew_differs_in_formatting_at_most(old: str):
    new = old.replace("long enough to be broken", "long\nenough to be broken")
    assert told(old, new) == [] or "```" in old
