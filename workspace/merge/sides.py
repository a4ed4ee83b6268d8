"""The three texts of a merge as lines and blocks, and where a side moved a block to."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Final

from workspace.merge.blocks import Block, blocks
from workspace.merge.likeness import Likeness, align
from workspace.merge.lines import Lines
from workspace.merge.regions import Region, Verdict

_LEAST: Final = 0.5
_TELLING: Final = 12
"""A block that says less than this is not told apart from others like it, so nobody knows that it moved."""

_NESTED: Final = 200
"""Items up to which the list is looked for that a nested one stands in."""
_FORMS: Final = frozenset({"fence", "rule", "matter"})
"""Blocks of which many are alike and mean nothing by it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """One of the three texts."""

    lines: Lines
    blocks: Sequence[Block]
    replaced: dict[int, tuple[int, Sequence[str]]] = field(default_factory=dict)
    """By the first line of a block that this side moved: where the block stops, and its lines with what the other
    side changed in it."""

    @classmethod
    def of(cls, lines: Lines) -> "Text":
        return cls(lines=lines, blocks=blocks(lines.keys))

    def index(self, line: int) -> int:
        """How many blocks begin above a line."""
        return bisect_left(self.blocks, line, key=attrgetter("start"))

    def within(self, span: slice) -> Sequence[Block]:
        return self.blocks[self.index(span.start) : self.index(span.stop)]

    def above(self, line: int) -> Block | None:
        """The block before the one that begins at a line."""
        at = self.index(line)
        return self.blocks[at - 1] if at else None

    def items_above(self, line: int) -> Sequence[Block]:
        """The items right above a line, back to the last that is not nested: what stands above it tells no more."""
        start = stop = self.index(line)
        while start and stop - start < _NESTED and self.blocks[start - 1].kind == "item":
            start -= 1
            if not self.blocks[start].indent:
                break
        return self.blocks[start:stop]

    def kept(self, block: Block) -> Sequence[str]:
        """A block's lines, blank ones included."""
        if block.start in self.replaced:
            return self.replaced[block.start][1]
        return self.lines.kept[block.start : block.stop]

    def body(self, block: Block) -> Sequence[str]:
        return self.lines.kept[block.start : block.body]

    def blank(self, block: Block) -> Sequence[str]:
        return self.lines.kept[block.body : block.stop]

    def taken(self, span: slice) -> Iterator[str]:
        """The lines of a span, with what was carried into it."""
        at = span.start
        while at < span.stop:
            stop, lines = self.replaced.get(at, (at + 1, self.lines.kept[at : at + 1]))
            yield from lines
            at = stop


@dataclass(slots=True)
class Allowance:
    """How many more characters of disputes are compared word by word; of thousands nobody reads a suggestion."""

    left: int = 400_000

    def take(self, *texts: str) -> bool:
        """Whether there is enough left for these texts."""
        self.left -= sum(map(len, texts)) + 100
        return self.left >= 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    base: Text
    head: Text
    incoming: Text
    moved: tuple[dict[str, Block], dict[str, Block]]
    """By key, the blocks that are in the base once and in the head, or in the incoming text, once."""
    likeness: Likeness
    allowance: Allowance = field(default_factory=Allowance)
    swapped: bool = False
    """Whether `head` is in truth the incoming text: what both put in at one point stands in the true order."""

    @classmethod
    def of(cls, base: Lines, head: Lines, incoming: Lines, *, swapped: bool = False) -> "Sides":
        texts = [Text.of(lines) for lines in (base, head, incoming)]
        old, *counts = (Counter(block.key for block in text.blocks) for text in texts)
        moved = tuple(
            {
                block.key: block
                for block in text.blocks
                if len(block.key) >= _TELLING and block.kind not in _FORMS and old[block.key] == count[block.key] == 1
            }
            for text, count in zip(texts[1:], counts, strict=True)
        )
        return cls(
            base=texts[0],
            head=texts[1],
            incoming=texts[2],
            moved=(moved[0], moved[1]),
            likeness=Likeness(),
            swapped=swapped,
        )

    def alike(self, one: Block, other: Block) -> float:
        """How much of one block is in another, 0 where they are not versions of one."""
        if one.kind != other.kind:
            return 0.0
        if one.kind == "matter":
            return 0.9 if one.words and one.words == other.words else 0.0
        if one.kind == "row" and one.columns == other.columns > 1:
            first = one.key.partition("|")[0]
            if first and first == other.key.partition("|")[0]:
                return 0.9
        return self.likeness(one.text, other.text, _LEAST)


