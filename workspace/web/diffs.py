"""A diff as rows for a template: inline, and side by side with changed lines facing each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

from workspace.merge.diff import DiffHunk, DiffLine

STYLES = {"context": ("", " "), "delete": ("del", "−"), "insert": ("ins", "+")}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of an inline diff."""

    old_number: int | None
    new_number: int | None
    style: str
    sign: str
    html: SafeString


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One side of a row; ``style`` is ``none`` where that side has no line."""

    number: int | None
    style: str
    html: SafeString


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A row of a diff side by side."""

    left: Cell
    right: Cell


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """A hunk in both shapes."""

    old_start: int
    new_start: int
    heading: str | None
    formatting: bool
    lines: tuple[Line, ...]
    pairs: tuple[Pair, ...]


NOTHING = Cell(number=None, style="none", html=mark_safe(""))


def spanned(text: str, spans: Sequence[tuple[int, int]], tag: str) -> SafeString:
    """``text`` escaped, with the character ranges ``spans`` inside ``tag`` elements."""
    out, at = [], 0
    for start, end in _joined(text, spans):
        out.append(escape(text[at:start]))
        out.append(f"<{tag}>{escape(text[start:end])}</{tag}>")
        at = end
    out.append(escape(text[at:]))
    return mark_safe("".join(out))


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans, those that only blanks part made into one: a changed phrase reads as one change."""
    held: tuple[int, int] | None = None
    for start, end in spans:
        if held and not text[held[1] : start].strip():
            held = (held[0], end)
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held


def _html(line: DiffLine) -> SafeString:
    tag = "ins" if line.kind == "insert" else "del"
    return spanned(line.text, [(span.start, span.end) for span in line.spans], tag)


def _line(line: DiffLine) -> Line:
    style, sign = STYLES[line.kind]
    return Line(old_number=line.old_number, new_number=line.new_number, style=style, sign=sign, html=_html(line))


def _left(line: DiffLine) -> Cell:
    return Cell(number=line.old_number, style=STYLES[line.kind][0], html=_html(line))


def _right(line: DiffLine) -> Cell:
    return Cell(number=line.new_number, style=STYLES[line.kind][0], html=_html(line))


def _pairs(lines: Sequence[DiffLine]) -> Iterator[Pair]:
    gone: list[DiffLine] = []
    came: list[DiffLine] = []

    def flush() -> Iterator[Pair]:
        for index in range(max(len(gone), len(came))):
            yield Pair(
                left=_left(gone[index]) if index < len(gone) else NOTHING,
                right=_right(came[index]) if index < len(came) else NOTHING,
            )
        gone.clear()
        came.clear()

    for line in lines:
        match line.kind:
            case "delete":
                if came:
                    yield from flush()
                gone.append(line)
            case "insert":
                came.append(line)
            case _:
                yield from flush()
                yield Pair(left=_left(line), right=_right(line))
    yield from flush()


def rows(hunks: Sequence[DiffHunk]) -> tuple[Hunk, ...]:
    """The hunks, ready to be drawn."""
    return tuple(
        Hunk(
            old_start=hunk.old_start,
            new_start=hunk.new_start,
            heading=hunk.heading,
            formatting=hunk.formatting,
            lines=tuple(_line(line) for line in hunk.lines),
            pairs=tuple(_pairs(hunk.lines)),
        )
        for hunk in hunks
    )
