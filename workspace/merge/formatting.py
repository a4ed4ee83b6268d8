"""Which changes between two texts change no word: lines broken anew, another bullet, other padding of a table."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from workspace.merge.blocks import Block, blocks
from workspace.merge.myers import Change, changes

_DASHES: Final = re.compile("-+")
_MOST: Final = 1_000
"""Lines of one stretch up to which it is looked at; a longer one is taken to change words."""
_WORK: Final = 100_000
"""Steps of search for the blocks of one stretch."""


def divided(before: Sequence[str], after: Sequence[str], found: Sequence[Change]) -> list[tuple[Change, bool]]:
    """The changes in order, each with whether the parts of the text that it is in say what they said, formatting
    aside. One that changes words in some of these parts and the formatting of others is cut into several.

    Where the form is the meaning (code, front matter, a hard break) every change counts.
    """
    if not found:
        return []
    old_form, new_form = _formed(before), _formed(after)
    pieces: list[tuple[Change, bool]] = []
    for group, old, new in _stretches(before, len(after), found):
        small = len(old) + len(new) <= _MOST
        if not small or any(old_form[old.start : old.stop]) or any(new_form[new.start : new.stop]):
            pieces += [(change, False) for change in group]
            continue
        old_of, new_of = _same(before[old.start : old.stop], after[new.start : new.stop])
        for change in group:
            cut = _cut(
                change,
                old_of[change.old_start - old.start : change.old_end - old.start],
                new_of[change.new_start - new.start : change.new_end - new.start],
            )
            pieces += _joined(list(cut), before, after)
    return pieces


def _same(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """For each line the number of the block that it is in, counted from 1 over those that both sides have in one
    order; 0 where only its own side has that."""
    old, new = _saying(before), _saying(after)
    old_of, new_of = [0] * len(before), [0] * len(after)
    number = at = to = 0
    for change in (*changes(list(map(_said, old)), list(map(_said, new)), work=_WORK), None):
        stop = change.old_start if change else len(old)
        for one, other in zip(old[at:stop], new[to:], strict=False):
            number += 1
            old_of[one.start : one.stop] = [number] * (one.stop - one.start)
            new_of[other.start : other.stop] = [number] * (other.stop - other.start)
        if change:
            at, to = change.old_end, change.new_end
    # Blank lines before the first block are nobody's, and say nothing.
    for lines, blocks_of in ((old_of, old), (new_of, new)):
        first = blocks_of[0].start if blocks_of else len(lines)
        lines[:first] = [1] * first
    return old_of, new_of


def _saying(lines: Sequence[str]) -> list[Block]:
    return [block for block in blocks(lines) if block.kind != "blank"]


def _said(block: Block) -> str:
    # The line under a table's head is as wide as its cells; its colons align them.
    key = _DASHES.sub("-", block.key) if block.kind == "row" and not block.key.strip("|-: ") else block.key
    return f"{block.kind} {key}"


def _cut(change: Change, old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[Change, bool]]:
    """The change in pieces, by the blocks that its lines are in on either side."""
    at = to = 0
    while at < len(old) or to < len(new):
        begun, came = at, to
        same = all(lines[place] for lines, place in ((old, at), (new, to)) if place < len(lines))
        while same and (number := min((*old[at : at + 1], *new[to : to + 1]), default=0)):
            at, to = _past(old, at, number), _past(new, to, number)
        if not same:
            at, to = _past(old, at, 0), _past(new, to, 0)
        yield (
            Change(change.old_start + begun, change.old_start + at, change.new_start + came, change.new_start + to),
            same,
        )


def _joined(
    pieces: Sequence[tuple[Change, bool]], before: Sequence[str], after: Sequence[str]
) -> list[tuple[Change, bool]]:
    """The pieces of one change, blank lines beside a change of words put to that."""
    joined: list[tuple[Change, bool]] = []
    for piece, same in pieces:
        lines = (*before[piece.old_start : piece.old_end], *after[piece.new_start : piece.new_end])
        same = same and (len(pieces) == 1 or any(map(str.strip, lines)))
        if joined and joined[-1][1] is same:
            last = joined.pop()[0]
            piece = Change(last.old_start, piece.old_end, last.new_start, piece.new_end)
        joined.append((piece, same))
    return joined


def _past(lines: Sequence[int], at: int, number: int) -> int:
    while at < len(lines) and lines[at] == number:
        at += 1
    return at


def _stretches(
    before: Sequence[str], new_end: int, found: Sequence[Change]
) -> Iterator[tuple[list[Change], range, range]]:
    """Changes with the whole paragraphs that they are in, in either text; those of one paragraph together."""
    group: list[Change] = []
    old_end = len(before)
    low = 0
    for at, change in enumerate(found):
        if not group:
            floor = found[at - 1].old_end if at else 0
            low = change.old_start
            while low > floor and before[low - 1].strip():
                low -= 1
        group.append(change)
        ceiling = found[at + 1].old_start if at + 1 < len(found) else old_end
        high = change.old_end
        while high < ceiling and before[high].strip():
            high += 1
        if high == ceiling and at + 1 < len(found):
            continue
        first, last = group[0], group[-1]
        new = range(first.new_start - (first.old_start - low), min(last.new_end + high - last.old_end, new_end))
        yield group, range(low, high), new
        group = []


def _formed(lines: Sequence[str]) -> bytearray:
    """Marks lines whose form means something."""
    marked = bytearray(len(lines))
    fence = ""
    matter = bool(lines) and lines[0].rstrip() == "---"
    blank = True
    for at, line in enumerate(lines):
        bare = line.lstrip(" >\t")
        if matter:
            marked[at] = 1
            matter = at == 0 or line.rstrip() != "---"
        elif fence:
            marked[at] = 1
            if bare.startswith(fence) and not bare.strip(fence[0]).strip():
                fence = ""
        elif bare.startswith(("```", "~~~")):
            marked[at] = 1
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif line.endswith(("  ", "\\")) or (blank and line.startswith(("    ", "\t"))):
            marked[at] = bool(bare)
        blank = not bare
    return marked
