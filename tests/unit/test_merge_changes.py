"""Which lines count as changed."""

from workspace.merge.myers import Change, changes


def test_equal_lines_have_no_changes():
    assert changes(["a", "b"], ["a", "b"]) == []


def test_an_insertion_and_a_deletion_have_one_empty_side():
    assert changes(["a", "b"], ["a", "x", "b"]) == [Change(1, 1, 1, 2)]
    assert changes(["a", "x", "b"], ["a", "b"]) == [Change(1, 2, 1, 1)]


def test_an_inserted_block_slides_down_as_far_as_it_goes():
    assert changes(["a", "", "b"], ["a", "", "x", "", "b"]) == [Change(2, 2, 2, 4)]


def test_a_deletion_stays_where_it_faces_an_insertion():
    assert changes(["b", "b"], ["a", "b"]) == [Change(0, 1, 0, 1)]
    assert changes(["a", "a"], ["b", "a", "b"]) == [Change(0, 0, 0, 1), Change(1, 2, 2, 3)]


def test_blocks_that_meet_while_sliding_become_one():
    assert changes(["x", "a", "a", "y"], ["x", "a", "a", "a", "a", "y"]) == [Change(3, 3, 3, 5)]


def test_a_lone_blank_line_does_not_tear_a_rewritten_stretch_apart():
    old = ["o1", "o2", "o3", "o4", "", "o5", "o6", "o7", "o8"]
    new = ["n1", "", "n2", "", "n3", "", "n4", "", "n5"]
    assert changes(old, new) == [Change(0, 9, 0, 9)]


def test_a_search_without_time_still_gives_changes_that_lead_to_the_new_lines():
    old, new = [str(n % 7) for n in range(400)], [str(n % 5) for n in range(400)]
    built, at = [], 0
    for change in changes(old, new, work=0):
        built += old[at : change.old_start] + new[change.new_start : change.new_end]
        at = change.old_end
    assert built + old[at:] == new
