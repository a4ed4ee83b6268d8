"""The numbers of ordered lists, which say nothing but the order."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from workspace.merge.blocks import Block, marker

type Counts = dict[str, int]
"""By indent, the last number of each list that stands open."""


def counts_on(blocks: Iterable[Block]) -> bool:
    """Whether the ordered items among `blocks` count: in a list where each is `1.` nobody wants numbers."""
    numbers = [(block.indent, _number(block.bullet)) for block in blocks if block.ordered]
    return not any(one == other for one, other in pairwise(numbers))


def open_lists(blocks: Sequence[Block]) -> Counts:
    """The lists that `blocks`, the items right above, leave open."""
    counts: Counts = {}
    for block in blocks:
        counts = {indent: number for indent, number in counts.items() if len(indent) < len(block.indent)}
        if block.ordered:
            counts[block.indent] = _number(block.bullet)
    return counts


def renumbered(lines: Sequence[str], counts: Counts) -> list[str]:
    """`lines` with their ordered items counted on, where a number is off by what was put in or taken out above."""
    made: list[str] = []
    for line in lines:
        found = marker(line)
        if found is None:
            if line.strip():
                depth = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
                counts = {indent: number for indent, number in counts.items() if len(indent) < depth}
            made.append(line)
            continue
        indent = found["indent"].expandtabs(4)
        counts = {other: number for other, number in counts.items() if len(other) <= len(indent)}
        if found["bullet"][0].isdigit():
            number = counts[indent] + 1 if indent in counts else _number(found["bullet"])
            counts[indent] = number
            bullet = re.sub(r"\d+", str(number), found["bullet"])
            line = line[: found.start("bullet")] + bullet + line[found.end("bullet") :]
        else:
            counts.pop(indent, None)
        made.append(line)
    return made


def _number(bullet: str) -> int:
    return int(bullet[:-1])
