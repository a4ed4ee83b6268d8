"""Whether a side already has, line by line, all that the other changed."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final

from workspace.merge.blocks import Block
from workspace.merge.sides import Place
from workspace.merge.telling import tells

_NUMBER: Final = re.compile(r"(?<![^\s>])\d{1,9}(?=[.)][ \t])")
"""The number of an item at the start of its line."""


def includes(place: Place, side: int) -> bool:
    """Whether the head (0) or the incoming text (1) has all that the other side changed in a place.

    It took out all lines that the other side took out, and has what that added in its order among the lines that both
    kept; the numbers of ordered lists do not count. A block that the other side took out it may not have reworded,
    and none was moved.
    """
    texts = [text.lines.keys for text in (place.sides.base, place.sides.head, place.sides.incoming)]
    base, *both = (keys[span] for keys, span in zip(texts, place.region[1:], strict=True))
    large, small = both[side], both[1 - side]
    return (
        _in_order(base, large, small)
        and all(
            _alike(block, place.version(index, side), place.version(index, 1 - side))
            and place.elsewhere(index, 0) is None
            and place.elsewhere(index, 1) is None
            for index, block in enumerate(place.base)
        )
        and tells("\n".join(large), "\n".join(base), "\n".join(small))
    )


def _alike(base: Block, large: Block | None, small: Block | None) -> bool:
    """Whether a side that has all that another changed may have made `large` of a block that became `small` there."""
    if small is None or large is None:
        return large is None and (small is None or small.key == base.key)
    return small.key in (base.key, large.key)


def _in_order(base: Sequence[str], large: Sequence[str], small: Sequence[str]) -> bool:
    base, large, small = (list(map(_unnumbered, lines)) for lines in (base, large, small))
    before, much, few = Counter(base), Counter(large), Counter(small)
    if any(much[line] > few[line] for line in before if few[line] < before[line]):
        return False
    at_of: dict[str, list[int]] = {}
    for at, line in enumerate(large):
        at_of.setdefault(line, []).append(at)
    gone = before - much
    at = 0
    for line in small:
        there = at_of.get(line, ())
        found = bisect_left(there, at)
        if found < len(there):
            at = there[found] + 1
        elif gone[line]:
            gone[line] -= 1
        else:
            return False
    return True


def _unnumbered(line: str) -> str:
    if "." not in line and ")" not in line:
        return line
    stripped = line.lstrip(" \t>")
    if not stripped[:1].isdigit():
        return line
    return line[: len(line) - len(stripped)] + _NUMBER.sub("0", stripped, count=1) if _NUMBER.match(stripped) else line
