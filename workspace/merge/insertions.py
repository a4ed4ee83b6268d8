"""What one side or both put in at one place."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from workspace.merge.blocks import Block
from workspace.merge.blockwise import CONFLICT, Settled
from workspace.merge.hunks import Rule
from workspace.merge.likeness import numbers, words
from workspace.merge.lines import ending
from workspace.merge.sides import Place, Text

_NEAR: Final = 0.8
"""Two entries that are more alike than this are two wordings of one."""
_FEW: Final = 40
_LABEL: Final = re.compile(r"\[[^\]]+\]:")
_ENTRIES: Final = ({"item"}, {"row"})


def settle(place: Place, gap: int, by_head: Sequence[Block], by_incoming: Sequence[Block]) -> Settled:
    """The lines of what was put in before block `gap` of the base."""
    if place.twice and any(block.key in place.twice for block in (*by_head, *by_incoming)):
        return CONFLICT
    head, incoming = place.sides.head, place.sides.incoming
    if not by_incoming:
        return _alone(place, gap, head, by_head, other=1)
    if not by_head:
        return _alone(place, gap, incoming, by_incoming, other=0)
    first, second = [block.key for block in by_head], [block.key for block in by_incoming]
    if first == second or not any(second):
        return _kept(head, by_head), "same"
    if not any(first):
        return _kept(incoming, by_incoming), "same"
    gone = [_gone(place, gap, side) for side in (0, 1)]
    if all(gone):
        return CONFLICT
    if _within(second, first):
        return _kept(head, by_head), "same"
    if _within(first, second):
        return _kept(incoming, by_incoming), "same"
    if any(len(side) == 2 for side in gone):
        return CONFLICT
    rule = _together(by_head, by_incoming)
    if rule is None:
        return CONFLICT
    upper, lower = (head, by_head), (incoming, by_incoming)
    if place.sides.swapped:
        upper, lower = lower, upper
    if rule == "sections" and lower[1][0].kind != "heading":
        # It goes on with the section above, and would be part of the new one below it.
        upper, lower = lower, upper
    later = lower[1] if rule == "sections" else _without(lower[1], upper[1])
    earlier = upper[1] if rule == "sections" else _without(upper[1], lower[1])
    if not _apart(by_head, by_incoming) and _rewording(place, earlier, later):
        return CONFLICT
    if not later or not earlier:
        return _kept(*(lower if later else upper)), "same"
    parted = _parted(*upper, lower[0], lower[1][0], later[0])
    below = _kept(lower[0], later)
    glued = later[0].kind == "heading" and not below[0].lstrip().startswith("#")
    if glued and upper[1][-1].kind in ("paragraph", "item") and parted[-1].strip():
        # A heading by its underline would take the paragraph above for its first lines.
        parted.append(ending(parted[-1]) or ending(below[0]) or "\n")
    return [*parted, *below], rule


def _alone(place: Place, gap: int, text: Text, added: Sequence[Block], *, other: int) -> Settled:
    """What one side put in, where the `other` side may have touched what stands around it.

    With both neighbours gone on the other side it may be part of what was taken out. With one gone, an entry still
    has its place where some of its list or table is left; anything else may have belonged to what is gone.
    """
    around = place.around(gap)
    gone = [index for index in around if place.became[other][index] is None]
    away = [index for index in gone if place.base[index].kind != "blank"]
    if len(away) == 2 and not (_entries(added) and _scattered(place, around, other)):
        return CONFLICT
    if away and not (_still_listed(place, gap, added, other) or (added[0].kind == "heading" and gap - 1 in away)):
        return CONFLICT
    if _other_columns(added, [place.version(index, other) for index in around]):
        return CONFLICT
    if not away and any(_in_code(place, index, other, added) for index in around):
        return CONFLICT
    facing = place.facing(gap, other) if gone else ()
    rest = _without(added, facing)
    if _rewording(place, facing, rest):
        return CONFLICT
    if len(rest) < len(added):
        return _kept(text, rest), "same"
    return _kept(text, added), "beside" if gone else None


def _scattered(place: Place, around: Sequence[int], side: int) -> bool:
    """Whether a side moved both neighbours of a gap, each to a place of its own: then it sorted the list anew."""
    there = [place.elsewhere(index, side) for index in around]
    if len(there) < 2 or there[0] is None or there[1] is None:
        return False
    return there[0].stop != there[1].start


def _still_listed(place: Place, gap: int, added: Sequence[Block], other: int) -> bool:
    """Whether entries that were put in stand beside one of their list or table that the `other` side kept, and below
    none that it took out."""
    if not _entries(added):
        return False
    blocks = place.sides.base.blocks
    at = place.sides.base.index(place.region.base.start)
    kept = [
        index
        for index in (gap - 1, gap)
        if 0 <= at + index < len(blocks)
        and (not 0 <= index < len(place.base) or place.became[other][index] is not None or _moved(place, index, other))
    ]
    if gap - 1 not in kept and gap and len(added[0].indent) > len(place.base[gap - 1].indent):
        return False
    return any(blocks[at + index].kind == added[0].kind for index in kept)


def _moved(place: Place, index: int, side: int) -> bool:
    return place.elsewhere(index, side) is not None


def _other_columns(rows: Sequence[Block], others: Iterable[Block | None]) -> bool:
    """Whether rows were put into a table that has more or fewer columns among the `others`."""
    columns = {one.columns for one in others if one is not None and one.kind == "row"}
    return any(row.kind == "row" and not columns <= {row.columns} for row in rows)


def _entries(added: Sequence[Block]) -> bool:
    return {block.kind for block in added} in _ENTRIES


def _in_code(place: Place, index: int, side: int, added: Sequence[Block]) -> bool:
    """Whether lines of code were put in beside one that the other side changed: code holds together."""
    block, version = place.base[index], place.version(index, side)
    changed = version is not None and version.key != block.key
    return changed and block.kind == "fence" and any(one.kind == "fence" for one in added)


def _gone(place: Place, gap: int, side: int) -> list[int]:
    """The neighbours of a gap that a side took out, and did not only move."""
    return [
        index
        for index in place.around(gap)
        if place.became[side][index] is None and place.elsewhere(index, side) is None
    ]


def _together(by_head: Sequence[Block], by_incoming: Sequence[Block]) -> Rule | None:
    """Why both belong there; None where they may not."""
    if {block.kind for block in (*by_head, *by_incoming)} in _ENTRIES:
        return None if _other_columns(by_head[:1], by_incoming[:1]) else "union"
    if _apart(by_head, by_incoming):
        return "union"
    begins = [blocks[0].kind == "heading" for blocks in (by_head, by_incoming)]
    if not any(begins) or _titles(by_head) & _titles(by_incoming):
        return None
    other = () if all(begins) else by_incoming if begins[0] else by_head
    return None if {block.kind for block in other} & {"fence", "matter", "heading"} else "sections"


def _apart(by_head: Sequence[Block], by_incoming: Sequence[Block]) -> bool:
    """Whether each block is known by a name, a key of the front matter or the label of a link, and none by one of the
    other side's."""
    names = [{_name(block) for block in blocks} for blocks in (by_head, by_incoming)]
    return names[0].isdisjoint(names[1]) and "" not in names[0] | names[1]


