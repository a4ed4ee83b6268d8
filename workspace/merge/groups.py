"""Groups of changed lines, and sliding them to where a reader expects them.

A group is a run of changed lines on one side of a comparison. Unchanged lines are the same on both sides,
so the number of unchanged lines before a group, its *gap*, says where it stands on either side: groups
with equal gaps face each other. A group whose first line equals the line after it can move down by one
line without changing what the comparison says, and likewise up. Git slides every group as far down as it
goes, or to the last place where it faces a change of the other side; which lines count as changed decides
which edits touch, so a merge that should agree with git slides alike.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Group:
    gap: int
    start: int
    end: int


def collect(changed: bytearray) -> list[Group]:
    """The runs of non-zero bytes."""
    groups: list[Group] = []
    total = 0
    start = changed.find(1)
    while start >= 0:
        end = changed.find(0, start)
        if end < 0:
            end = len(changed)
        groups.append(Group(start - total, start, end))
        total += end - start
        start = changed.find(1, end)
    return groups


def slide(lines: Sequence[str], groups: Sequence[Group], facing: Container[int]) -> list[Group]:
    """`groups` of `lines` after sliding; `facing` holds the gaps where the other side has a group.

    Groups that meet while sliding become one.
    """
    settled: list[Group] = []
    waiting = list(reversed(groups))
    while waiting:
        group = waiting.pop()
        while True:
            size = group.end - group.start
            _up(lines, group, settled)
            top = group.gap
            faced = _down(lines, group, waiting, facing)
            if group.end - group.start == size:
                break
        if faced is not None and group.gap != top:
            back = group.gap - faced
            group.gap, group.start, group.end = faced, group.start - back, group.end - back
        settled.append(group)
    return settled


def _up(lines: Sequence[str], group: Group, above: list[Group]) -> None:
    """Move `group` up as far as it goes, taking in the groups of `above` that it meets."""
    gap, start, end = group.gap, group.start, group.end
    while start and lines[start - 1] == lines[end - 1]:
        gap, start, end = gap - 1, start - 1, end - 1
        if above and above[-1].gap == gap:
            start = above.pop().start
    group.gap, group.start, group.end = gap, start, end


def _down(lines: Sequence[str], group: Group, below: list[Group], facing: Container[int]) -> int | None:
    """Move `group` down as far as it goes, taking in the groups of `below` that it meets.

    The answer is the last gap, from where it started on, at which it faced a group of the other side.
    """
    gap, start, end = group.gap, group.start, group.end
    faced = gap if gap in facing else None
    last = len(lines)
    while end < last and lines[start] == lines[end]:
        gap, start, end = gap + 1, start + 1, end + 1
        if below and below[-1].gap == gap:
            end = below.pop().end
        if gap in facing:
            faced = gap
    group.gap, group.start, group.end = gap, start, end
    return faced
