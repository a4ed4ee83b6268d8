"""Which version wrote each character of a text, carried from one version to the next.

Sentences are followed, and not lines: one that stays keeps its author when lines are broken anew, when a bullet or a
line ending changes, and when its paragraph moves to another place in the document. A sentence that was reworded keeps
the author of the words that stayed.
"""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Final, NamedTuple

from workspace.merge.blocks import blocks, marker
from workspace.merge.likeness import Likeness, align
from workspace.merge.lines import Lines
from workspace.merge.myers import changes
from workspace.merge.sentences import plain, sentences
from workspace.merge.words import tokens

BLAME_VERSION: Final = 2
"""Goes up when the same history gives other authors; what was kept under another number is made anew."""
_ALIKE: Final = 0.5
"""Sentences that share less than this part of their letters are other sentences."""
_TELLING: Final = 12
"""A sentence of fewer letters says too little to be followed to another place."""
_WORK: Final = 20_000
"""Steps of search for the words of one sentence, some milliseconds."""
_BREAK: Final = re.compile(r"[\r\n]")
_PROSE: Final = frozenset({"paragraph", "item", "other"})


class Run(NamedTuple):
    """The next `length` characters were written by version `id`."""

    length: int
    id: str


type Runs = tuple[Run, ...]
"""One after another over the whole text; none is empty, and no two neighbours have one id."""


class Span(NamedTuple):
    """Characters `start:end`, counted from 0, end excluded, were written by version `id`."""

    start: int
    end: int
    id: str


class _Piece(NamedTuple):
    """As a run; `id` is None where the text before had nothing of it."""

    length: int
    id: str | None


def begin(text: str, id: str) -> Runs:
    """The runs of a first version, which wrote all of it."""
    return (Run(len(text), id),) if text else ()


def advance(runs: Sequence[Run], old: str, new: str, id: str) -> Runs:
    """The runs of `new`, which version `id` made of `old`, whose runs are `runs`.

    Where words were taken out and none put in, the white space that closed over them is the new version's, or the
    word after them where there is none.
    """
    if old == new:
        return tuple(runs)
    return _filled(_traced(Owners(runs), old, new), id)


def advance_merge(runs: Sequence[Run], head: str, other_runs: Sequence[Run], other: str, merged: str, id: str) -> Runs:
    """The runs of `merged`, which version `id` made of `head` and of `other`.

    What came from either side belongs to whom it belonged there, `head` first; the rest is the merge's own.
    """
    found = list(_traced(Owners(runs), head, merged))
    if all(piece.id is not None for piece in found):
        return _filled(found, id)
    second = Owners(Run(piece.length, piece.id or id) for piece in _traced(Owners(other_runs), other, merged))
    at = 0
    overlaid: list[_Piece] = []
    for piece in found:
        overlaid += [piece] if piece.id is not None else second.cut(at, at + piece.length)
        at += piece.length
    return _filled(overlaid, id)


