"""Where two sides changed a base, and where their changes touch: the classic diff3.

Changes that overlap or touch, with not one unchanged line between them, belong to one region. A region
that one side alone changed is that side's; one that both changed to the same is agreed; any other is
disputed.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from workspace.merge.myers import Change, changes

_NEAR: Final = 3
"""Unchanged lines."""


class Verdict(Enum):
    UNCHANGED = auto()
    HEAD = auto()
    """Only the head changed it."""
    INCOMING = auto()
    """Only the incoming text changed it."""
    ALIKE = auto()
    """Both changed it to the same."""
    DISPUTED = auto()


class Region(NamedTuple):
    """Line ranges that stand for one another, as slices counted from 0."""

    verdict: Verdict
    base: slice
    head: slice
    incoming: slice


def regions(base: Sequence[str], head: Sequence[str], incoming: Sequence[str]) -> Iterator[Region]:
    """Regions in order; each of the three texts is covered exactly once."""
    base_at = head_at = incoming_at = 0
    for by_head, by_incoming in _touching(changes(base, head), changes(base, incoming)):
        start = min(change.old_start for change in (*by_head[:1], *by_incoming[:1]))
        end = max(change.old_end for change in (*by_head[-1:], *by_incoming[-1:]))
        same = start - base_at
        if same:
            yield Region(
                Verdict.UNCHANGED,
                slice(base_at, start),
                slice(head_at, head_at + same),
                slice(incoming_at, incoming_at + same),
            )
        head_start, incoming_start = head_at + same, incoming_at + same
        base_at, head_at, incoming_at = (
            end,
            head_start + end - start + _growth(by_head),
            incoming_start + end - start + _growth(by_incoming),
        )
        here = slice(start, end), slice(head_start, head_at), slice(incoming_start, incoming_at)
        if not by_incoming:
            verdict = Verdict.HEAD
        elif not by_head:
            verdict = Verdict.INCOMING
        elif head[here[1]] == incoming[here[2]]:
            verdict = Verdict.ALIKE
        else:
            verdict = Verdict.DISPUTED
        yield Region(verdict, *here)
    if base_at < len(base):
        yield Region(
            Verdict.UNCHANGED,
            slice(base_at, len(base)),
            slice(head_at, len(head)),
            slice(incoming_at, len(incoming)),
        )


def nearby(found: Sequence[Region]) -> list[Region]:
    """The same regions, where disputes that are not more than `_NEAR` unchanged lines apart are one."""
    near: list[Region] = []
    for region in found:
        if region.verdict is Verdict.DISPUTED and (joined := _with_before(near, region)):
            del near[-2:]
            region = joined
        near.append(region)
    return near


def _with_before(near: Sequence[Region], region: Region) -> Region | None:
    """The dispute that `region` is together with the one shortly before it."""
    if len(near) < 2 or near[-2].verdict is not Verdict.DISPUTED or near[-1].verdict is not Verdict.UNCHANGED:
        return None
    first, between = near[-2], near[-1]
    if between.base.stop - between.base.start > _NEAR:
        return None
    return Region(
        Verdict.DISPUTED,
        slice(first.base.start, region.base.stop),
        slice(first.head.start, region.head.stop),
        slice(first.incoming.start, region.incoming.stop),
    )


def _touching(by_head: list[Change], by_incoming: list[Change]) -> Iterator[tuple[list[Change], list[Change]]]:
    """The changes of both sides in clusters that overlap or touch in the base."""
    cluster: tuple[list[Change], list[Change]] = ([], [])
    end = -1
    tagged = [(change, 0) for change in by_head] + [(change, 1) for change in by_incoming]
    for change, side in sorted(tagged):
        if change.old_start > end >= 0:
            yield cluster
            cluster = ([], [])
        cluster[side].append(change)
        end = max(end, change.old_end)
    if end >= 0:
        yield cluster


def _growth(side: Sequence[Change]) -> int:
    """Lines added less lines removed."""
    return sum((c.new_end - c.new_start) - (c.old_end - c.old_start) for c in side)
