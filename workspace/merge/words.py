"""Which words changed within lines."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, Literal, NamedTuple

from workspace.merge.myers import changes

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: scripts that put no space between words."""
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\s+|.", re.DOTALL)
_JOINER: Final = "\u200d"
_READS: Final = 100_000
"""Characters that one marker compares before it stops, so that a diff of two large texts stays quick."""
_WORK: Final = 20_000
"""Steps of search for one pair of lines, some milliseconds."""
_LIKENESS: Final = 0.3
"""Lines that share less than this part of their letters are other lines, not an edit of one another."""
_FLOWED: Final = 0.7
"""Lines that keep at least this part of their letters, compared as one, were broken anew."""
_PAIRS: Final = 400
"""Up to so many combinations, lines are paired by likeness; beyond, by position."""


class Span(NamedTuple):
    """Characters `start:end` of a line's text, counted from 0, end excluded."""

    start: int
    end: int
    kind: Literal["delete", "insert"]


type Spans = tuple[Span, ...]


class Marker:
    """Marks what changed within lines, for as long as there are not too many of them."""

    def __init__(self) -> None:
        self._left = _READS

    def mark(self, old: Sequence[str], new: Sequence[str]) -> tuple[list[Spans], list[Spans]]:
        """The spans of each old line and of each new one, where some of `old` became `new`.

        A line gets spans when it is an edit of a line of the other side, and none when it is new or gone
        as a whole.
        """
        old_spans: list[Spans] = [()] * len(old)
        new_spans: list[Spans] = [()] * len(new)
        size = sum(map(len, old)) + sum(map(len, new))
        if not old or not new or size > self._left:
            return old_spans, new_spans
        self._left -= size
        before, after = [tokens(line) for line in old], [tokens(line) for line in new]
        kept = 0
        for i, j in _pairs(before, after):
            old_spans[i], new_spans[j] = _spans(before[i], after[j])
            kept += _letters(before[i]) - sum(_alphanumeric(old[i][start:end]) for start, end, _ in old_spans[i])
        if len(old) != len(new) or len(old) > 1:
            return _flowed(before, after, kept) or (old_spans, new_spans)
        return old_spans, new_spans


def tokens(line: str) -> list[str]:
    """Words, white space, and other characters one by one, each with the marks that combine with it."""
    found: list[str] = _TOKEN.findall(line)
    if line.isascii():
        return found
    whole: list[str] = []
    for token in found:
        if whole and (token == _JOINER or whole[-1][-1] == _JOINER or unicodedata.category(token[0])[0] == "M"):
            whole[-1] += token
        else:
            whole.append(token)
    return whole


def _letters(tokens: Iterable[str]) -> int:
    return sum(len(token) for token in tokens if token[0].isalnum())


def _pairs(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Lines that are edits of one another: in order, and as like as can be."""
    if len(before) * len(after) > _PAIRS:
        return list(zip(range(len(before)), range(len(after)), strict=False))
    old, new = [Counter(tokens) for tokens in before], [Counter(tokens) for tokens in after]
    # best[i][j]: the likeness that the lines from i and from j on can reach together.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(x, y) for y in new] for x in old]
    for i, j in product(reversed(range(len(old))), reversed(range(len(new)))):
        best[i][j] = max(best[i + 1][j + 1] + alike[i][j], best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if alike[i][j] and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(old: Counter[str], new: Counter[str]) -> float:
    """The part of the letters that two lines share, word order aside; 0 where it is too little."""
    shared, most = _letters((old & new).elements()), max(_letters(old.elements()), _letters(new.elements()))
    return shared / most if shared > _LIKENESS * most else 0.0


def _spans(before: Sequence[str], after: Sequence[str]) -> tuple[Spans, Spans]:
    found = changes(before, after, work=_WORK)
    kept = _letters(before) - sum(_letters(before[c.old_start : c.old_end]) for c in found)
    if kept <= _LIKENESS * max(_letters(before), _letters(after)):
        return (), ()
    old_at, new_at = _offsets(before), _offsets(after)
    deleted = (Span(old_at[c.old_start], old_at[c.old_end], "delete") for c in found if c.old_end > c.old_start)
    inserted = (Span(new_at[c.new_start], new_at[c.new_end], "insert") for c in found if c.new_end > c.new_start)
    return tuple(deleted), tuple(inserted)


def _flowed(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], kept: int
) -> tuple[list[Spans], list[Spans]] | None:
    """The spans of lines that were broken anew, which are compared as one; None where line by line more is kept,
    which is ``kept`` letters."""
    first, second = ([word for line in side for word in line if not word.isspace()] for side in (before, after))
    found = changes(first, second, work=_WORK)
    stayed = _letters(first) - sum(_letters(first[c.old_start : c.old_end]) for c in found)
    if stayed <= kept or stayed < _FLOWED * max(_letters(first), _letters(second)):
        return None
    gone = {n for c in found for n in range(c.old_start, c.old_end)}
    come = {n for c in found for n in range(c.new_start, c.new_end)}
    return _of_lines(before, gone, "delete"), _of_lines(after, come, "insert")


def _of_lines(lines: Sequence[Sequence[str]], marked: set[int], kind: Literal["delete", "insert"]) -> list[Spans]:
    """The words of ``marked``, counted over all lines without the white space, as spans of each line."""
    spans: list[Spans] = []
    number = 0
    for line in lines:
        found: list[Span] = []
        at = 0
        for word in line:
            if not word.isspace():
                if number in marked:
                    start = found.pop().start if found and number - 1 in marked else at
                    found.append(Span(start, at + len(word), kind))
                number += 1
            at += len(word)
        spans.append(tuple(found))
    return spans


def _alphanumeric(text: str) -> int:
    return _letters(tokens(text))


def _offsets(tokens: Sequence[str]) -> list[int]:
    offsets = [0]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return offsets
