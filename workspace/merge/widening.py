"""Disputed regions drawn along the borders of blocks, so that no block is judged by a part of it."""

from collections import deque
from collections.abc import Iterable, Sequence

from workspace.merge.blocks import Block
from workspace.merge.regions import Region, Verdict


def widened(found: Iterable[Region], sides: Sequence[Sequence[Block]]) -> list[Region]:
    """The same regions, the disputed ones widened to whole blocks of the base, the head and the incoming text.

    What they take from their neighbours is unchanged, or was changed by one side alone. Disputes that meet become
    one.
    """
    edges = [{edge for block in blocks for edge in (block.start, block.stop)} | {0} for blocks in sides]
    done: list[Region] = []
    waiting = deque(found)
    while waiting:
        region = waiting.popleft()
        if region.verdict is Verdict.DISPUTED:
            region = _down(_up(region, done, edges), waiting, edges)
            while done and done[-1].verdict is Verdict.DISPUTED:
                region = _both(done.pop(), region)
        done.append(region)
    return done


def _up(region: Region, above: list[Region], edges: Sequence[set[int]]) -> Region:
    while above and not all(span.start in edge for span, edge in zip(region[1:], edges, strict=True)):
        near = above.pop()
        if near.verdict is Verdict.UNCHANGED and near.base.stop - near.base.start > 1:
            above.append(Region(near.verdict, *(slice(span.start, span.stop - 1) for span in near[1:])))
            near = Region(near.verdict, *(slice(span.stop - 1, span.stop) for span in near[1:]))
        region = _both(near, region)
    return region


def _down(region: Region, below: deque[Region], edges: Sequence[set[int]]) -> Region:
    while below and not all(span.stop in edge for span, edge in zip(region[1:], edges, strict=True)):
        near = below.popleft()
        if near.verdict is Verdict.UNCHANGED and near.base.stop - near.base.start > 1:
            below.appendleft(Region(near.verdict, *(slice(span.start + 1, span.stop) for span in near[1:])))
            near = Region(near.verdict, *(slice(span.start, span.start + 1) for span in near[1:]))
        region = _both(region, near)
    return region


def _both(first: Region, second: Region) -> Region:
    spans = (slice(one.start, other.stop) for one, other in zip(first[1:], second[1:], strict=True))
    return Region(Verdict.DISPUTED, *spans)
