"""Who brought in which line."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.merge.blame import Run, Version, blame


def linear(*texts: str) -> list[Version]:
    return [Version(id=f"v{n}", text=text, parents=(f"v{n - 1}",) if n else ()) for n, text in enumerate(texts)]


def test_a_text_with_one_version_is_all_its_own():
    assert blame(linear("a\nb\n")) == (Run(1, 2, "v0"),)


def test_an_empty_text_has_no_runs():
    assert blame(linear("")) == ()
    assert blame([]) == ()


def test_a_line_belongs_to_the_version_that_last_wrote_it():
    assert blame(linear("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\nd\n")) == (
        Run(1, 1, "v0"),
        Run(2, 2, "v1"),
        Run(3, 3, "v0"),
        Run(4, 4, "v2"),
    )


def test_lines_keep_their_version_when_others_are_put_above():
    assert blame(linear("a\nb\n", "x\ny\na\nb\n")) == (Run(1, 2, "v1"), Run(3, 4, "v0"))


def test_a_line_that_was_removed_and_came_back_belongs_to_the_version_that_brought_it_back():
    assert blame(linear("a\nb\n", "a\n", "a\nb\n"))[-1] == Run(2, 2, "v2")


def test_a_change_of_line_endings_takes_no_line_over():
    assert blame(linear("a\nb", "a\r\nb\r\n")) == (Run(1, 2, "v0"),)


def test_a_merge_leaves_each_line_to_the_side_that_wrote_it():
    versions = [
        Version(id="alice", text="a\n\nb\n"),
        Version(id="bob", text="a by bob\n\nb\n", parents=("alice",)),
        Version(id="scout", text="a\n\nb by scout\n", parents=("alice",)),
        Version(id="merge", text="a by bob\n\nb by scout\n", parents=("bob", "scout")),
    ]
    assert blame(versions) == (Run(1, 1, "bob"), Run(2, 2, "alice"), Run(3, 3, "scout"))


def test_a_merge_owns_only_the_lines_that_no_parent_has():
    versions = [
        Version(id="alice", text="a\n"),
        Version(id="bob", text="b\n", parents=("alice",)),
        Version(id="scout", text="s\n", parents=("alice",)),
        Version(id="merge", text="b\nresolved\ns\n", parents=("bob", "scout")),
    ]
    assert blame(versions) == (Run(1, 1, "bob"), Run(2, 2, "merge"), Run(3, 3, "scout"))


def test_merges_of_merges_lead_to_the_first_writer():
    versions = [
        Version(id="root", text="r\n"),
        Version(id="one", text="r\none\n", parents=("root",)),
        Version(id="two", text="two\nr\n", parents=("root",)),
        Version(id="m1", text="two\nr\none\n", parents=("one", "two")),
        Version(id="three", text="two\nr\n\nthree\n", parents=("two",)),
        Version(id="m2", text="two\nr\none\n\nthree\n", parents=("m1", "three")),
    ]
    assert blame(versions) == (
        Run(1, 1, "two"),
        Run(2, 2, "root"),
        Run(3, 3, "one"),
        Run(4, 5, "three"),
    )


def test_a_line_that_both_parents_wrote_belongs_to_the_writer_in_the_first():
    versions = [
        Version(id="root", text="r\n"),
        Version(id="bob", text="r\nsame\n", parents=("root",)),
        Version(id="scout", text="r\nsame\n", parents=("root",)),
        Version(id="merge", text="r\nsame\n", parents=("bob", "scout")),
    ]
    assert blame(versions) == (Run(1, 1, "root"), Run(2, 2, "bob"))


def test_a_parent_that_is_not_given_leaves_its_lines_to_the_child():
    assert blame([Version(id="v7", text="a\nb\n", parents=("v6",))]) == (Run(1, 2, "v7"),)


def test_versions_beside_the_last_one_have_no_say():
    versions = [
        Version(id="alice", text="a\n"),
        Version(id="draft", text="a\nx\n", parents=("alice",)),
        Version(id="bob", text="a\nx\n", parents=("alice",)),
    ]
    assert blame(versions) == (Run(1, 1, "alice"), Run(2, 2, "bob"))


def test_with_their_uses_versions_are_read_one_by_one():
    read: list[str] = []

    def versions():
        for version in linear(*(f"{n}\n" for n in range(50))):
            read.append(version.id)
            yield version
            assert len(read) - read.index(version.id) == 1

    uses = {f"v{n}": 1 for n in range(49)}
    assert blame(versions(), uses) == (Run(1, 1, "v49"),)


@LAW
@given(st.data())
def test_lines_that_never_repeat_belong_to_the_version_that_first_had_them(data):
    lines, first, history = [], {}, []
    for n in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(lines)))
        gone = data.draw(st.integers(0, 2))
        added = [f"{n}.{k}" for k in range(data.draw(st.integers(0, 3)))]
        lines = [*lines[:at], *added, *lines[at + gone :]]
        first |= dict.fromkeys(added, f"v{n}")
        history.append("".join(line + "\n" for line in lines))
    runs = blame(linear(*history))
    assert [run.id for run in runs for _ in range(run.start_line, run.end_line + 1)] == [first[x] for x in lines]
    assert all(before.end_line + 1 == after.start_line for before, after in pairwise(runs))
    assert all(before.id != after.id for before, after in pairwise(runs))
