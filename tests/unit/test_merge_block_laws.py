"""What holds for every merge by blocks, whatever the texts: nothing that was written is lost or made up."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.pages import (
    BLOCKS,
    REWORDED,
    THREE,
    additions,
    blocks,
    inner,
    joined,
    lines,
    lists,
    pages,
    parted,
    running,
    said,
)
from tests.unit.texts import LAW, documents
from workspace.merge import LINES, Agreed, merge, merge_text, resolve
from workspace.merge.likeness import words
from workspace.merge.lines import split
from workspace.merge.links import targets
from workspace.merge.telling import statements

ANY = st.one_of(documents(), blocks().map(joined), st.text())
TWO_HEADINGS = ("## T\n## T\na\n", "a\n", "## T\nend")


@LAW
@given(ANY, ANY)
def test_a_change_of_one_side_alone_is_the_result(base, changed):
    assert merge_text(base, base, changed) == changed
    assert merge_text(base, changed, base) == changed
    assert merge_text(base, changed, changed) == changed
    assert merge_text(base, base, base) == base


@LAW
@given(pages())
def test_a_change_of_one_side_alone_is_the_result_in_a_page(texts):
    base, changed, _ = texts
    assert merge_text(base, base, changed) == changed
    assert merge_text(base, changed, base) == changed
    assert merge_text(base, changed, changed) == changed


@LAW
@given(st.lists(st.tuples(st.text(), st.sampled_from(["\n", "\r\n", "\r"])), min_size=5, max_size=9), st.booleans())
def test_lines_that_neither_side_touched_come_through_byte_for_byte(parts, final):
    middle = [text.translate({10: None, 13: None}) + end for text, end in parts]
    last = "last" + ("\n" if final else "")
    base = "".join(["first\n", *middle, last])
    # The ending of the first line is mixed with others, or is the one that all have: it never changes.
    merged = merge_text(base, "F" + base[1:], base[: -len(last)] + "L" + last[1:])
    assert merged is not None
    assert merged.encode() == ("".join(["First\n", *middle, "L" + last[1:]])).encode()


@LAW
@given(THREE)
@example(("# Log\n- a\n- [ ] Ann reads.\n", "# Log\n- a\n", "# Log\n- a\n- [x] Ann reads.\n"))
def test_no_word_that_a_side_added_is_lost(texts):
    base, head, incoming = texts
    seen = said(merge(base, head, incoming).preview)
    for side in (head, incoming):
        assert set(said(side) - said(base)) <= set(seen)


@LAW
@given(THREE)
def test_no_line_that_both_sides_kept_is_lost(texts):
    base, head, incoming = texts
    # Sentences of a paragraph can come to stand beside others in their line.
    seen = " ".join(lines(merge(base, head, incoming).preview))
    # Of a line that stands there twice each side may take out another one.
    once = {line for line, count in Counter(lines(base)).items() if count == 1}
    assert all(line in seen for line in once & set(lines(head)) & set(lines(incoming)))


@LAW
@given(THREE)
def test_nothing_is_made_up(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is not None:
        assert said(merged) <= said(head) + said(incoming) + said(base)


@LAW
@given(THREE)
@example(("Use a pump.\n", "Use the pump.\n", "Use the pump by day.\n"))
@example(("It must go.\n", "It must stop.\n", "It must not stop.\n"))
@example(("See [x](a).\n", "See [x](b).\n", "Look at [x](a).\n"))
@example(("# Log\n- a\n\nIt is left of the job at night.\n", "# Log\n- a\n", "# Log\n- a\n\nIt is left at night.\n"))
def test_every_sentence_that_a_side_added_is_in_the_result_or_in_a_hunk(texts):
    base, head, incoming = texts
    merged = merge(base, head, incoming)
    for side, choice in ((head, "theirs"), (incoming, "mine")):
        resolved = resolve(merged, [choice] * len(merged.hunks))
        told, before = running(resolved), running(base)
        # A longer sentence tells one that it begins, ends or goes on with; where a link leads is told apart.
        assert all(inner(one) in told or inner(one) in before for one in statements(side))
        assert set(targets(side)) <= {*targets(base), *targets(resolved)}


@LAW
@given(THREE)
@example(TWO_HEADINGS)
def test_swapping_the_sides_swaps_the_labels_and_the_order_of_what_was_put_in(texts):
    base, head, incoming = texts
    one, other = merge(base, head, incoming), merge(base, incoming, head)
    assert [hunk.mirrored for hunk in one.hunks] == list(other.hunks)
    # Numbers follow the order.
    rules = [
        [decision.rule for decision in merged.decisions if decision.rule != "renumbered"] for merged in (one, other)
    ]
    assert rules[0] == rules[1]
    assert [isinstance(chunk, Agreed) for chunk in one.chunks] == [isinstance(chunk, Agreed) for chunk in other.chunks]
    for first, second in zip(one.chunks, other.chunks, strict=True):
        if isinstance(first, Agreed) and isinstance(second, Agreed):
            assert Counter(lines(first.text)) == Counter(lines(second.text))
            if not {"union", "sections", "same", "renumbered"} & {decision.rule for decision in one.decisions}:
                assert first.text == second.text


@LAW
@given(THREE)
def test_a_clean_merge_applied_again_changes_nothing(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is None:
        return
    assert merge_text(base, merged, merged) == merged
    for side in (head, incoming):
        assert merge_text(side, merged, side) == merge_text(side, side, merged) == merged


@LAW
@given(lists())
def test_entries_that_are_merged_once_more_stay_as_they_are(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is not None:
        for one, other in ((merged, incoming), (head, merged)):
            again = merge_text(base, one, other)
            assert again is None or Counter(lines(again)) == Counter(lines(merged))


@LAW
@given(additions())
def test_what_was_merged_and_is_merged_once_more_stays_as_it_is(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    if merged is None:
        return
    for again in ((base, merged, incoming), (base, head, merged)):
        # What a merge by lines agrees on is git's to say.
        assert merge_text(*again) == merged or merge(*again, version=LINES).text is not None


@pytest.mark.parametrize(
    "texts",
    [
        ("\n", "", "\n- x\n"),
        ("# Log\n\n- a\n", "# Log\n\n- a\n- b\n", "# Log\n\n- a\n- c\n"),
        ("One. Two. Three.\n", "One, two. Two. Three.\n", "One. Two. Three, four.\n"),
    ],
)
def test_merging_a_side_once_more_leaves_what_was_merged(texts):
    base, head, incoming = texts
    merged = merge_text(base, head, incoming)
    assert merged is not None
    assert merge_text(base, merged, incoming) == merge_text(base, head, merged) == merged


@LAW
@given(parted(), st.data())
def test_all_mine_is_mine_where_nothing_else_changed(parts, data):
    base, _, mine = parts
    if not base:
        return
    # A blank line belongs to what is above it, which would be changed as well.
    at = data.draw(st.integers(0, len(base) - 1))
    other = data.draw(
        st.one_of(
            BLOCKS.filter(lambda block: block.strip() and "\n" not in block),
            REWORDED.map(lambda pair: base[at].replace(*pair)),
        )
    )
    head = [*base[:at], other, *base[at + 1 :]]
    texts = ["\n".join(part + "\n" for part in side) for side in (base, head, mine)]
    merged = merge(*texts)
    if merged.hunks:
        assert resolve(merged, ["mine"] * len(merged.hunks)) == texts[2]
    # And where the head changed one other block besides, far from all that is in dispute, that stays.
    above = "# Above\n\nIt {} here.\n\n" + "Between.\n\n" * 4
    merged = merge(above.format("is") + texts[0], above.format("was") + texts[1], above.format("is") + texts[2])
    if merged.hunks:
        assert resolve(merged, ["mine"] * len(merged.hunks)) == above.format("was") + texts[2]


@LAW
@given(THREE)
def test_hunks_name_the_lines_that_they_quote(texts):
    base, head, incoming = texts
    if "\r" in base + head + incoming:
        return
    for hunk in merge(base, head, incoming).hunks:
        for text, part, span in (
            (base, hunk.base, hunk.base_lines),
            (head, hunk.theirs, hunk.theirs_lines),
            (incoming, hunk.mine, hunk.mine_lines),
        ):
            quoted = "".join(split(text)[span[0] - 1 : span[1]]) if span else ""
            assert part == quoted


@LAW
@given(THREE)
def test_a_merge_is_clean_or_has_hunks_and_each_choice_gives_a_text(texts):
    merged = merge(*texts)
    assert (merged.text is None) == bool(merged.hunks)
    for choice in ("mine", "theirs", "both", "base"):
        resolved = resolve(merged, [choice] * len(merged.hunks))
        agreed = "".join(chunk.text for chunk in merged.chunks if isinstance(chunk, Agreed))
        assert set(words(agreed)) <= set(words(resolved))


@LAW
@given(THREE)
def test_the_same_three_texts_always_merge_alike(texts):
    assert merge(*texts) == merge(*texts)
