"""The three-way merge: base, head, and the text that comes in on top of the base.

Whatever `git merge-file` merges comes out to its bytes, except that line endings never conflict: a side that
changed the ending of every line has its way, and so has a side that added or removed the final newline. What
git leaves open is settled by blocks and sentences where that is sure, and each such decision is told.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from workspace.merge import by_lines
from workspace.merge.checking import holds
from workspace.merge.headings import Headings
from workspace.merge.hunks import Agreed, Chunk, Decision, Disputed, Hunk, Rule
from workspace.merge.including import includes
from workspace.merge.lines import Ending, Lines, Style, bare, ending, ends, join, restyle, split, style, usual
from workspace.merge.regions import Region, Verdict, nearby, regions
from workspace.merge.settle import settle
from workspace.merge.sides import Place, Sides, places
from workspace.merge.widening import widened

LINES: Final = 1
"""The version that settles nothing beyond lines. Versions stay: a stored conflict is read with its own."""
MERGE_VERSION: Final = 2
"""Rises when the same three texts merge differently than before."""

_STYLES: Final[tuple[Style, ...]] = ("\n", "\r\n", "\r", "mixed")
"""From the most usual to the least."""

_MOST: Final = 5_000
"""Disputes up to which each is looked into. Nobody settles more one by one, and a merge is to take no minutes: beyond,
lines alone are compared, and disputes with next to nothing between them are one."""


class Settled(NamedTuple):
    """What a rule settled: lines `start:stop`, counted from 0 in the agreed text alone, with so many hunks before."""

    rule: Rule
    start: int
    stop: int
    hunks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Merge:
    """What became of a merge: the whole document as chunks, in order. The disputed ones are its `hunks`."""

    chunks: tuple[Chunk, ...]
    line_ending: Ending
    """The ending to give to a line that has none and needs one."""
    decisions: tuple[Decision, ...] = ()
    """What was settled beyond a merge by lines, in order; without lines where there is a conflict besides: where they
    come to lie is known with the choices (`resolution.decided`)."""
    settled: tuple[Settled, ...] = ()
    """The same, by the lines that both sides agree on."""
    version: int = MERGE_VERSION

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        return tuple(chunk.hunk for chunk in self.chunks if isinstance(chunk, Disputed))

    @property
    def text(self) -> str | None:
        """The merged text, or None where there is a conflict."""
        agreed = [chunk.text for chunk in self.chunks if isinstance(chunk, Agreed)]
        return join(agreed, self.line_ending) if len(agreed) == len(self.chunks) else None

    @property
    def preview(self) -> str:
        """The whole text, with each conflict between labelled markers: mine, base, theirs."""
        pieces: list[str] = []
        for chunk in self.chunks:
            match chunk:
                case Agreed(text):
                    pieces.append(text)
                case Disputed(hunk):
                    marked = ("<<<<<<< mine", hunk.mine, "||||||| base", hunk.base, "=======", hunk.theirs)
                    pieces += [*marked, ">>>>>>> theirs" + self.line_ending]
        return join(pieces, self.line_ending)


def merge_text(base: str, head: str, incoming: str) -> str | None:
    """The merged text, or None where there is a conflict."""
    return merge(base, head, incoming).text


def merge(base: str, head: str, incoming: str, *, version: int = MERGE_VERSION) -> Merge:
    """Merge the changes from `base` to `head` with those from `base` to `incoming`, as `version` did."""
    if version not in (LINES, MERGE_VERSION):
        raise ValueError(f"There is no version {version} of the merge.")
    if head == incoming or base == incoming:
        return _whole(head, version)
    if base == head:
        return _whole(incoming, version)
    if version == LINES:
        return _by_lines(base, head, incoming)
    # Compared in one order whichever side is the head, so that only what is put in one after the other, and the
    # labels, can tell which it was.
    swapped = incoming < head
    first, second = (incoming, head) if swapped else (head, incoming)
    wanted = _style(base, first, second, both=_first_style)
    if wanted is not None:
        base, first, second = (restyle(text, wanted) for text in (base, first, second))
    line_ending = wanted or usual(first, second)
    texts = Lines.of(base), Lines.of(first), Lines.of(second)
    found = list(regions(*(text.keys for text in texts)))
    merged = None
    disputes = sum(region.verdict is Verdict.DISPUTED for region in found)
    if disputes > _MOST:
        found = nearby(found)
    elif disputes:
        merged = _blockwise(found, texts, line_ending, swapped=swapped)
    chunks, decisions, settled = merged or _linewise(found, texts, line_ending)
    _finish(chunks, _ends(base, first, second), line_ending)
    if swapped:
        chunks = [Disputed(chunk.hunk.mirrored) if isinstance(chunk, Disputed) else chunk for chunk in chunks]
    return Merge(chunks=tuple(chunks), line_ending=line_ending, decisions=decisions, settled=settled)


def _by_lines(base: str, head: str, incoming: str) -> Merge:
    """The merge of the version that settles nothing beyond lines."""
    wanted = _style(base, head, incoming, both=lambda head, _: head)
    if wanted is not None:
        base, head, incoming = (restyle(text, wanted) for text in (base, head, incoming))
    line_ending = wanted or usual(head)
    texts = Lines.of(base), Lines.of(head), Lines.of(incoming)
    chunks, _, _ = _linewise(list(regions(*(text.keys for text in texts))), texts, line_ending)
    old = ends(base) if base else ends(head)
    _finish(chunks, _third(old, ends(head) if head else old, ends(incoming) if incoming else old), line_ending)
    return Merge(chunks=tuple(chunks), line_ending=line_ending, version=LINES)


def _finish(chunks: list[Chunk], final: bool, line_ending: Ending) -> None:
    if chunks and isinstance(last := chunks[-1], Agreed):
        chunks[-1] = Agreed(_ended(last.text, final=final, line_ending=line_ending))


def _whole(text: str, version: int) -> Merge:
    return Merge(chunks=(Agreed(text),) if text else (), line_ending=usual(text), version=version)


def _style(base: str, head: str, incoming: str, *, both: Callable[[Style, Style], Style]) -> Ending | None:
    """The ending that every line is to have, of `both` where both sides have new ones; None where lines keep theirs."""
    if "\r" not in base and "\r" not in head and "\r" not in incoming:
        return None
    old = style(base) or style(head) or style(incoming)
    first, second = style(head) or old, style(incoming) or old
    if first is None or second is None:
        return None
    wanted = both(first, second) if old not in (first, second) else _third(old, first, second)
    return None if wanted == "mixed" else wanted


def _first_style(one: Style, other: Style) -> Style:
    """The more usual of two styles."""
    return min(one, other, key=_STYLES.index)


def _ends(base: str, head: str, incoming: str) -> bool:
    """Whether the merged text is to end with a newline."""
    old = bool(base) and ends(base)
    return _third(old, ends(head) if head else old, ends(incoming) if incoming else old)


def _third[T](base: T, head: T, incoming: T) -> T:
    """The side that differs from the base; the head where both do."""
    return incoming if head == base else head


def _ended(text: str, *, final: bool, line_ending: Ending) -> str:
    """`text` with or without a final newline. One that ends an empty line stays: the line is nothing else."""
    if final:
        return text if ends(text) else text + line_ending
    last = split(text)[-1]
    return text[: len(text) - len(ending(last))] if bare(last) else text


type _Texts = tuple[Lines, Lines, Lines]
type _Merged = tuple[list[Chunk], tuple[Decision, ...], tuple[Settled, ...]]


def _linewise(found: Sequence[Region], texts: _Texts, line_ending: Ending) -> _Merged:
    """Every disputed region is a hunk, but for what both sides put in alike."""
    headings = Headings()
    parts: list[list[Chunk]] = []
    for region in found:
        if region.verdict is Verdict.DISPUTED:
            parts.append(by_lines.settle(region, *texts, headings.path))
            headings.later("".join(texts[0].kept[region.base]))
        else:
            text = "".join(_agreed(region, *texts))
            parts.append([Agreed(text)])
            headings.later(text)
    return _joined(parts, line_ending)


def _blockwise(found: Sequence[Region], texts: _Texts, line_ending: Ending, *, swapped: bool) -> _Merged | None:
    """Disputed regions settled block by block; None where the outcome does not hold what it must."""
    sides = Sides.of(*texts, swapped=swapped)
    found = widened(found, [text.blocks for text in (sides.base, sides.head, sides.incoming)])
    disputed = iter(places(sides, found))
    headings = Headings()
    parts: list[list[Chunk]] = []
    reworded: set[str] = set()
    for region in found:
        match region.verdict:
            case Verdict.DISPUTED:
                place = next(disputed)
                parts.append(_settled(place, headings.path))
                reworded |= place.reworded
                headings.later("".join(texts[0].kept[region.base]))
                continue
            case Verdict.HEAD | Verdict.ALIKE if sides.head.replaced:
                text = "".join(sides.head.taken(region.head))
            case Verdict.INCOMING if sides.incoming.replaced:
                text = "".join(sides.incoming.taken(region.incoming))
            case _:
                text = "".join(_agreed(region, *texts))
        parts.append([Agreed(text)])
        headings.later(text)
    merged = _joined(parts, line_ending)
    carried = [line for side in (sides.head, sides.incoming) for _, lines in side.replaced.values() for line in lines]
    return merged if holds(merged[0], texts, reworded, carried) else None


def _settled(place: Place, path: tuple[str, ...]) -> list[Chunk]:
    """Chunks for a disputed region; one side whole where it already has what the other changed, as in a merge that is
    made once more."""
    chunks = settle(place, path)
    if any(isinstance(chunk, Disputed) for chunk in chunks):
        if includes(place, 0):
            return [Agreed("".join(place.sides.head.taken(place.region.head)), ("subsumed",))]
        if includes(place, 1):
            return [Agreed("".join(place.sides.incoming.taken(place.region.incoming)), ("subsumed",))]
    return chunks


def _joined(parts: Iterable[Sequence[Chunk]], line_ending: Ending) -> _Merged:
    """The whole document in order, agreed text in as few chunks as can be, and what was decided in it."""
    chunks: list[Chunk] = []
    agreed: list[str] = []
    found: list[Settled] = []
    line = hunks = 0
    for chunk in chain.from_iterable(parts):
        match chunk:
            case Agreed(text, rules):
                stop = line + len(split(text))
                found += [Settled(rule, line, stop, hunks) for rule in rules]
                line = stop
                if text:
                    agreed.append(text)
            case Disputed():
                if agreed:
                    chunks.append(Agreed(join(agreed, line_ending)))
                    agreed = []
                chunks.append(chunk)
                hunks += 1
    if agreed:
        chunks.append(Agreed(join(agreed, line_ending)))
    decisions = tuple(
        Decision(rule=rule, lines=(start + 1, stop) if not hunks and start < stop else None)
        for rule, start, stop, _ in found
    )
    return chunks, decisions, tuple(found)


def _agreed(region: Region, base: Lines, head: Lines, incoming: Lines) -> Sequence[str]:
    """The lines of a region that is not disputed."""
    first, second = head.kept[region.head], incoming.kept[region.incoming]
    match region.verdict:
        case Verdict.HEAD | Verdict.ALIKE:
            return first
        case Verdict.INCOMING:
            return second
    before = base.kept[region.base]
    if first == before:
        return second
    if second == before:
        return first
    return [_third(b, h, i) for b, h, i in zip(before, first, second, strict=True)]
