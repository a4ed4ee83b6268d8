"""The Markdown headings that a line lies under."""

import re
from collections.abc import Iterable
from typing import Final

from workspace.merge.lines import bare, split

_ATX: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_NO_TITLE: Final = re.compile(r"\s*(?:[-*+>|]|\d+[.)]\s|$)")


class Headings:
    """Reads text in order and knows which headings it is under: ATX or setext, outside fenced code."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._fence: str | None = None
        self._above = ""
        self._unread: list[str] = []

    def later(self, text: str) -> None:
        """Go on with `text`, whole lines. Read once a path is asked for: a clean merge never does."""
        self._unread.append(text)

    @property
    def title(self) -> str | None:
        """Title of the nearest heading above."""
        path = self.path
        return path[-1] if path else None

    @property
    def path(self) -> tuple[str, ...]:
        """Titles from the top down to the heading that is the nearest above."""
        unread, self._unread = self._unread, []
        for text in unread:
            self.read(bare(line) for line in split(text))
        return tuple(title for _, title in self._path)

    def read(self, lines: Iterable[str]) -> None:
        """Go on with `lines`, which carry no line endings."""
        for line in lines:
            if self._fence is None and (heading := _heading(line, self._above)):
                level, _ = heading
                self._path = [*(above for above in self._path if above[0] < level), heading]
                self._above = ""
                continue
            self._above = line
            if ("```" in line or "~~~" in line) and (found := _FENCE.fullmatch(line)):
                self._fenced(found["mark"], found["info"])

    def _fenced(self, mark: str, info: str) -> None:
        if self._fence is None:
            if mark[0] == "~" or "`" not in info:
                self._fence = mark
        elif mark.startswith(self._fence) and not info.strip():
            self._fence = None


def _heading(line: str, above: str) -> tuple[int, str] | None:
    """Level and title of the heading that `line` is, or makes of the line above."""
    text = line.lstrip(" ")
    if text.startswith("#"):
        found = _ATX.fullmatch(line)
        title = (found["title"] or "").strip("# \t") if found else ""
        return (len(text) - len(text.lstrip("#")), title) if title else None
    if text.startswith(("=", "-")) and _UNDERLINE.fullmatch(line) and not _NO_TITLE.match(above):
        return 1 if text[0] == "=" else 2, above.strip()
    return None
