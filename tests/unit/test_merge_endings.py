"""Line endings that a browser's field has not got are those that the document had."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workspace.merge.endings import like
from workspace.merge.lines import restyle, split

texts = st.lists(st.sampled_from(["a", "b", "", "\u2028", "\r", "\n", "\r\n", "\n", "\r\n"]), max_size=12).map("".join)


@given(text=texts)
def test_what_was_not_changed_comes_back_byte_for_byte(text: str) -> None:
    assert like(restyle(text, "\n"), text) == text


@given(text=texts, old=texts)
@example(text="a\n\n", old="a\rb\n\n")
@example(text="a\n\n\n", old="a\r\ra\n")
def test_no_line_is_lost_or_gained(text: str, old: str) -> None:
    plain = restyle(text, "\n")
    assert restyle(like(text, old), "\n") == plain
    assert len(split(like(text, old))) == len(split(plain))


@pytest.mark.parametrize(
    ("text", "old", "found"),
    [
        ("Qa\nb\nc\nd\n", "a\r\nb\nc\r\nd\n", "Qa\r\nb\nc\r\nd\n"),
        ("a\nnew\nb\nc\n", "a\r\nb\nc\r\n", "a\r\nnew\r\nb\nc\r\n"),
        ("b\nc\n", "a\r\nb\nc\r\n", "b\nc\r\n"),
        ("a\nb\nmore", "a\r\nb", "a\r\nb\r\nmore"),
        ("a\nb\nmore", "a\rb\n\rc", "a\rb\nmore"),
        ("", "a\r\nb\n", ""),
        ("a\n", "", "a\n"),
    ],
)
def test_a_line_keeps_its_ending_and_a_new_one_has_the_usual(text: str, old: str, found: str) -> None:
    assert like(text, old) == found


def test_a_part_without_an_ending_has_those_of_its_document() -> None:
    assert like("# A\nx\n", "# A", "# A\r\n\r\n# B\r\n") == "# A\r\nx\r\n"


def test_a_large_text_of_two_styles_takes_no_time_to_speak_of() -> None:
    old = "".join(f"line {n}\n" if n % 3 else "same\r\n" for n in range(60_000))
    made = like(re.sub("line 30001", "Line", restyle(old, "\n")), old)
    assert made == old.replace("line 30001", "Line")
