"""Which changes between two texts change no word: lines broken anew, another bullet, other padding of a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from workspace.merge.blocks import blocks
from workspace.merge.myers import Change

_MOST: Final = 400
"""Lines of one stretch up to which it is looked at; a longer one is taken to change words."""


def only_formatting(before: Sequence[str], after: Sequence[str], found: Sequence[Change]) -> list[bool]:
    """For each of the changes whether the paragraphs that it is in say what they said, formatting aside.

    Where the form is the meaning (code, front matter, a hard break) every change counts.
    """
    if not found:
        return []
    old_form, new_form = _formed(before), _formed(after)
    flags: list[bool] = []
    for group, old, new in _stretches(before, len(after), found):
        small = len(old) + len(new) <= _MOST
        free = small and not any(old_form[old.start : old.stop]) and not any(new_form[new.start : new.stop])
        same = free and _said(before[old.start : old.stop]) == _said(after[new.start : new.stop])
        flags += [same] * len(group)
    return flags


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


def _said(lines: Sequence[str]) -> list[tuple[str, str]]:
    return [(block.kind, block.key) for block in blocks(lines) if block.kind != "blank"]
