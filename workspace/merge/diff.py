"""The difference of two texts, as hunks of lines for people to read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workspace.merge.headings import Headings
from workspace.merge.lines import Lines
from workspace.merge.myers import Change, changes
from workspace.merge.words import Span, spans

type LineKind = Literal["context", "delete", "insert"]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """One line of a hunk. Numbers count from 1 and are None where that side does not have the line."""

    kind: LineKind
    old_number: int | None
    new_number: int | None
    text: str
    """Without its line ending."""
    spans: tuple[Span, ...] = ()
    """The words that changed, where the line is an edit of another; empty for a line that is new or gone as a whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffHunk:
    """Changes and the context around them.

    `old_start` and `new_start` count from 1; as in a unified diff, the start of an empty side is the line before it.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    heading: str | None
    """Title of the nearest Markdown heading above the hunk, in the new text."""
    lines: tuple[DiffLine, ...]


def diff(old: str, new: str, context: int = 3) -> tuple[DiffHunk, ...]:
    """The hunks that lead from `old` to `new`, with up to `context` unchanged lines around each change.

    Line endings, and a missing final newline, are no difference.
    """
    before, after = Lines.of(old).keys, Lines.of(new).keys
    headings = Headings()
    read = 0
    hunks: list[DiffHunk] = []
    for group in _near(changes(before, after), context):
        first, last = group[0], group[-1]
        lead = min(context, first.old_start)
        tail = min(context, len(before) - last.old_end)
        old_start, new_start = first.old_start - lead, first.new_start - lead
        old_end, new_end = last.old_end + tail, last.new_end + tail
        headings.read(after[read:new_start])
        read = new_start
        hunks.append(
            DiffHunk(
                old_start=old_start + 1 if old_end > old_start else old_start,
                old_lines=old_end - old_start,
                new_start=new_start + 1 if new_end > new_start else new_start,
                new_lines=new_end - new_start,
                heading=headings.title,
                lines=tuple(_lines(before, after, group, old_start, old_end)),
            )
        )
    return tuple(hunks)


def stat(old: str, new: str) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    found = changes(Lines.of(old).keys, Lines.of(new).keys)
    return sum(c.new_end - c.new_start for c in found), sum(c.old_end - c.old_start for c in found)


def _near(found: Sequence[Change], context: int) -> Iterator[list[Change]]:
    """Changes whose contexts touch, together."""
    group: list[Change] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _lines(
    before: Sequence[str], after: Sequence[str], group: Sequence[Change], start: int, end: int
) -> Iterator[DiffLine]:
    at = start
    for change in group:
        shift = change.new_start - change.old_start
        for i in range(at, change.old_start):
            yield DiffLine(kind="context", old_number=i + 1, new_number=i + shift + 1, text=before[i])
        yield from _changed(before, after, change)
        at = change.old_end
    shift = group[-1].new_end - group[-1].old_end
    for i in range(at, end):
        yield DiffLine(kind="context", old_number=i + 1, new_number=i + shift + 1, text=before[i])


def _changed(before: Sequence[str], after: Sequence[str], change: Change) -> Iterator[DiffLine]:
    """The deleted lines, then the inserted ones; the first of each are compared word by word, and so on."""
    old, new = before[change.old_start : change.old_end], after[change.new_start : change.new_end]
    pairs = [spans(left, right) for left, right in zip(old, new, strict=False)]
    for i, text in enumerate(old):
        marked = pairs[i][0] if i < len(pairs) else ()
        number = change.old_start + i + 1
        yield DiffLine(kind="delete", old_number=number, new_number=None, text=text, spans=marked)
    for i, text in enumerate(new):
        marked = pairs[i][1] if i < len(pairs) else ()
        number = change.new_start + i + 1
        yield DiffLine(kind="insert", old_number=None, new_number=number, text=text, spans=marked)
