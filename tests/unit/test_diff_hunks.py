"""A diff as people read it."""

from hypothesis import given

from tests.unit.texts import LAW, documents
from workspace.merge.diff import DiffHunk, compare, diff, stat
from workspace.merge.lines import bare, split

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def marks(hunk: DiffHunk) -> list[str]:
    return [{"context": " ", "delete": "-", "insert": "+"}[line.kind] + line.text for line in hunk.lines]


def test_equal_texts_have_no_hunks():
    assert diff("a\nb\n", "a\nb\n") == ()
    assert diff("", "") == ()


def test_a_hunk_has_the_change_and_three_lines_around_it():
    (hunk,) = diff(TEN, TEN.replace("line 5", "line five"))
    assert marks(hunk) == [
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+line five",
        " line 6",
        " line 7",
        " line 8",
    ]
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (2, 7, 2, 7)


def test_changes_far_apart_are_hunks_of_their_own_and_near_ones_are_one():
    new = TEN.replace("line 1\n", "").replace("line 10\n", "line X\n")
    assert [marks(hunk)[0] for hunk in diff(TEN, new, context=1)] == ["-line 1", " line 9"]
    assert len(diff(TEN, new, context=4)) == 1


def test_no_context_leaves_the_changes_alone():
    (hunk,) = diff(TEN, TEN.replace("line 5\n", ""), context=0)
    assert marks(hunk) == ["-line 5"]
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (5, 1, 4, 0)


def test_a_new_text_starts_at_line_zero_of_the_old():
    (hunk,) = diff("", "a\nb\n")
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (0, 0, 1, 2)


def test_line_numbers_count_on_each_side():
    (hunk,) = diff("a\nb\nc\n", "a\nx\ny\nc\n")
    assert [(line.old_number, line.new_number) for line in hunk.lines] == [
        (1, 1),
        (2, None),
        (None, 2),
        (None, 3),
        (3, 4),
    ]


def test_a_hunk_stands_under_its_heading():
    old = "# Plan\n\n" + TEN + "\n## Later\n\n" + TEN
    hunks = diff(old, old.replace("line 5\n", "line five\n"))
    assert [hunk.heading for hunk in hunks] == ["Plan", "Later"]


def test_line_endings_are_no_difference():
    assert diff("a\nb\n", "a\r\nb\r\n") == ()
    assert diff("a\nb\n", "a\nb") == ()
    assert stat("a\r\nb", "a\nb\n") == (0, 0)


def test_a_form_feed_and_a_line_separator_do_not_end_a_line():
    (hunk,) = diff("a\u2028b\x0cc\n", "a\u2028b\x0cd\n")
    assert [line.text for line in hunk.lines] == ["a\u2028b\x0cc", "a\u2028b\x0cd"]


def test_stat_counts_added_and_removed_lines():
    assert stat("a\nb\nc\n", "a\nx\ny\nc\n") == (2, 1)
    assert stat("", "a\n") == (1, 0)
    assert stat("a\nb\n", "") == (0, 2)


@LAW
@given(documents(), documents())
def test_the_hunks_lead_from_the_old_text_to_the_new(old, new):
    before, after = ([bare(line) for line in split(text)] for text in (old, new))
    built, at = [], 0
    for hunk in diff(old, new, context=1):
        for line in hunk.lines:
            if line.old_number is not None:
                assert before[line.old_number - 1] == line.text
            if line.new_number is not None:
                assert after[line.new_number - 1] == line.text
            if line.kind == "insert":
                built.append(line.text)
                continue
            built += before[at : line.old_number - 1]
            at = line.old_number
            if line.kind == "context":
                built.append(line.text)
        assert sum(line.kind != "insert" for line in hunk.lines) == hunk.old_lines
        assert sum(line.kind != "delete" for line in hunk.lines) == hunk.new_lines
    assert built + before[at:] == after


@LAW
@given(documents(), documents())
def test_stat_counts_the_lines_that_the_diff_shows(old, new):
    kinds = [line.kind for hunk in diff(old, new) for line in hunk.lines]
    assert stat(old, new) == (kinds.count("insert"), kinds.count("delete"))


def test_no_more_lines_are_shown_than_asked_for_and_all_are_counted():
    new = "".join(f"row {n}\n" for n in range(1, 11))
    found = compare(TEN, new, most=5)
    assert [len(hunk.lines) for hunk in found.hunks] == [5]
    assert (found.added, found.removed, found.truncated) == (10, 10, True)
    assert compare(TEN, new, most=20).truncated is False
    assert compare(TEN, new, most=20).hunks == diff(TEN, new)


def test_hunks_after_the_last_line_shown_are_left_out():
    new = TEN.replace("line 1\n", "").replace("line 10\n", "line X\n")
    found = compare(TEN, new, context=0, most=1)
    assert [marks(hunk) for hunk in found.hunks] == [["-line 1"]]
    assert found.truncated
