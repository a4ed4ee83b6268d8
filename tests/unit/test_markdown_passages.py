"""Passages partition a document and keep whole blocks together."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown import lines, passages

BLOCK = st.sampled_from(
    [
        "# A",
        "## B",
        "text " * 8,
        "- one\n- two\n- three",
        "```\ncode\n\nmore\n```",
        "| a |\n|---|\n| 1 |",
        "",
        "x" * 90,
        "> q",
    ]
)
DOCUMENT = st.lists(BLOCK, max_size=12).map("\n\n".join)


@LAW
@given(DOCUMENT, st.integers(5, 200), st.sampled_from(["\n", "\r\n", "\r"]))
def test_passages_joined_are_the_document_and_none_is_over_the_limit(text: str, limit: int, end: str) -> None:
    text = text.replace("\n", end)
    found = passages.split(text, limit)
    assert "".join(each.text for each in found) == (text if text.strip() else "")
    assert all(0 < len(each.text) <= limit for each in found)


@LAW
@given(DOCUMENT, st.integers(5, 200))
def test_line_numbers_are_exact_and_in_order(text: str, limit: int) -> None:
    last = 0
    for each in passages.split(text, limit):
        assert each.text in lines.slice(text, each.start_line, each.end_line)
        assert each.start_line in (last, last + 1)
        last = each.end_line
    assert last == (lines.count(text) if text.strip() else 0)


def test_blocks_are_packed_under_their_heading() -> None:
    text = "intro\n\n# A\n\none\n\ntwo\n\n## B\n\nthree\n"
    assert [(p.heading, p.start_line, p.end_line, p.text) for p in passages.split(text)] == [
        ("", 1, 2, "intro\n\n"),
        ("A", 3, 8, "# A\n\none\n\ntwo\n\n"),
        ("A > B", 9, 11, "## B\n\nthree\n"),
    ]


def test_a_heading_alone_goes_with_what_follows() -> None:
    (only,) = passages.split("# A\n\n## B\n\ntext\n")
    assert (only.heading, only.start_line, only.end_line) == ("A > B", 1, 5)


def test_paragraphs_lists_and_fences_are_not_cut_when_they_fit() -> None:
    fence = "```\n" + "code line\n" * 6 + "```\n"
    text = "word " * 10 + "\n\n" + fence + "\n" + "- item\n" * 8
    found = [p.text for p in passages.split(text, 80)]
    assert found == ["word " * 10 + "\n\n", fence + "\n", "- item\n" * 8]


def test_a_long_list_is_cut_between_items_and_a_long_table_between_rows() -> None:
    items = "".join(f"- item {n}\n  continued\n" for n in range(10))
    for passage in passages.split(items, 60):
        assert passage.text.startswith("- item")
    rows = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(20))
    assert all(passage.text.startswith("|") and passage.text.endswith("|\n") for passage in passages.split(rows, 50))


def test_a_long_line_is_cut_after_a_sentence_or_between_words() -> None:
    line = "This is one sentence. " * 20
    for passage in passages.split(line, 100):
        assert (passage.start_line, passage.end_line) == (1, 1)
        assert passage.text.endswith("sentence. ")
    assert [len(p.text) for p in passages.split("漢" * 25, 10)] == [10, 10, 5]


def test_front_matter_is_counted_in_the_lines() -> None:
    found = passages.split("---\ntitle: x\n---\n# A\n\ntext\n")
    assert [(p.heading, p.start_line, p.end_line) for p in found] == [("", 1, 3), ("A", 4, 6)]


def test_blank_text_has_no_passages_and_a_limit_of_nothing_is_refused() -> None:
    assert passages.split(" \n\n") == ()
    with pytest.raises(ValueError, match="at least one"):
        passages.split("a", 0)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", " \n"])
def test_blank_lines_are_packed_too(end: str) -> None:
    text = f"x{end}" + end * 100_000 + "w" * 3_000 + end * 5_000 + "y"
    found = passages.split(text)
    assert "".join(passage.text for passage in found) == text
    assert len(found) <= 2 * len(text) / passages.LIMIT
    assert all(len(passage.text) <= passages.LIMIT for passage in found)
    lines_of = [(passage.start_line, passage.end_line) for passage in found]
    assert all(a[1] in (b[0], b[0] - 1) for a, b in pairwise(lines_of))
    assert (lines_of[0][0], lines_of[-1][1]) == (1, lines.count(text))
