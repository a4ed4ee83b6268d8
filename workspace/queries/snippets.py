"""The part of a passage that shows why it was found."""

import re
from collections.abc import Set
from functools import lru_cache

from workspace.markdown.plain import plain
from workspace.markdown.terms import terms

CACHED = 50_000

LENGTH = 280
LEAD = 60
# Scripts without spaces between words are looked at character by character.
_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]|[\w+#'’-]+"
)
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=CACHED)
def _terms(word: str) -> frozenset[str]:
    return frozenset(terms(word))


def cut(text: str, words: Set[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """At most ``LENGTH`` characters of the passage ``text`` where most of ``words`` stand, as plain words without
    Markdown, an ellipsis where it was cut; and the ``(start, end)`` character offsets in it of what matches."""
    # A passage of marks alone (a rule, a picture without words) is shown as it was typed.
    text = plain(text) or _SPACE.sub(" ", text).strip()
    marks = [(m.start(), m.end()) for m in _WORD.finditer(text) if not words.isdisjoint(_terms(m.group()))]
    start = _best(text, marks)
    end = min(len(text), start + LENGTH - 2)
    if start:
        start = max(start, text.find(" ", start, start + 20) + 1)
    if end < len(text):
        end = max(text.rfind(" ", end - 20, end), 0) or end
    before = "…" if start else ""
    shift = len(before) - start
    shown = before + text[start:end] + ("…" if end < len(text) else "")
    return shown, _joined([(a + shift, b + shift) for a, b in marks if a >= start and b <= end])


def _best(text: str, marks: list[tuple[int, int]]) -> int:
    """Where the window begins: a little before the mark after which most marks, different ones first, fit."""
    if len(text) <= LENGTH - 2 or not marks:
        return 0
    best, start, last = -1, 0, 0
    for first, (at, _) in enumerate(marks):
        while last < len(marks) and marks[last][1] <= at - LEAD + LENGTH:
            last += 1
        here = {text[a:b].casefold() for a, b in marks[first:last]}
        if len(here) * 10 + last - first > best:
            best, start = len(here) * 10 + last - first, at
    return max(0, min(start - LEAD, len(text) - LENGTH + 2))


def _joined(marks: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Marks that touch become one."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
