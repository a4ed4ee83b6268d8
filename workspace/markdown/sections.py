"""The outline of a document, and replacing one section of it.

A section runs from its heading to the line before the next heading of the same or a higher level, subsections
included. Headings inside fences, HTML blocks, lists, quotes and front matter open no section.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from workspace.markdown import blocks, front_matter, lines

MAX_TITLE = 500
# Every write looks for the title while it holds the document's lock.
TITLE_WITHIN = 32_768
_INLINE = blocks.parser()
_MARKUP = re.compile(r"[*_`~\[\]!<&\\\n]")
_SPACES = re.compile(r"\s+")
_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_BLANK_END = re.compile(r"\n\s*\Z|\A\s+\Z")
_LABEL_LIMIT = 50


@dataclass(frozen=True, kw_only=True)
class Section:
    """One heading and what is under it. `path` holds the titles from the outermost heading to this one;
    `heading_end` is the last line of the heading itself (a setext heading has several)."""

    title: str
    level: int
    path: tuple[str, ...]
    anchor: str
    start_line: int
    heading_end: int
    end_line: int


class SectionError(ValueError):
    """No section, or more than one, answers to `name`. `matches` are those that do; `titles` all there are."""

    def __init__(self, name: str, matches: tuple[Section, ...], titles: tuple[str, ...]) -> None:
        self.name, self.matches, self.titles = name, matches, titles
        if matches:
            choices = ", ".join(f"#{match.anchor} (line {match.start_line})" for match in matches[:20])
            message = f"{len(matches)} sections are called {name!r}: name one by its anchor: {choices}"
        elif titles:
            message = f"no section is called {name!r}; there are: {', '.join(titles[:20])}"
        else:
            message = f"no section is called {name!r}: the document has no headings"
        super().__init__(message)


class Anchors:
    """Hands out anchors the way GitHub does: unique within one document, in order of asking."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, title: str) -> str:
        slug = "".join(_slug_characters(title.strip().lower())) or "section"
        anchor, number = slug, self._next.get(slug, 0)
        while anchor in self._taken:
            number += 1
            anchor = f"{slug}-{number}"
        self._next[slug] = number
        self._taken.add(anchor)
        return anchor


def outline(text: str) -> tuple[Section, ...]:
    """All sections in document order."""
    return outline_of(blocks.parse(text))


def outline_of(parsed: blocks.Parsed) -> tuple[Section, ...]:
    """The sections of a document that is already parsed."""
    anchors = Anchors()
    found: list[tuple[str, int, tuple[str, ...], str, int, int]] = []
    open_titles: list[tuple[int, str]] = []
    for opening, inline in _headings(parsed.tokens):
        assert opening.map is not None
        title, level = plain(inline.content), int(opening.tag[1])
        while open_titles and open_titles[-1][0] >= level:
            open_titles.pop()
        open_titles.append((level, title))
        path = tuple(each for _, each in open_titles)
        start, end = opening.map[0] + parsed.offset + 1, opening.map[1] + parsed.offset
        found.append((title, level, path, anchors.take(title), start, end))
    ends = _ends([(level, start) for _, level, _, _, start, _ in found], parsed.total)
    return tuple(
        Section(
            title=title, level=level, path=path, anchor=anchor, start_line=start, heading_end=heading_end, end_line=end
        )
        for (title, level, path, anchor, start, heading_end), end in zip(found, ends, strict=True)
    )


def find(text: str, name: str) -> Section:
    """The one section called `name`.

    `name` is a title, a path of titles (``Plan > Risks``; its tail is enough), a heading as written
    (``## Risks``, which fixes the level) or an anchor (``#risks-1`` or ``risks-1``). Titles are compared exactly first
    and without case last. Raises `SectionError` when none or several answer.
    """
    return _choose(outline(text), name)


def replace(text: str, name: str, content: str) -> str:
    """The document with the section `name`, subsections included, replaced by `content`.

    The heading stays unless `content` begins with a heading of the same or a higher level, or of the same title.
    Blank lines around the section and the document's line ends are kept. Raises `SectionError`.
    """
    section = find(text, name)
    every = lines.split(text)
    end_of_line = lines.eol(text)
    before = every[: section.start_line - 1]
    heading = every[section.start_line - 1 : section.heading_end]
    body = every[section.heading_end : section.end_line]
    after = every[section.end_line :]

    leading, trailing = _blank_edges(body)
    wanted = _BLANK_END.sub("", _BLANK_START.sub("", lines.normalise(content)))
    if _brings_heading(wanted, section):
        heading, leading = [], []
    elif wanted and not leading:
        # A body that hugs its heading stays so; an empty section gets the customary blank line.
        leading = [] if len(body) > len(trailing) else [end_of_line]
    elif not wanted:
        leading = []
    new = [line + end_of_line for line in wanted.split("\n")] if wanted else []
    if after and not trailing:
        trailing = [end_of_line]
    if heading and new and lines.bare(heading[-1]) == heading[-1]:
        heading = [*heading[:-1], heading[-1] + end_of_line]
    result = "".join([*before, *heading, *leading, *new, *trailing, *after])
    if not after and text and text[-1] not in "\r\n":
        result = lines.bare(result)
    return result


