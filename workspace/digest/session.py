"""A captured session as passages: paragraphs and list items, each with what stands above it.

Works line by line, because a capture is often no proper Markdown: logs, labels, half a transcript.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workspace.digest import cues, sentences
from workspace.markdown import front_matter, lines

_FENCE = re.compile(r" {0,3}(?:[-*+>] {0,3})*(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z")
_BOLD_HEADING = re.compile(r"[ \t]*(\*\*|__)([^*_]{1,80})\1[ \t]*[:：]?[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{2,})[ \t]*\Z")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•–]|[0-9]{1,4}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*)")
_NOISE = re.compile(
    r"[ \t]*(?:\||<!--|</?[a-zA-Z][^>]*>[ \t]*\Z|[-*_=~#]{3,}[ \t]*\Z)"
    r"|[ \t]*(?:\$ |>>> |@@ |diff --git |[+-]{3} |Traceback \(|File \")"
)
_INDENTED = re.compile(r"(?: {4}|\t)")
_SETEXT_MAX = 80


@dataclass(frozen=True, kw_only=True)
class Passage:
    """`text` is one line, white space collapsed, list markers and labels off. `section` is what the heading, label or
    check box says it is; `titled` that any heading stands above; `role` who speaks, where that is known."""

    text: str
    item: bool = False
    section: str | None = None
    titled: bool = False
    role: str | None = None


def passages(content: str) -> Iterator[Passage]:
    """The passages of a capture in order; code, tables, comments, commands and tool output are left out."""
    for role, text in _turns(content):
        if role != "machine":
            yield from _Reader(role).read(text)


def _turns(content: str) -> Iterator[tuple[str | None, str]]:
    """Runs of text by one speaker; (None, all of it) where it is no transcript."""
    rows = lines.normalise(front_matter.split(content).body).split("\n")
    turns: list[tuple[str, str] | None] = []
    fence = ""
    for row in rows:
        found = _FENCE.match(row)
        if found:
            fence = found[1] if not fence else "" if found[1].startswith(fence) and not found[2].strip() else fence
        turns.append(None if fence else _json_turn(row) or cues.speaker(row))
    if not any(turn and turn[0] != "machine" for turn in turns):
        # "System: …" in notes that nobody else speaks in is a note.
        yield None, "\n".join(rows)
        return
    role: str | None = None
    held: list[str] = []
    for row, turn in zip(rows, turns, strict=True):
        if turn is None:
            held.append(row)
            continue
        yield role, "\n".join(held)
        role, held = turn[0], [turn[1]]
    yield role, "\n".join(held)


def _json_turn(line: str) -> tuple[str, str] | None:
    """(role, text) of a line of a JSON transcript, whichever host wrote it."""
    if not line.startswith("{") or not line.rstrip().endswith("}"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    message = value.get("message") if isinstance(value.get("message"), dict) else value
    role = message.get("role") or value.get("role") or value.get("type")
    if not isinstance(role, str):
        return None
    text = _json_text(message.get("content") or message.get("text") or message.get("parts"))
    known = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "agent": "assistant"}
    return known.get(role.lower(), "machine"), text


def _json_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")]
    return "\n\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


class _Reader:
    def __init__(self, role: str | None) -> None:
        self._role = role
        self._section: str | None = None
        self._titled = False
        self._labelled = False
        self._listed = False
        self._nested: tuple[int, str] | None = None
        self._held: list[str] = []
        self._item = False
        self._own: str | None = None

    def read(self, text: str) -> Iterator[Passage]:
        fence = ""
        comment = False
        rows = text.split("\n")
        for index, row in enumerate(rows):
            row = re.sub(r"\A {0,3}(?:> ?)+", "", row)
            found = _FENCE.match(row)
            if found and (not fence or (found[1].startswith(fence) and not found[2].strip())):
                fence = "" if fence else found[1]
                yield from self._flush()
                continue
            if fence:
                continue
            comment = comment or row.lstrip().startswith("<!--")
            if comment:
                comment = "-->" not in row
                yield from self._flush()
                continue
            following = rows[index + 1] if index + 1 < len(rows) else ""
            yield from self._line(row, following)
        yield from self._flush()

    def _line(self, row: str, following: str) -> Iterator[Passage]:
        heading = self._heading(row, following)
        if heading is not None:
            yield from self._flush()
            title, self._labelled = heading
            self._section, self._titled = cues.section_of_heading(title), True
            self._nested, self._listed = None, False
        elif not row.strip() or _NOISE.match(row):
            yield from self._flush()
        elif (item := _ITEM.match(row)) is not None:
            yield from self._flush()
            self._begin_item(item)
        elif self._held and (self._item or not cues.label(row.strip())):
            self._held.append(row.strip())
        elif self._held or not _INDENTED.match(row):
            yield from self._flush()
            self._begin_paragraph(row.strip())

    def _heading(self, row: str, following: str) -> tuple[str, bool] | None:
        """(title, whether it is only a label that a list or a paragraph follows)."""
        found = _HEADING.match(row)
        if found:
            return found[1], False
        bold = _BOLD_HEADING.match(row)
        if bold and not self._held:
            return bold[2], False
        if self._held or _ITEM.match(row) or not row.strip() or len(row) > _SETEXT_MAX or _INDENTED.match(row):
            return None
        if _UNDERLINE.match(following):
            return row, False
        bare = row.strip()
        if cues.section_of_heading(bare) and (bare[-1] in ":：" or not following.strip() or _ITEM.match(following)):
            return bare, True
        return None

    def _begin_item(self, item: re.Match[str]) -> None:
        indent, box, text = len(item[1].expandtabs(4)), item[2], item[3].strip()
        if self._nested and indent <= self._nested[0]:
            self._nested = None
        own = self._nested[1] if self._nested else None
        found = cues.label(text)
        if found:
            own, text = found
            if not text:
                # "- Rejected:" speaks for the items under it.
                self._nested = (indent, own)
                return
        elif box is not None and (self._section is None or box.strip()):
            own = "changed" if box.strip() else "open"
        self._listed = True
        self._item, self._own, self._held = True, own, [text]

    def _begin_paragraph(self, text: str) -> None:
        found = cues.label(text)
        own = None
        if found and found[1]:
            own, text = found
        self._nested = None
        if self._labelled and self._listed:
            # "Next steps:" and its list end where running text begins again.
            self._section, self._labelled = None, False
        self._item, self._own, self._held = False, own, [text]

    def _flush(self) -> Iterator[Passage]:
        text = " ".join(" ".join(self._held).split())
        ahead: str | None = None
        if text and not self._item and text[-1] in ":：":
            # "… is done. Next steps:" speaks for the list that follows.
            *before, last = sentences.split(text)
            ahead = cues.section_of_heading(last)
            text = " ".join(before) if ahead else text
        if text:
            yield Passage(
                text=text, item=self._item, section=self._own or self._section, titled=self._titled, role=self._role
            )
        if ahead:
            self._section, self._labelled, self._listed = ahead, True, False
        self._held, self._own, self._item = [], None, False
