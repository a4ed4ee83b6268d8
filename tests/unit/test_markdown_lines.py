"""Lines are what git and CommonMark call lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown import lines

ENDS = st.text(alphabet="ab\n\r\f\u2028\u0085 ", max_size=40)


@LAW
@given(ENDS)
def test_the_lines_joined_are_the_text(text: str) -> None:
    assert "".join(lines.split(text)) == text


@LAW
@given(ENDS)
def test_the_count_is_the_number_of_lines(text: str) -> None:
    assert lines.count(text) == len(lines.split(text))


@LAW
@given(ENDS)
def test_no_line_holds_a_line_end_inside(text: str) -> None:
    assert not any("\n" in lines.bare(line) or "\r" in lines.bare(line) for line in lines.split(text))


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\u0085", "\u2028", "\u2029"])
def test_only_newlines_end_a_line(character: str) -> None:
    assert lines.count(f"a{character}b") == 1


def test_a_slice_keeps_its_line_ends() -> None:
    assert lines.slice("a\r\nb\rc\nd", 2, 3) == "b\rc\n"


def test_a_slice_outside_the_text_is_empty() -> None:
    assert lines.slice("a\nb\n", 3, 9) == ""
    assert lines.slice("a\nb\n", 0, 1) == "a\n"
    assert lines.slice("a\nb\n", 2, 1) == ""


def test_the_line_end_is_the_one_used_most() -> None:
    assert lines.eol("a\r\nb\r\nc\n") == "\r\n"
    assert lines.eol("a\rb\r") == "\r"
    assert lines.eol("a") == "\n"
