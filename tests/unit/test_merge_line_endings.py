"""Line endings and the final newline are properties of the document and never conflict."""

import pytest

from workspace.merge import LINES, merge, merge_text, resolve
from workspace.merge.lines import join, split, style, usual


def test_a_side_that_changed_every_ending_wins():
    assert merge_text("a\nb\n", "a\r\nb\r\n", "a\nB\n") == "a\r\nB\r\n"
    assert merge_text("a\nb\n", "a\nB\n", "a\r\nb\r\n") == "a\r\nB\r\n"
    assert merge_text("a\r\nb\r\n", "a\r\nB\r\n", "a\nb\n") == "a\nB\n"


def test_the_more_usual_ending_wins_where_both_sides_changed_every_one():
    cr, crlf = "A\rb\rc\rd\r", "a\r\nb\r\nc\r\nD\r\n"
    for one, other in ((cr, crlf), (crlf, cr)):
        assert merge_text("a\nb\nc\nd\n", one, other) == "A\r\nb\r\nc\r\nD\r\n"
    assert merge("a\nb\nc\nd\n", cr, crlf, version=LINES).text == "A\rb\rc\rD\r"


def test_a_text_begun_by_both_ends_with_a_newline_where_one_does():
    assert merge_text("", "- a", "- b\n") == "- a\n- b\n"
    assert merge_text("", "- b\n", "- a") == "- b\n- a\n"


def test_mixed_endings_are_kept_line_by_line():
    base = "a\r\nb\nc\nd\r\ne\n"
    assert merge_text(base, base.replace("a", "A"), base.replace("e", "E")) == "A\r\nb\nc\nd\r\nE\n"


def test_both_sides_may_change_the_endings_of_different_lines():
    base = "a\r\nb\nc\nd\r\n"
    head = "a\r\nb\r\nc\nd\r\n"
    incoming = "a\r\nb\nc\nd\n"
    assert merge_text(base, head, incoming) == "a\r\nb\r\nc\nd\n"


def test_a_side_that_emptied_the_text_meets_new_line_endings():
    assert merge_text("a\nb\n", "", "a\r\nb\r\n") == ""
    assert merge_text("a\nb", "a\r\nb", "") == ""


def test_a_line_whose_ending_alone_changed_takes_the_change():
    base = "a\r\nb\nc\nd\ne\n"
    head = "A\r\nb\nc\nd\ne\n"
    incoming = "a\r\nb\nc\r\nd\ne\n"
    assert merge_text(base, head, incoming) == "A\r\nb\nc\r\nd\ne\n"


@pytest.mark.parametrize(
    ("base", "head", "incoming", "merged"),
    [
        ("a\nb", "a\nb\n", "A\nb", "A\nb\n"),
        ("a\n\nb", "a\n\nb\n", "A\n\nb", "A\n\nb\n"),
        ("a\n\nb\n", "a\n\nb", "A\n\nb\n", "A\n\nb"),
        ("a\n\nb", "a\n\nb\nc", "A\n\nb", "A\n\nb\nc"),
        ("a\n\nb", "a\n\nb\nc\n", "A\n\nb", "A\n\nb\nc\n"),
        ("a\n\nb\n", "a\n\nb\nc", "A\n\nb\n", "A\n\nb\nc"),
        ("a\n\nb", "a\n\nB", "a\n\nb\n", "a\n\nB\n"),
        ("a\nb\n", "a\nb", "a\nb\n\n", "a\nb\n\n"),
    ],
)
def test_the_final_newline_follows_the_side_that_changed_it(base, head, incoming, merged):
    assert merge_text(base, head, incoming) == merged


def test_a_missing_final_newline_does_not_join_two_lines():
    assert merge_text("- a", "- a\n- b", "- a\n- c") == "- a\n- b\n- c"
    merged = merge("- a", "- a\n- b", "- a\n- c", version=LINES)
    assert merged.text is None
    assert resolve(merged, ["both"]) == "- a\n- b\n- c"
    assert resolve(merged, ["mine"]) == "- a\n- c"


def test_a_bare_cr_and_a_bare_lf_do_not_become_one_ending():
    assert join(["a\r", "\n", "b"], "\n") == "a\n\nb"


def test_only_lf_crlf_and_cr_end_a_line():
    assert split("a\x0b\x0c\x1c\x85\u2028\u2029b\nc\rd\r\n\re") == [
        "a\x0b\x0c\x1c\x85\u2028\u2029b\n",
        "c\r",
        "d\r\n",
        "\r",
        "e",
    ]


def test_the_style_of_a_text_is_the_ending_that_its_lines_have():
    assert [style(text) for text in ("a", "a\nb", "a\r\nb\r\n", "a\r", "a\r\nb\n")] == [
        None,
        "\n",
        "\r\n",
        "\r",
        "mixed",
    ]
    assert [usual(text) for text in ("a", "a\r\nb\r\nc\n", "a\rb\r")] == ["\n", "\r\n", "\r"]
