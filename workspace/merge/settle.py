"""What becomes of a region that both sides changed differently, block by block."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workspace.merge import blockwise, insertions
from workspace.merge.blocks import Block
from workspace.merge.hunks import Agreed, Chunk, Disputed, Hunk, Kind, LineRange, Rule
from workspace.merge.lines import bare, ends, split
from workspace.merge.numbering import counts_on, open_lists, renumbered
from workspace.merge.regions import Verdict, regions
from workspace.merge.sides import Place
from workspace.merge.subsumed import subsumed
from workspace.merge.telling import tells
from workspace.merge.words import tokens

_PROSE: Final = frozenset({"heading", "row", "item", "paragraph"})
"""Blocks that say something by themselves, which a line of code does not."""
_LONGEST: Final = 60_000
"""Characters of a dispute up to which its words are compared."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the answer: lines and the rule that found them, or a conflict over what the spans hold."""

    lines: Sequence[str] | None
    rule: Rule | None
    spans: tuple[slice, slice, slice]
    whole: bool = False
    """A block of prose that all three texts have: a dispute over it can be settled apart from its neighbours."""
    moved: bool = False
    """A block that a side has elsewhere: what is said here is not all that is said of it."""


def settle(place: Place, path: tuple[str, ...]) -> list[Chunk]:
    """Chunks for a disputed region, in order. `path` are the headings that it lies under."""
    chunks: list[Chunk] = []
    for agreed, pieces in _runs(_as_they_were_made(place, list(_pieces(place)))):
        if not agreed:
            chunks += _disputed(place, pieces, path)
            continue
        lines = [line for piece in pieces for line in piece.lines or ()]
        rules = tuple(dict.fromkeys(piece.rule for piece in pieces if piece.rule))
        numbered = _numbered(place, lines) if len(chunks) == 0 else lines
        if numbered != lines:
            rules = (*rules, "renumbered")
        if lines or rules:
            chunks.append(Agreed("".join(_whole(numbered)), rules or ("blocks",)))
    return chunks


def _pieces(place: Place) -> Iterator[_Piece]:
    """The blocks of the base in order, and before each of them, and at the end, what was put in there."""
    at = [place.region.base.start, place.region.head.start, place.region.incoming.start]
    for gap in range(len(place.base) + 1):
        added = [place.added(gap, side) for side in (0, 1)]
        if any(added):
            spans = (slice(at[0], at[0]), *_spans(at, added))
            yield _Piece(*insertions.settle(place, gap, *added), spans)
        if gap == len(place.base):
            return
        base = slice(at[0], place.base[gap].stop)
        at[0] = base.stop
        versions = [place.version(gap, side) for side in (0, 1)]
        spans = (base, *_spans(at, [[version] if version else [] for version in versions]))
        whole = place.base[gap].kind in _PROSE and all(span.start < span.stop for span in spans)
        moved = any(place.elsewhere(gap, side) is not None for side in (0, 1))
        yield _Piece(*blockwise.settle(place, gap), spans, whole, moved)


def _as_they_were_made(place: Place, pieces: list[_Piece]) -> list[_Piece]:
    """What a side took out is in dispute as a whole with what it wrote in its place, and with what the other side
    put in at its ends and is in dispute itself: so each side can be chosen as it is.

    So is a heading with what is below it, where a side took them out and the other reworded some of that: the one
    is not to lose its heading, nor the other the rest of its deletion.
    """
    of_gap: dict[int, int] = {}
    of_block: list[int] = []
    for at, piece in enumerate(pieces):
        if piece.spans[0].start < piece.spans[0].stop:
            of_block.append(at)
        else:
            of_gap[len(of_block)] = at
    open_ = [piece.lines is None for piece in pieces]
    wholes: list[tuple[range, list[int]]] = []
    for side in (0, 1):
        for start, stop in _stretches(_gone(place, side)):
            replaced = bool(place.added(start, side))
            inner = range(of_gap[start] if replaced else of_block[start], of_block[stop - 1] + 1)
            together = replaced or any(block.kind == "heading" for block in place.base[start:stop])
            ends = [of_gap[gap] for gap in (start, stop) if gap in of_gap]
            wholes.append((inner, [*inner, *ends] if together else ends))
    wholes.sort(key=lambda whole: whole[0].start)
    # A dispute that grows can reach into what the other side took out.
    grown = True
    while grown:
        grown = False
        for inner, near in wholes:
            if any(open_[at] for at in near) and not all(open_[at] for at in inner):
                open_[inner.start : inner.stop] = [True] * len(inner)
                grown = True
    return [
        replace(piece, lines=None, rule=None, whole=False) if now and piece.lines is not None else piece
        for piece, now in zip(pieces, open_, strict=True)
    ]


def _gone(place: Place, side: int) -> list[bool]:
    """For each block of the base whether a side took it out, and did not only move it."""
    return [became is None and place.elsewhere(index, side) is None for index, became in enumerate(place.became[side])]


