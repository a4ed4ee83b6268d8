"""Which words changed within a line."""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from workspace.merge.myers import changes

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: scripts that put no space between words."""
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\s+|.", re.DOTALL)
_LONGEST: Final = 20_000
"""Characters; the words of a longer line are not compared."""
_LIKENESS: Final = 0.3
"""Lines that share less than this part of their letters are other lines, not an edit of one another."""


class Span(NamedTuple):
    """Characters `start:end` of a line's text, counted from 0, end excluded."""

    start: int
    end: int
    kind: Literal["delete", "insert"]


def spans(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """What to mark in the old line and in the new one; nothing in either where they have too little in common."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    found = changes(before, after)
    shared = _letters(before) - sum(_letters(before[c.old_start : c.old_end]) for c in found)
    if shared <= _LIKENESS * max(_letters(before), _letters(after)):
        return (), ()
    before_at, after_at = _offsets(before), _offsets(after)
    deleted = [Span(before_at[c.old_start], before_at[c.old_end], "delete") for c in found if c.old_end > c.old_start]
    inserted = [Span(after_at[c.new_start], after_at[c.new_end], "insert") for c in found if c.new_end > c.new_start]
    return tuple(deleted), tuple(inserted)


def _letters(tokens: Sequence[str]) -> int:
    return sum(len(token) for token in tokens if token[0].isalnum())


def _offsets(tokens: Sequence[str]) -> list[int]:
    offsets = [0]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return offsets
