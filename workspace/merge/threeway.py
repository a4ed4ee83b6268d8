"""The three-way merge: base, head, and the text that comes in on top of the base.

Whatever merges cleanly does so to the bytes that `git merge-file` gives, except that line endings never
conflict: a side that changed the ending of every line has its way, and so has a side that added or
removed the final newline.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from workspace.merge.headings import Headings
from workspace.merge.hunks import Agreed, Chunk, Disputed, Hunk
from workspace.merge.lines import Ending, Lines, bare, ending, ends, join, restyle, split, style, usual
from workspace.merge.regions import Region, Verdict, regions
from workspace.merge.settle import settle

MERGE_VERSION: Final = 1
"""Rises when the same three texts merge differently than before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Merge:
    """What became of a merge: the whole document as chunks, in order. The disputed ones are its `hunks`."""

    chunks: tuple[Chunk, ...]
    line_ending: Ending
    """The ending to give to a line that has none and needs one."""
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


def merge(base: str, head: str, incoming: str) -> Merge:
    """Merge the changes from `base` to `head` with those from `base` to `incoming`."""
    if head == incoming or base == incoming:
        return _whole(head)
    if base == head:
        return _whole(incoming)
    wanted = _style(base, head, incoming)
    if wanted is not None:
        base, head, incoming = (restyle(text, wanted) for text in (base, head, incoming))
    line_ending = wanted or usual(head)
    chunks = list(_chunks(Lines.of(base), Lines.of(head), Lines.of(incoming), line_ending))
    if chunks and isinstance(last := chunks[-1], Agreed):
        final = _ends(base, head, incoming)
        chunks[-1] = Agreed(_ended(last.text, final=final, line_ending=line_ending))
    return Merge(chunks=tuple(chunks), line_ending=line_ending)


def _whole(text: str) -> Merge:
    return Merge(chunks=(Agreed(text),) if text else (), line_ending=usual(text))


def _style(base: str, head: str, incoming: str) -> Ending | None:
    """The ending that every line is to have; None where lines keep their own."""
    if "\r" not in base and "\r" not in head and "\r" not in incoming:
        return None
    old = style(base) or style(head) or style(incoming)
    wanted = _third(old, style(head) or old, style(incoming) or old)
    return None if wanted == "mixed" else wanted


def _ends(base: str, head: str, incoming: str) -> bool:
    """Whether the merged text is to end with a newline."""
    old = ends(base) if base else ends(head)
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


def _chunks(base: Lines, head: Lines, incoming: Lines, line_ending: Ending) -> Iterator[Chunk]:
    """The whole document in order, agreed text in as few chunks as can be."""
    agreed: list[str] = []
    headings = Headings()
    for region in regions(base.keys, head.keys, incoming.keys):
        if region.verdict is not Verdict.DISPUTED:
            if text := "".join(_agreed(region, base, head, incoming)):
                agreed.append(text)
                headings.later(text)
            continue
        for chunk in settle(region, base, head, incoming, headings.title):
            match chunk:
                case Agreed(text):
                    agreed.append(text)
                case Disputed():
                    if agreed:
                        yield Agreed(join(agreed, line_ending))
                    agreed = []
                    yield chunk
        headings.later("".join(base.kept[region.base]))
    if agreed:
        yield Agreed(join(agreed, line_ending))


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