def restore(text: str, earlier: str, name: str) -> str:
    """`text` with the section called `name` as it stands in `earlier`, heading and subsections included.

    Where `text` has no such section it is put after the one that it followed, or at the end. Raises `SectionError`
    where `earlier` has none, or either has several.
    """
    before = outline(earlier)
    section = _choose(before, name)
    content = lines.slice(earlier, section.start_line, section.end_line)
    now = outline(text)
    if found := _same(now, section):
        if len(found) > 1:
            raise SectionError(name, found, tuple(each.title for each in now))
        return replace(text, f"#{found[0].anchor}", content)
    every, end_of_line = lines.split(text), lines.eol(text)
    at = len(every)
    for above in reversed(before[: before.index(section)]):
        if len(there := _same(now, above)) == 1:
            # Under what it stood in, it comes first; beside what it followed, it comes after all of that.
            inside = above.level < section.level and section.path[: len(above.path)] == above.path
            at = _first_below(now, there[0]) if inside else there[0].end_line
            break
    body = _BLANK_END.sub("", _BLANK_START.sub("", lines.normalise(content)))
    new = [line + end_of_line for line in body.split("\n")]
    head, rest = every[:at], every[at:]
    if head and lines.bare(head[-1]) == head[-1]:
        head[-1] += end_of_line
    gap = [end_of_line] if head and head[-1].strip() else []
    return "".join([*head, *gap, *new, *([end_of_line] if rest else []), *rest])


def _same(sections: tuple[Section, ...], wanted: Section) -> tuple[Section, ...]:
    return tuple(section for section in sections if section.path == wanted.path and section.level == wanted.level)


def _first_below(sections: tuple[Section, ...], above: Section) -> int:
    """The last line of what stands right under a heading, before its first subsection."""
    inside = [s.start_line for s in sections if above.start_line < s.start_line <= above.end_line]
    return min(inside) - 1 if inside else above.end_line


def title_of(text: str) -> str | None:
    """The title in the front matter, else the first heading of the first `TITLE_WITHIN` characters, else None."""
    front = front_matter.split(text)
    title = front.fields.get("title")
    if isinstance(title, str | int | float) and not isinstance(title, bool) and str(title).strip():
        return _SPACES.sub(" ", str(title)).strip()[:MAX_TITLE]
    return next((section.title for section in outline(front.raw + _beginning(front.body)) if section.title), None)


def _beginning(body: str) -> str:
    """Whole lines from the start. What is a heading there is one in the whole: no later line can undo it."""
    if len(body) <= TITLE_WITHIN:
        return body
    end = max(body.rfind(mark, 0, TITLE_WITHIN) for mark in "\r\n") + 1
    return body[:end]


def labels_of(text: str) -> tuple[str, ...]:
    """`labels` and `tags` of the front matter (a list, or one string with commas), each at most 50 characters."""
    fields = front_matter.split(text).fields
    found: dict[str, None] = {}
    for key in ("labels", "tags"):
        value = fields.get(key)
        for item in value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ():
            label = _short(item)
            if label:
                found.setdefault(label)
    return tuple(found)[:_LABEL_LIMIT]


def type_of(text: str) -> str | None:
    """`type` of the front matter, at most 50 characters."""
    return _short(front_matter.split(text).fields.get("type")) or None


def plain(source: str) -> str:
    """The text of one heading without its markup, white space collapsed."""
    if len(source) <= MAX_TITLE and _MARKUP.search(source):
        (token,) = _INLINE.parseInline(source)
        source = "".join(_text(token.children or ()))
    return _SPACES.sub(" ", source).strip()[:MAX_TITLE]


def _text(tokens: "Iterator[Token] | list[Token] | tuple[Token, ...]") -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "text" | "code_inline" | "text_special":
                yield token.content
            case "softbreak" | "hardbreak":
                yield " "
            case "image":
                yield from _text(token.children or [])


def _headings(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            yield token, tokens[index + 1]


def _ends(headings: list[tuple[int, int]], total: int) -> list[int]:
    ends = [total] * len(headings)
    open_indexes: list[int] = []
    for index, (level, start) in enumerate(headings):
        while open_indexes and headings[open_indexes[-1]][0] >= level:
            ends[open_indexes.pop()] = start - 1
        open_indexes.append(index)
    return ends


def _slug_characters(text: str) -> Iterator[str]:
    for character in text:
        if character in "-_":
            yield character
        elif character.isspace():
            yield "-"
        elif unicodedata.category(character)[0] in "LMN":
            yield character


def _choose(sections: tuple[Section, ...], name: str) -> Section:
    wanted = _SPACES.sub(" ", name).strip()
    written = re.fullmatch(r"(#{1,6}) (.*?)(?: #+)?", wanted)
    path = tuple(part.strip() for part in wanted.split(" > "))
    loose = wanted.casefold()
    loose_path = tuple(part.casefold() for part in path)
    attempts = (
        lambda s: s.title == wanted,
        lambda s: written is not None and s.level == len(written[1]) and s.title == plain(written[2]),
        lambda s: len(path) > 1 and s.path == path,
        lambda s: len(path) > 1 and s.path[-len(path) :] == path,
        lambda s: s.anchor == wanted.removeprefix("#"),
        lambda s: s.title.casefold() == loose,
        lambda s: written is not None and s.level == len(written[1]) and s.title.casefold() == written[2].casefold(),
        lambda s: len(path) > 1 and tuple(t.casefold() for t in s.path[-len(path) :]) == loose_path,
    )
    matches: tuple[Section, ...] = ()
    if wanted:
        for answers in attempts:
            matches = tuple(section for section in sections if answers(section))
            if matches:
                break
    if len(matches) != 1:
        raise SectionError(name, matches, tuple(section.title for section in sections))
    return matches[0]


def _blank_edges(body: list[str]) -> tuple[list[str], list[str]]:
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is None:
        return [], body
    last = next(i for i in range(len(body) - 1, -1, -1) if body[i].strip())
    return body[:first], body[last + 1 :]


def _brings_heading(content: str, section: Section) -> bool:
    own = outline(content)
    if not own or own[0].start_line != 1:
        return False
    return own[0].level <= section.level or own[0].title == section.title


def _short(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return _SPACES.sub(" ", str(value)).strip().lstrip("#").strip()[:_LABEL_LIMIT].strip()