def parts(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence, heading, table row or line of code begins and ends, without the white space after it."""
    lines = Lines.of(text)
    for unit in _units(lines, 0, len(lines.kept), [0, *accumulate(map(len, lines.kept))]):
        if length := len(unit.text.rstrip()):
            yield unit.start, unit.start + length


@dataclass(frozen=True, kw_only=True, slots=True)
class _Unit:
    """A sentence, or a line that is none, with the white space after it; units tile the lines they were cut from."""

    start: int
    text: str
    lead: int
    """Characters of the bullet that it begins with."""
    key: str


class Owners:
    """Runs that can be asked about any part of the text."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = list(runs)
        self._starts = [0, *accumulate(run.length for run in self._runs)]

    def cut(self, start: int, end: int) -> list[_Piece]:
        """The runs of characters `start:end`."""
        found: list[_Piece] = []
        if start >= end:
            return found
        for at in range(bisect_right(self._starts, start) - 1, len(self._runs)):
            low, high = max(start, self._starts[at]), min(end, self._starts[at + 1])
            if low >= high:
                break
            found.append(_Piece(high - low, self._runs[at].id))
        return found

    def between(self, start: int, end: int) -> Iterator[Span]:
        """Who wrote characters `start:end`, in order."""
        for piece in self.cut(start, end):
            assert piece.id is not None
            yield Span(start, start + piece.length, piece.id)
            start += piece.length

    def at(self, offset: int) -> str:
        """Who wrote the character at `offset`."""
        return self._runs[bisect_right(self._starts, offset) - 1].id


def _filled(pieces: Iterable[_Piece], id: str) -> Runs:
    """Runs of the pieces, those of nobody given to `id`, neighbours of one id joined."""
    found: list[Run] = []
    for piece in pieces:
        owner = id if piece.id is None else piece.id
        if not piece.length:
            continue
        if found and found[-1].id == owner:
            found[-1] = Run(found[-1].length + piece.length, owner)
        else:
            found.append(Run(piece.length, owner))
    return tuple(found)


def _traced(owners: Owners, old: str, new: str) -> list[_Piece]:
    """Of each character of `new`, who wrote it in `old`."""
    before, after = Lines.of(old), Lines.of(new)
    old_at, new_at = [0, *accumulate(map(len, before.kept))], [0, *accumulate(map(len, after.kept))]
    found = changes(before.keys, after.keys)
    gone = [list(_units(before, c.old_start, c.old_end, old_at)) for c in found]
    come = [list(_units(after, c.new_start, c.new_end, new_at)) for c in found]
    became = _followed(gone, come)
    pieces: list[_Piece] = []
    old_line = new_line = 0
    for number, change in enumerate((*found, None)):
        end = change.new_start if change else len(after.kept)
        pieces += _kept(owners, before, after, old_at, range(old_line, old_line + end - new_line), new_line)
        if change:
            for place, unit in enumerate(come[number]):
                source = became.get((number, place))
                pieces += [_Piece(len(unit.text), None)] if source is None else _carried(owners, source, unit)
            old_line, new_line = change.old_end, change.new_end
    return pieces


def _kept(
    owners: Owners, before: Lines, after: Lines, old_at: Sequence[int], span: range, new_line: int
) -> Iterator[_Piece]:
    """Lines that stayed; their endings may have changed, and belong to whom the line's end belongs."""
    new_end = new_line + len(span)
    if before.kept[span.start : span.stop] == after.kept[new_line:new_end]:
        yield from owners.cut(old_at[span.start], old_at[span.stop])
        return
    for line, kept in zip(span, islice(after.kept, new_line, new_end), strict=True):
        start, size = old_at[line], len(before.kept[line])
        common = min(size, len(kept))
        yield from owners.cut(start, start + common)
        if len(kept) > common:
            yield _Piece(len(kept) - common, owners.at(start + common - 1) if size else None)


def _units(of: Lines, start: int, end: int, at: Sequence[int]) -> Iterator[_Unit]:
    """Lines `start:end` as units."""
    keys, kept = of.keys[start:end], of.kept[start:end]
    for block in blocks(keys):
        offset, text = at[start + block.start], "".join(kept[block.start : block.stop])
        head = marker(keys[block.start]) if block.kind == "item" else None
        lead = head.end() if head else 0
        body = sentences(text[lead:]) if block.kind in _PROSE else [text]
        if lead and body:
            body[0] = text[:lead] + body[0]
        elif not body:
            body = [text]
        for number, piece in enumerate(body):
            used = 0 if number else lead
            yield _Unit(start=offset, text=piece, lead=used, key=plain(piece[used:]))
            offset += len(piece)


def _followed(gone: Sequence[list[_Unit]], come: Sequence[list[_Unit]]) -> dict[tuple[int, int], _Unit]:
    """For units that came (number of their change, place in it), the unit before that they were."""
    likeness = Likeness()

    def alike(one: _Unit, other: _Unit) -> float:
        return likeness(one.key, other.key, _ALIKE)

    became: dict[tuple[int, int], _Unit] = {}
    loose: defaultdict[str, deque[_Unit]] = defaultdict(deque)
    edited: list[tuple[tuple[int, int], _Unit]] = []
    for number, (old, new) in enumerate(zip(gone, come, strict=True)):
        pairs = align(old, new, key=lambda unit: unit.key, alike=alike, kin=lambda one, other: False)
        for unit, place in zip(old, pairs, strict=True):
            if place is not None and new[place].key == unit.key:
                became[number, place] = unit
                continue
            loose[unit.key].append(unit)
            if place is not None:
                edited.append(((number, place), unit))
    # The very sentence, from elsewhere, is nearer than one that is merely like it.
    moved: set[int] = set()
    for number, units in enumerate(come):
        for place, unit in enumerate(units):
            if (number, place) not in became and loose.get(unit.key) and _telling(unit.key):
                became[number, place] = source = loose[unit.key].popleft()
                moved.add(source.start)
    for at, unit in edited:
        if unit.start not in moved:
            became.setdefault(at, unit)
    if moved:
        _accompanied(gone, come, became)
    return became


def _accompanied(
    gone: Sequence[list[_Unit]], come: Sequence[list[_Unit]], became: dict[tuple[int, int], _Unit]
) -> None:
    """What says too little to be followed alone, a short heading, goes where the unit beside it went."""
    order = [unit for units in gone for unit in units]
    places = {unit.start: place for place, unit in enumerate(order)}
    taken = {unit.start for unit in became.values()}
    for number, units in enumerate(come):
        for step in (1, -1):
            beside: int | None = None
            for place in range(len(units))[::step]:
                unit = units[place]
                source = became.get((number, place))
                at = None if source is None else places[source.start]
                if at is None and beside is not None and 0 <= beside + step < len(order):
                    near = order[beside + step]
                    if near.key == unit.key and near.start not in taken:
                        became[number, place] = near
                        taken.add(near.start)
                        at = beside + step
                beside = at


def _telling(key: str) -> bool:
    return sum(map(str.isalnum, key)) >= _TELLING


def _carried(owners: Owners, old: _Unit, new: _Unit) -> list[_Piece]:
    """The pieces of a unit that `old` became."""
    if old.text == new.text:
        return owners.cut(old.start, old.start + len(old.text))
    pieces = [_Piece(new.lead, owners.at(old.start))] if new.lead else []
    before, after = tokens(old.text[old.lead :]), tokens(new.text[new.lead :])
    starts = accumulate(map(len, before), initial=old.start + old.lead)
    words = [(word, at) for word, at in zip(before, starts, strict=False) if not word.isspace()]
    fresh = [word for word in after if not word.isspace()]
    ids: list[str | None] = [None] * len(fresh)
    closed: set[int] = set()
    at = came = 0
    for change in (*changes([word for word, _ in words], fresh, work=_WORK), None):
        end = change.new_start if change else len(fresh)
        for place in range(came, end):
            ids[place] = owners.at(words[at + place - came][1])
        if change:
            at, came = change.old_end, change.new_end
            if change.new_start == change.new_end:
                closed.add(change.new_start)
    following, spaced = 0, False
    for token in after:
        if not token.isspace():
            taken = following in closed and following > 0 and not spaced
            pieces.append(_Piece(len(token), None if taken else ids[following]))
            following, spaced = following + 1, False
            continue
        # A break of lines belongs to the line that it ends, where nothing was taken out.
        spaced = not _BREAK.search(token)
        if spaced and following in closed:
            pieces.append(_Piece(len(token), None))
        elif following:
            pieces.append(_Piece(len(token), ids[following - 1]))
        else:
            pieces.append(_Piece(len(token), ids[0] if ids else owners.at(old.start)))
    return pieces