@dataclass(frozen=True, kw_only=True)
class Place:
    """The blocks of one region on all sides, and what became of those of the base."""

    sides: Sides
    region: Region
    base: Sequence[Block]
    head: Sequence[Block]
    incoming: Sequence[Block]
    became: tuple[Sequence[int | None], Sequence[int | None]]
    """For each block of the base its index among those of the head, and of the incoming text; None where it is gone."""
    gaps: tuple[Sequence[slice], Sequence[slice]]
    """For each gap before a block of the base, and for the end, which blocks of a side were put in there."""
    reworded: set[str] = field(default_factory=set)
    """Lines of blocks that were put together from both sides, or of which one side's wording was taken."""

    @classmethod
    def of(cls, sides: Sides, region: Region) -> "Place":
        old = sides.base.within(region.base)
        new = (sides.head.within(region.head), sides.incoming.within(region.incoming))
        became = tuple(align(old, side, key=_same, alike=sides.alike, kin=_kin) for side in new)
        return cls(
            sides=sides,
            region=region,
            base=old,
            head=new[0],
            incoming=new[1],
            became=(became[0], became[1]),
            gaps=(_gaps(became[0], len(new[0])), _gaps(became[1], len(new[1]))),
        )

    def version(self, index: int, side: int) -> Block | None:
        """What the head (0) or the incoming text (1) made of a block of the base."""
        at = self.became[side][index]
        return None if at is None else (self.head, self.incoming)[side][at]

    def elsewhere(self, index: int, side: int) -> Block | None:
        """Where a side moved a block to that is gone from here."""
        if self.became[side][index] is not None:
            return None
        return self.sides.moved[side].get(self.base[index].key)

    def added(self, gap: int, side: int) -> Sequence[Block]:
        """What a side put in before block `gap` of the base, or at the end; before what is gone if that follows."""
        return (self.head, self.incoming)[side][self.gaps[side][gap]]

    def facing(self, gap: int, side: int) -> Sequence[Block]:
        """What a side put in around a gap that it closed, by taking out what was before it: it stands above that."""
        first = gap
        while first and self.became[side][first - 1] is None:
            first -= 1
        return self.added(first, side) if first < gap else ()

    @cached_property
    def twice(self) -> frozenset[str]:
        """What one side made of a block of the base and the other put in anew: both mean one thing by it."""
        found: set[str] = set()
        for side in (0, 1):
            versions = (self.version(index, side) for index in range(len(self.base)))
            made = {
                version.key
                for block, version in zip(self.base, versions, strict=True)
                if version is not None and version.key != block.key and version.kind not in _FORMS
            }
            found.update(
                block.key
                for gap in range(len(self.base) + 1)
                for block in self.added(gap, 1 - side)
                if block.key in made
            )
        return frozenset(found)

    def around(self, gap: int) -> list[int]:
        """The blocks of the base before and after a gap between them."""
        return [index for index in (gap - 1, gap) if 0 <= index < len(self.base)]


def _gaps(became: Sequence[int | None], end: int) -> list[slice]:
    """What was put in between two that are still here belongs to the first gap between them."""
    gaps = [slice(end, end)] * (len(became) + 1)
    upto = first = 0
    for index, at in enumerate(became):
        if at is not None:
            gaps[first : index + 1] = [slice(upto, at), *([slice(at, at)] * (index - first))]
            upto, first = at + 1, index + 1
    gaps[first] = slice(upto, end)
    return gaps


def places(sides: Sides, found: Sequence[Region]) -> list[Place]:
    """The disputed regions with their blocks. What a side changed in a block that the other moved is carried there."""
    made = [Place.of(sides, region) for region in found if region.verdict is Verdict.DISPUTED]
    for place in made:
        for index, block in enumerate(place.base):
            for side, (mover, other) in enumerate(((sides.head, sides.incoming), (sides.incoming, sides.head))):
                there, changed = place.elsewhere(index, side), place.version(index, 1 - side)
                if there is not None and changed is not None and changed.key != block.key:
                    mover.replaced[there.start] = (there.stop, [*other.body(changed), *mover.blank(there)])
    return made


def _same(block: Block) -> tuple[str, str]:
    return block.kind, block.key


def _kin(one: Block, other: Block) -> bool:
    """Whether one may have been written anew as the other."""
    return one.kind == other.kind != "matter" and one.indent == other.indent
