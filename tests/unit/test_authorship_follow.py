"""Who wrote each character, carried from one version to the next."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from workspace.merge.authorship import Owners, Runs, advance, advance_merge, begin, parts

PAGE = """# Plan

The launch is on the second of March. Everybody knows their part, and the
rehearsal is a week before.

We want a thousand teams in the first month. Support answers within an hour.

- write the announcement for the blog
- ask the office for two more desks
"""


def of(runs: Runs, text: str, words: str) -> list[str]:
    """Who wrote `words` in `text`, in order."""
    start = text.index(words)
    return [span.id for span in Owners(runs).between(start, start + len(words))]


def history(*texts: str) -> Runs:
    """The runs of the last of texts written one after the other by versions a, b, c, …"""
    runs = begin(texts[0], "a")
    for number, (old, new) in enumerate(itertools.pairwise(texts), 1):
        runs = advance(runs, old, new, "abcdefghij"[number])
    return runs


def test_a_first_version_is_all_its_own():
    assert begin(PAGE, "a") == ((len(PAGE), "a"),)
    assert begin("", "a") == ()


def test_a_new_sentence_is_its_writers_and_the_others_keep_theirs():
    new = PAGE.replace("Everybody knows", "A new sentence stands here. Everybody knows")
    runs = history(PAGE, new)
    assert of(runs, new, "A new sentence stands here. ") == ["b"]
    assert of(runs, new, "The launch is on the second of March. ") == ["a"]
    assert of(runs, new, "Everybody knows their part") == ["a"]


def test_a_reworded_sentence_keeps_the_author_of_the_words_that_stayed():
    new = PAGE.replace("a thousand teams", "two thousand teams")
    runs = history(PAGE, new)
    assert of(runs, new, "two") == ["b"]
    assert of(runs, new, "We want ") == ["a"]
    assert of(runs, new, "thousand teams in the first month.") == ["a"]


def test_a_sentence_written_anew_is_not_made_of_the_small_words_of_the_old_one():
    new = PAGE.replace("Support answers within an hour.", "Nobody knows in which country an office will open.")
    assert of(history(PAGE, new), new, "Nobody knows in which country an office will open.") == ["b"]


def test_taking_words_out_shows_where_they_stood():
    new = PAGE.replace("within an hour", "within hour")
    assert of(history(PAGE, new), new, "within hour") == ["a", "b", "a"]
    new = PAGE.replace(" within an hour.", ".")
    assert "b" in of(history(PAGE, new), new, "Support answers.")


def test_lines_broken_anew_keep_their_authors():
    edited = PAGE.replace("week before", "fortnight before")
    new = edited.replace("part, and the\nrehearsal", "part,\nand the rehearsal")
    assert {run.id for run in history(PAGE, new)} == {"a", "b"}
    runs = history(PAGE, edited, new)
    assert of(runs, new, "fortnight") == ["b"]
    assert "c" not in {run.id for run in runs}


def test_another_bullet_and_another_line_ending_take_nothing_over():
    new = PAGE.replace("- ", "* ").replace("\n", "\r\n")
    assert {run.id for run in history(PAGE, new)} == {"a"}


def test_a_moved_paragraph_keeps_its_authors():
    written = PAGE.replace("thousand teams", "hundred teams")
    first = "We want a hundred teams in the first month. Support answers within an hour.\n\n"
    moved = written.replace(first, "") + "\n" + first
    runs = history(PAGE, written, moved)
    assert of(runs, moved, first.strip()) == ["a", "b", "a"]


def test_a_short_heading_goes_with_the_paragraph_under_it():
    old = "# Plan\n\nThe launch is in March.\n\n## Goals\n\nWe want a thousand teams in a month.\n"
    new = "# Plan\n\n## Goals\n\nWe want a thousand teams in a month.\n\nThe launch is in March.\n"
    runs = history(old, new)
    assert of(runs, new, "## Goals") == of(runs, new, "We want a thousand teams in a month.") == ["a"]


def test_a_moved_item_keeps_its_author():
    first, second = "- write the announcement for the blog\n", "- ask the office for two more desks\n"
    new = PAGE.replace(first + second, second + first)
    assert {run.id for run in history(PAGE, new)} == {"a"}


def test_a_sentence_that_was_copied_is_the_copiers():
    copy = "Support answers within an hour.\n"
    new = PAGE + "\n" + copy
    runs = history(PAGE, new)
    assert of(runs, new, "We want a thousand teams in the first month. Support answers within an hour.") == ["a"]
    assert [run.id for run in runs] == ["a", "b"]


def test_what_was_taken_out_and_came_back_belongs_to_who_brought_it_back():
    without = PAGE.replace(" Support answers within an hour.", "")
    assert of(history(PAGE, without, PAGE), PAGE, "Support answers within an hour.") == ["c"]


def test_a_merge_leaves_each_sentence_to_the_side_that_wrote_it():
    head = PAGE.replace("second of March", "third of March")
    other = PAGE.replace("two more desks", "five more desks")
    merged = head.replace("two more desks", "five more desks")
    start = begin(PAGE, "a")
    runs = advance_merge(advance(start, PAGE, head, "b"), head, advance(start, PAGE, other, "c"), other, merged, "m")
    assert of(runs, merged, "third") == ["b"]
    assert of(runs, merged, "five") == ["c"]
    assert of(runs, merged, "Everybody knows") == ["a"]
    assert "m" not in {run.id for run in runs}


def test_a_merge_owns_only_what_neither_side_has():
    head = PAGE.replace("second of March", "third of March")
    merged = head + "\nBoth were right about the desks.\n"
    start = begin(PAGE, "a")
    runs = advance_merge(advance(start, PAGE, head, "b"), head, start, PAGE, merged, "m")
    assert of(runs, merged, "Both were right about the desks.") == ["m"]
    assert of(runs, merged, "third") == ["b"]


def test_parts_are_sentences_items_rows_and_headings():
    text = "# Plan\n\nOne is here. Another one.\n\n- an item\n\n| a | b |\n|---|---|\n"
    assert [text[start:end] for start, end in parts(text)] == [
        "# Plan", "One is here.", "Another one.", "- an item", "| a | b |", "|---|---|",
    ]  # fmt: skip


WORDS = st.sampled_from(
    [
        "the",
        "plan",
        "moves",
        "on.",
        "A",
        "team",
        "waits.",
        "\n",
        "\n\n",
        "- ",
        "* ",
        "| x |\n",
        "```\n",
        "\r\n",
        "é̈",
        "😀",
        "#",
    ]
)
TEXT = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=80)


@given(texts=st.lists(TEXT, min_size=1, max_size=5))
def test_every_character_has_an_author_and_runs_are_joined(texts: list[str]):
    runs = history(*texts)
    assert sum(run.length for run in runs) == len(texts[-1])
    assert all(run.length > 0 for run in runs)
    assert all(one.id != other.id for one, other in itertools.pairwise(runs))


@given(old=TEXT, new=TEXT)
def test_the_same_text_again_and_a_line_ending_change_nothing(old: str, new: str):
    runs = history(old, new)
    assert advance(runs, new, new, "z") == runs
    lines = new.replace("\r\n", "\n").replace("\r", "\n")
    runs = history(old, lines)
    assert "z" not in {run.id for run in advance(runs, lines, lines.replace("\n", "\r\n"), "z")}


SENTENCE = st.integers(0, 10_000).map(lambda n: f"Sentence number {n} tells of the launch.")


@given(first=st.lists(SENTENCE, unique=True, min_size=2, max_size=12), data=st.data())
def test_sentences_keep_their_author_however_they_are_moved_and_put_into_lines(first: list[str], data: st.DataObject):
    old = " ".join(first) + "\n"
    order = data.draw(st.permutations(first))
    gaps = data.draw(st.lists(st.sampled_from([" ", "\n", "\n\n"]), min_size=len(order), max_size=len(order)))
    new = "".join(sentence + gap for sentence, gap in zip(order, gaps, strict=True))
    runs = history(old, new)
    assert all(set(of(runs, new, sentence)) == {"a"} for sentence in first)


@given(head=TEXT, other=TEXT, merged=TEXT)
def test_a_merge_gives_every_character_an_author(head: str, other: str, merged: str):
    runs = advance_merge(begin(head, "h"), head, begin(other, "o"), other, merged, "m")
    assert sum(run.length for run in runs) == len(merged)
    assert {run.id for run in advance_merge(begin(head, "h"), head, begin(other, "o"), other, other, "m")} <= {"h", "o"}


@given(text=TEXT)
def test_parts_are_in_order_and_leave_out_only_white_space(text: str):
    at = 0
    for start, end in parts(text):
        assert not text[at:start].strip()
        assert start < end
        at = end
    assert not text[at:].strip()
