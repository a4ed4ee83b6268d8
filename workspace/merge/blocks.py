"""A Markdown text as blocks: what people edit as one thing, and what a merge may move, keep or drop whole.

A paragraph, a heading, one item of a list with its continuation, one row of a table, one line of fenced code, one
key of the front matter. Blank lines belong to the block above them. This is no parser of Markdown: it needs only
to draw the same borders in three versions of one text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

type Kind = Literal["blank", "matter", "fence", "heading", "row", "rule", "item", "paragraph", "other"]

_FENCE: Final = re.compile(r"[ \t]*(?:>[ \t]*)*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]*(?:>[ \t]?)*[ \t]*)(?P<bullet>[-*+]|\d{1,9}[.)])(?P<space>[ \t]+)(?P<box>\[[ xX]\][ \t]+)?(?=\S)"
)
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_DIVIDER: Final = re.compile(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*$")
_KEY: Final = re.compile(r"(?P<key>[A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]|$)")
_OTHER: Final = re.compile(r"[ \t]*(?:<|\[[^\]]+\]:|!\[|\{[{%]|:::|>)")
_STARTS: Final = frozenset("#-*+_=|`~<[!{:>0123456789")
"""A line that begins with anything else goes on with the paragraph above it."""


@dataclass(kw_only=True, slots=True, eq=False)  # not frozen: that makes each of thousands three times as dear
class Block:
    """Lines `start:stop` of a text, of which `body:stop` are blank."""

    kind: Kind
    start: int
    body: int
    stop: int
    key: str
    """What it says, formatting aside: two blocks with one key differ in layout at most."""
    words: str = ""
    """The prose of a paragraph or an item, its marker taken off, with its line breaks."""
    indent: str = ""
    bullet: str = ""
    """The marker of an item as it is written."""
    box: str = ""
    """The checkbox of an item: `[ ]`, `[x]` or nothing."""
    columns: int = 0
    """Cells in the first row of the table that a row is in."""

    @property
    def ordered(self) -> bool:
        return self.bullet[:1].isdigit()

    @property
    def text(self) -> str:
        return self.words or self.key


def blocks(lines: Sequence[str]) -> list[Block]:
    """All of `lines`, which carry no endings, as blocks in order; each line is in exactly one."""
    return _Reader(lines).read()


def cells(row: str) -> list[str]:
    """The cells of a table row, with the space around them; a pipe in code or after a backslash divides nothing."""
    text = row.strip().removeprefix("|")
    found: list[str] = []
    start, code, skip = 0, False, False
    for at, character in enumerate(text):
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        elif character == "`":
            code = not code
        elif character == "|" and not code:
            found.append(text[start:at])
            start = at + 1
    if text[start:].strip() or not found:
        found.append(text[start:])
    return found


def marker(line: str) -> re.Match[str] | None:
    """The indent, bullet and checkbox that an item's first line begins with."""
    return _ITEM.match(line)


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.end = len(lines)
        self.at = 0
        self.found: list[Block] = []
        self.fence: str | None = None

    def read(self) -> list[Block]:
        if self.lines and not self.lines[0].strip():
            self._add("blank", 0)
        elif self.lines and self.lines[0].rstrip() == "---":
            self._matter()
        while self.at < self.end:
            self._next()
        return self.found

    def _next(self) -> None:
        line = self.lines[self.at]
        first = line.lstrip()[:1]
        if (self.fence is not None or first in "`~>") and self._fenced(line):
            return
        after = self.at + 1
        if first == "#" and _HEADING.match(line):
            self._add("heading", after)
        elif "|" in line and self._row(line, first):
            pass
        elif first in "-*_" and _RULE.match(line):
            self._add("rule", after)
        elif first in _STARTS and (found := _ITEM.match(line)):
            self._item(found)
        elif first in _STARTS and _OTHER.match(line):
            self._add("other", after)
        else:
            body = self._continued(after)
            if body < self.end and _UNDERLINE.match(self.lines[body]):
                self._add("heading", body + 1)
            else:
                self._add("paragraph", body, words="\n".join(self.lines[self.at : body]))

    def _add(self, kind: Kind, body: int, *, key: str | None = None, blank: bool = True, **more: object) -> None:
        stop = body
        while blank and stop < self.end and not self.lines[stop].strip():
            stop += 1
        if key is None:
            key = " ".join(" ".join(self.lines[self.at : body]).split())
        self.found.append(Block(kind=kind, start=self.at, body=body, stop=stop, key=key, **more))  # type: ignore[arg-type]
        self.at = stop

    def _matter(self) -> None:
        """Front matter, a block a key; an opening that is never closed is none."""
        close = next((n for n in range(1, self.end) if self.lines[n].rstrip() == "---"), None)
        if close is None:
            return
        self._add("matter", 1, blank=False)
        while self.at < close:
            found = _KEY.match(self.lines[self.at])
            body = self.at + 1
            while found and body < close and (not self.lines[body].strip() or self.lines[body][0] in " \t-"):
                body += 1
            words = found["key"] if found else ""
            self._add("matter", body, key="\n".join(self.lines[self.at : body]), blank=False, words=words)
        self._add("matter", close + 1)

    def _fenced(self, line: str) -> bool:
        """Whether `line` is a line of fenced code, or opens or closes it."""
        found = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
        if self.fence is None:
            if found is None or (found["mark"][0] == "`" and "`" in found["info"]):
                return False
            self.fence = found["mark"]
        elif found and found["mark"].startswith(self.fence) and not found["info"].strip():
            self.fence = None
            self._add("fence", self.at + 1, key=line.rstrip())
            return True
        self._add("fence", self.at + 1, key=line.rstrip(), blank=False)
        return True

    def _row(self, line: str, first: str) -> bool:
        """Whether `line` is a row: it begins with a pipe, stands over a divider, or goes on a table."""
        above = self.found[-1] if self.found and self.found[-1].stop == self.found[-1].body == self.at else None
        goes_on = above is not None and above.kind == "row"
        below = self.lines[self.at + 1] if self.at + 1 < self.end else ""
        if not (first == "|" or goes_on or ("|" in below and _DIVIDER.match(below))):
            return False
        row = [" ".join(cell.split()) for cell in cells(line)]
        columns = above.columns if above is not None and goes_on else len(row)
        self._add("row", self.at + 1, key="|".join(row), columns=columns, words="")
        return True

    def _item(self, found: re.Match[str]) -> None:
        body = self._continued(self.at + 1)
        words = "\n".join([self.lines[self.at][found.end() :], *self.lines[self.at + 1 : body]])
        indent, box = found["indent"].expandtabs(4), (found["box"] or "").strip().lower()
        ordered = "1" if found["bullet"][0].isdigit() else "-"
        key = "\0".join((indent, ordered, box, " ".join(words.split())))
        self._add("item", body, key=key, words=words, indent=indent, bullet=found["bullet"], box=box)

    def _continued(self, at: int) -> int:
        """The first line from `at` on that does not go on with the prose above it."""
        while at < self.end:
            line = self.lines[at]
            first = line.lstrip()[:1]
            if not first:
                break
            if first in _STARTS and (
                _ITEM.match(line)
                if first.isdigit()
                else _ITEM.match(line)
                or _HEADING.match(line)
                or first == "|"
                or _FENCE.fullmatch(line)
                or _RULE.match(line)
                or _UNDERLINE.match(line)
                or _OTHER.match(line)
            ):
                break
            at += 1
        return at
