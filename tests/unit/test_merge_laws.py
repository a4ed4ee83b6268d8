"""What holds for every merge by lines, whatever the texts; test_merge_block_laws.py asks it of merges by blocks."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW, counted, documents, three
from workspace.merge import LINES, Agreed, resolve
from workspace.merge import merge as merge_versions
from workspace.merge.lines import split
from workspace.merge.myers import changes

merge = partial(merge_versions, version=LINES)
ANY_THREE = st.one_of(three(), st.tuples(documents(), documents(), documents()))


def merge_text(base, head, incoming):
    return merge(base, head, incoming).text


@LAW
@given(documents(), documents())
def test_a_change_of_one_side_alone_is_the_result(base, changed):
    assert merge_text(base, base, changed) == changed
    assert merge_text(base, changed, base) == changed


@LAW
@given(documents(), documents())
def test_the_same_change_on_both_sides_is_the_result(base, changed):
    assert merge_text(base, changed, changed) == changed


@LAW
@given(ANY_THREE)
def test_every_line_that_a_side_added_is_in_the_result_or_in_a_hunk(texts):
    base, head, incoming = texts
    seen = counted(merge(base, head, incoming).preview)
    assert counted(head) - counted(base) <= seen
    assert counted(incoming) - counted(base) <= seen


@LAW
@given(ANY_THREE)
def test_no_line_of_a_clean_result_is_invented(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is not None:
        assert counted(merged).keys() <= (counted(base) | counted(head) | counted(incoming)).keys()


@LAW
@given(three())
def test_swapping_the_sides_swaps_the_labels_and_nothing_else(texts):
    base, head, incoming = texts
    one, other = merge(base, head, incoming), merge(base, incoming, head)
    assert one.text == other.text
    assert [(h.kind, h.heading, h.base, h.base_lines) for h in one.hunks] == [
        (h.kind, h.heading, h.base, h.base_lines) for h in other.hunks
    ]
    assert [(h.mine, h.theirs, h.mine_lines, h.theirs_lines) for h in one.hunks] == [
        (h.theirs, h.mine, h.theirs_lines, h.mine_lines) for h in other.hunks
    ]
    assert [c.text for c in one.chunks if isinstance(c, Agreed)] == [
        c.text for c in other.chunks if isinstance(c, Agreed)
    ]


@LAW
@given(ANY_THREE)
def test_resolving_for_one_side_keeps_all_that_the_side_added(texts):
    base, head, incoming = texts
    merged = merge(base, head, incoming)
    n = len(merged.hunks)
    assert counted(incoming) - counted(base) <= counted(resolve(merged, ["mine"] * n))
    assert counted(head) - counted(base) <= counted(resolve(merged, ["theirs"] * n))
    both = counted(resolve(merged, ["both"] * n))
    assert counted(incoming) - counted(base) <= both
    assert counted(head) - counted(base) <= both


@LAW
@given(three())
def test_hunks_name_the_lines_that_they_quote(texts):
    base, head, incoming = texts
    for hunk in merge(base, head, incoming).hunks:
        for text, part, lines in (
            (base, hunk.base, hunk.base_lines),
            (head, hunk.theirs, hunk.theirs_lines),
            (incoming, hunk.mine, hunk.mine_lines),
        ):
            quoted = "".join(split(text)[lines[0] - 1 : lines[1]]) if lines else ""
            assert part == quoted


@LAW
@given(ANY_THREE)
def test_a_clean_merge_has_no_hunks_and_previews_as_it_is(texts):
    merged = merge(*texts)
    assert (merged.text is None) == bool(merged.hunks)
    if merged.text is not None:
        assert merged.preview == merged.text == resolve(merged, [])


@LAW
@given(ANY_THREE)
def test_the_merged_text_merges_cleanly_with_both_sides(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is not None:
        assert merge_text(head, head, merged) == merged
        assert merge_text(incoming, merged, incoming) == merged


@LAW
@given(st.text())
def test_lines_make_up_the_text_again(text):
    assert "".join(split(text)) == text


@LAW
@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=40))
def test_changes_lead_from_the_old_lines_to_the_new(old, new):
    at, built, end = 0, [], -1
    for change in changes(old, new):
        assert change.old_start > end, "changes must not touch"
        assert old[at : change.old_start] == new[len(built) : change.new_start]
        built += old[at : change.old_start]
        assert len(built) == change.new_start
        built += new[change.new_start : change.new_end]
        at = end = change.old_end
    assert built + old[at:] == new
