"""The words that changed within a line."""

from hypothesis import given

from tests.unit.texts import LAW, documents
from workspace.merge.diff import diff


def marked(old: str, new: str) -> list[tuple[str, list[str]]]:
    """The changed lines with the words that are marked in them."""
    return [
        (line.text, [line.text[span.start : span.end] for span in line.spans])
        for hunk in diff(old, new)
        for line in hunk.lines
        if line.kind != "context"
    ]


def test_a_changed_word_is_marked_on_both_sides():
    assert marked("The quick fox jumps.\n", "The slow fox jumps.\n") == [
        ("The quick fox jumps.", ["quick"]),
        ("The slow fox jumps.", ["slow"]),
    ]


def test_an_added_word_is_marked_where_it_was_added():
    assert marked("Retry the job.\n", "Retry the failed job.\n") == [
        ("Retry the job.", []),
        ("Retry the failed job.", ["failed "]),
    ]


def test_lines_with_little_in_common_are_not_marked():
    assert marked("All systems are down now.\n", "We ship on Friday.\n") == [
        ("All systems are down now.", []),
        ("We ship on Friday.", []),
    ]


def test_an_edited_line_is_found_among_new_ones():
    changed = dict(marked("Keep three copies.\n", "A new first line.\nKeep four copies.\nAnd a last one.\n"))
    assert changed["A new first line."] == []
    assert changed["Keep three copies."] == ["three"]
    assert changed["Keep four copies."] == ["four"]


def test_scripts_without_spaces_are_compared_by_character():
    assert marked("我们明天发布新版本\n", "我们今天发布新版本\n") == [
        ("我们明天发布新版本", ["明"]),
        ("我们今天发布新版本", ["今"]),
    ]
    assert marked("データを保存する\n", "データを削除する\n") == [
        ("データを保存する", ["保存"]),
        ("データを削除する", ["削除"]),
    ]


def test_a_mark_never_splits_a_letter_from_its_accents():
    (_, old), (_, new) = marked("cafe\u0301 notes here\n", "cafe notes here\n")
    assert old == ["cafe\u0301"]
    assert new == ["cafe"]


def test_an_emoji_of_several_people_is_one_character():
    family, couple = "👩\u200d👩\u200d👧", "👩\u200d👩"
    (_, old), (_, new) = marked(f"the family {family} is here\n", f"the family {couple} is here\n")
    assert (old, new) == ([family], [couple])


@LAW
@given(documents(), documents())
def test_spans_lie_within_their_line_in_order_and_apart(old, new):
    for hunk in diff(old, new):
        for line in hunk.lines:
            end = -1
            for span in line.spans:
                assert end < span.start < span.end <= len(line.text)
                assert span.kind == line.kind
                end = span.end