def _stretches(marks: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Where marks stand one after another, as slices."""
    start = None
    for at, mark in enumerate((*marks, False)):
        if mark and start is None:
            start = at
        elif not mark and start is not None:
            yield start, at
            start = None


def _numbered(place: Place, lines: Sequence[str]) -> Sequence[str]:
    """`lines` with their ordered lists counted on, where both sides count and each changed some numbers."""
    above = place.sides.head.items_above(place.region.head.start)
    sides = (
        [*above[-1:], *place.head],
        [*place.sides.incoming.items_above(place.region.incoming.start)[-1:], *place.incoming],
    )
    if not any(block.ordered for block in (*place.head, *place.incoming)) or not all(map(counts_on, sides)):
        return lines
    return renumbered(lines, open_lists(above))


def _spans(at: list[int], blocks: Sequence[Sequence[Block]]) -> tuple[slice, slice]:
    """The lines of some blocks of the head and of the incoming text, which begin at `at`."""
    found = []
    for side, run in enumerate(blocks, 1):
        stop = run[-1].stop if run else at[side]
        found.append(slice(at[side], stop))
        at[side] = stop
    return found[0], found[1]


def _runs(pieces: Iterable[_Piece]) -> Iterator[tuple[bool, list[_Piece]]]:
    """Agreed pieces and disputed ones by turns; disputes over whole blocks one by one."""
    run: list[_Piece] = []
    for piece in pieces:
        if run:
            turns = (piece.lines is None) != (run[-1].lines is None)
            apart = piece.lines is None and run[-1].whole and piece.whole
            if turns or apart:
                yield run[-1].lines is not None, run
                run = []
        run.append(piece)
    if run:
        yield run[-1].lines is not None, run


def _disputed(place: Place, pieces: Sequence[_Piece], path: tuple[str, ...]) -> list[Chunk]:
    """The hunk that some pieces come to, between the lines that it begins and ends with on all sides."""
    texts = [text.lines for text in (place.sides.base, place.sides.head, place.sides.incoming)]
    spans = [slice(first.start, last.stop) for first, last in zip(pieces[0].spans, pieces[-1].spans, strict=True)]
    before, after = _shared([text.keys[span] for text, span in zip(texts, spans, strict=True)])
    head = texts[1].kept
    above, below = head[spans[1].start : spans[1].start + before], head[spans[1].stop - after : spans[1].stop]
    base, theirs, mine = (
        slice(span.start + before, span.stop - after) if span.start < span.stop else span for span in spans
    )
    said = ["".join(text.kept[span]) for text, span in zip(texts, (base, theirs, mine), strict=True)]
    comparable = not any(piece.moved for piece in pieces) and all(text.strip() for text in said) and _flat(said)
    side = subsumed(*said) if comparable else None
    longer, shorter = (said[2], said[1]) if side == "incoming" else (said[1], said[2])
    if side and tells(longer, said[0], shorter):
        place.reworded.update(bare(line) for text in said for line in split(text))
        middle: Chunk = Agreed(longer, ("subsumed",))
    else:
        middle = Disputed(
            Hunk(
                kind=_kind(base, theirs, mine),
                base=said[0],
                theirs=said[1],
                mine=said[2],
                heading=path[-1] if path else None,
                path=path,
                base_lines=_range(base),
                theirs_lines=_range(theirs),
                mine_lines=_range(mine),
                suggestion=longer if side else suggestion(*said) if place.sides.allowance.take(*said) else None,
            )
        )
    around = [Agreed("".join(_whole(lines))) for lines in (above, below)]
    return [chunk for chunk in (around[0], middle, around[1]) if chunk != Agreed("")]


def _flat(said: Sequence[str]) -> bool:
    """Whether all lines stand equally deep, so that words are all there is to compare."""
    lines = (line for text in said for line in split(text) if line.strip())
    return len({line[: len(line) - len(line.lstrip())] for line in lines}) == 1


def _shared(sides: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many lines all sides begin and end with; where the base has none, the other two."""
    told = [lines for lines in sides if lines] if not sides[0] else list(sides)
    shortest = min(map(len, told))
    before = next((n for n in range(shortest) if len({lines[n] for lines in told}) > 1), shortest)
    rest = shortest - before
    after = next((n for n in range(rest) if len({lines[-1 - n] for lines in told}) > 1), rest)
    if len(told) < 2 or (before + after and any(len(lines) < before + after for lines in sides if lines)):
        return 0, 0
    return before, after


def suggestion(base: str, theirs: str, mine: str) -> str | None:
    """Both changes merged word by word; None where they touch the same words, or one side took everything out."""
    if not (base.strip() and theirs.strip() and mine.strip()) or len(base) + len(theirs) + len(mine) > _LONGEST:
        return None
    old, first, second = tokens(base), tokens(theirs), tokens(mine)
    pieces: list[str] = []
    for region in regions(old, first, second):
        match region.verdict:
            case Verdict.DISPUTED:
                return None
            case Verdict.INCOMING:
                pieces += second[region.incoming]
            case _:
                pieces += first[region.head]
    return "".join(pieces)


def _whole(lines: Sequence[str]) -> list[str]:
    """Lines of which each but the last has an ending: the last of a text may stand in the middle now."""
    style = next((line[len(line.rstrip("\r\n")) :] for line in lines if ends(line) and line), "\n")
    return [line if ends(line) else line + style for line in lines[:-1]] + list(lines[-1:])


def _kind(base: slice, head: slice, incoming: slice) -> Kind:
    if base.start == base.stop:
        return "insert/insert"
    if head.start == head.stop or incoming.start == incoming.stop:
        return "delete/modify"
    return "modify/modify"


def _range(lines: slice) -> LineRange:
    return (lines.start + 1, lines.stop) if lines.start < lines.stop else None