def _name(block: Block) -> str:
    if block.kind == "matter":
        return block.words
    found = _LABEL.match(block.key) if block.kind == "other" else None
    return found[0].casefold() if found else ""


def _without(blocks: Sequence[Block], others: Iterable[Block]) -> list[Block]:
    """The blocks less those that the others say too, each as often as they do."""
    said = Counter(block.key for block in others)
    rest: list[Block] = []
    for block in blocks:
        if said[block.key]:
            said[block.key] -= 1
        else:
            rest.append(block)
    return rest


def _titles(blocks: Sequence[Block]) -> set[str]:
    return {block.key.strip("# ").casefold() for block in blocks if block.kind == "heading"}


def _rewording(place: Place, by_head: Sequence[Block], by_incoming: Sequence[Block]) -> bool:
    """Whether the two sides put in one thing in different words. Other numbers make it another thing."""
    likeness, found = place.sides.likeness, _Candidates(by_head)
    return any(
        numbers(one.text) == numbers(other.text) and likeness(one.text, other.text, _NEAR) > 0
        for other in by_incoming
        for one in found.like(other)
    )


class _Candidates:
    """Blocks by their words: of thousands, only those that share a rare word can be rewordings of one another."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.few = blocks if len(blocks) <= _FEW else ()
        self.by_word: dict[str, list[Block]] = {}
        for block in blocks if not self.few else ():
            for word in set(words(block.text)):
                self.by_word.setdefault(word, []).append(block)

    def like(self, other: Block) -> Iterator[Block]:
        seen: set[int] = set()
        rare = (self.by_word.get(word, ()) for word in set(words(other.text)) if self.by_word)
        for block in chain(self.few, *(found for found in rare if len(found) <= _FEW)):
            if block.kind == other.kind != "fence" and block.start not in seen:
                seen.add(block.start)
                yield block


def _parted(text: Text, upper: Sequence[Block], other: Text, entry: Block, following: Block) -> list[str]:
    """The lines of `upper`, and then as many blank ones as the `other` text has before its own `entry`."""
    last = upper[-1]
    lines = [*_kept(text, upper[:-1]), *text.body(last)]
    above = other.above(entry.start)
    if above is not None and above.kind == last.kind == following.kind:
        return [*lines, *other.blank(above)]
    if last.kind == following.kind and (above is None or {last.kind} in _ENTRIES):
        return lines
    return [*lines, *(text.blank(last) or (other.blank(above) if above else ()))]


def _kept(text: Text, blocks: Sequence[Block]) -> list[str]:
    return [line for block in blocks for line in text.kept(block)]


def _within(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether `many` holds all of `few` in their order."""
    rest = iter(many)
    return all(key in rest for key in few)
