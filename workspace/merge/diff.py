"""The difference of two texts, as hunks of lines for people to read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from workspace.merge.formatting import divided
from workspace.merge.headings import Headings
from workspace.merge.lines import Lines
from workspace.merge.myers import Change, changes
from workspace.merge.words import Marker, Span

_WORK: Final = 500_000
"""Steps of search; texts of a megabyte that have little in common are compared in less than a second."""

type LineKind = Literal["context", "delete", "insert"]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """One line of a hunk. Numbers count from 1 and are None where that side does not have the line."""

    kind: LineKind
    old_number: int | None
    new_number: int | None
    text: str
    """Without its line ending."""
    spans: tuple[Span, ...]
    """The words that changed; none in a line that is new or gone as a whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffHunk:
    """Changes and the context around them.

    `old_start` and `new_start` count from 1; as in a unified diff, the start of an empty side is the line
    before it.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    heading: str | None
    """Title of the nearest Markdown heading above the hunk, in the new text."""
    formatting: bool
    """Whether all its changes are of formatting: lines broken anew, another bullet, and no word."""
    lines: tuple[DiffLine, ...]


def diff(old: str, new: str, context: int = 3, most: int | None = None) -> tuple[DiffHunk, ...]:
    """The hunks that lead from `old` to `new`, with up to `context` unchanged lines around each change.

    Line endings, and a missing final newline, are no difference. With `most`, the hunks hold that many lines
    together and no more: those after are left out, and the last may be without the end of its lines.
    """
    return compare(old, new, context, most).hunks


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Hunks, how many lines were `added` and `removed` in all, and whether lines were left out of the hunks."""

    hunks: tuple[DiffHunk, ...]
    added: int
    removed: int
    truncated: bool


def compare(old: str, new: str, context: int = 3, most: int | None = None) -> Comparison:
    """`diff` and `stat` at once."""
    before, after = Lines.of(old).keys, Lines.of(new).keys
    # What only formatting takes of the marking is not missing where words change.
    headings, markers = Headings(), {True: Marker(), False: Marker()}
    read = 0
    hunks: list[DiffHunk] = []
    found = changes(before, after, work=_WORK)
    groups = list(_near(divided(before, after, found), context))
    left = len(before) + len(after) if most is None else most
    truncated = False
    shown_to = 0
    for number, (group, formatting) in enumerate(groups):
        if left <= 0:
            truncated = True
            break
        first, last = group[0], group[-1]
        following, spare = len(before), 0
        if number + 1 < len(groups):
            following = groups[number + 1][0][0].old_start
            # Lines between the two are shown once, with the change of words.
            spare = context if formatting else 0
        lead = min(context, first.old_start - shown_to)
        tail = max(0, min(context, following - last.old_end - spare))
        old_start, new_start = first.old_start - lead, first.new_start - lead
        old_end, new_end = last.old_end + tail, last.new_end + tail
        shown_to = old_end
        headings.read(after[read:new_start])
        read = new_start
        shown = tuple(islice(_lines(before, after, group, range(old_start, old_end), markers[formatting]), left + 1))
        truncated = len(shown) > left
        shown, left = shown[:left], left - len(shown)
        hunks.append(
            DiffHunk(
                old_start=old_start + 1 if old_end > old_start else old_start,
                old_lines=old_end - old_start,
                new_start=new_start + 1 if new_end > new_start else new_start,
                new_lines=new_end - new_start,
                heading=headings.title,
                formatting=formatting,
                lines=shown,
            )
        )
    return Comparison(
        hunks=tuple(hunks),
        added=sum(c.new_end - c.new_start for c in found),
        removed=sum(c.old_end - c.old_start for c in found),
        truncated=truncated,
    )


def stat(old: str, new: str) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    found = changes(Lines.of(old).keys, Lines.of(new).keys, work=_WORK)
    return sum(c.new_end - c.new_start for c in found), sum(c.old_end - c.old_start for c in found)


def _near(found: Sequence[tuple[Change, bool]], context: int) -> Iterator[tuple[list[Change], bool]]:
    """Changes whose contexts touch, together; those of words and those of formatting are apart."""
    group: list[Change] = []
    kind = False
    for change, formatting in found:
        if group and (formatting is not kind or change.old_start - group[-1].old_end > 2 * context):
            yield group, kind
            group = []
        group.append(change)
        kind = formatting
    if group:
        yield group, kind


def _lines(
    before: Sequence[str], after: Sequence[str], group: Sequence[Change], span: range, marker: Marker
) -> Iterator[DiffLine]:
    """The lines of a hunk that covers the old lines in `span`; deleted lines stand before those inserted."""
    at, shift = span.start, group[0].new_start - group[0].old_start
    for change in group:
        yield from _context(before, range(at, change.old_start), shift)
        old, new = before[change.old_start : change.old_end], after[change.new_start : change.new_end]
        old_spans, new_spans = marker.mark(old, new)
        for number, (text, spans) in enumerate(zip(old, old_spans, strict=True), change.old_start + 1):
            yield DiffLine(kind="delete", old_number=number, new_number=None, text=text, spans=spans)
        for number, (text, spans) in enumerate(zip(new, new_spans, strict=True), change.new_start + 1):
            yield DiffLine(kind="insert", old_number=None, new_number=number, text=text, spans=spans)
        at, shift = change.old_end, change.new_end - change.old_end
    yield from _context(before, range(at, span.stop), shift)


def _context(before: Sequence[str], span: range, shift: int) -> Iterator[DiffLine]:
    for i in span:
        yield DiffLine(kind="context", old_number=i + 1, new_number=i + shift + 1, text=before[i], spans=())
