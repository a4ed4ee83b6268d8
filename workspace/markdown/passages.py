"""A document cut into passages, for the index and for citations.

Passages partition the document: joined they are the text again, and every line belongs to one passage (a single line
longer than the limit is several passages of that line). Whole paragraphs, lists, tables and fences are packed under
their heading up to the limit.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workspace.markdown import blocks, lines, sections

LIMIT = 1200
_BREAKS = re.compile(r"(?<=[.!?。！？…])\s*|\s+")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """`heading` is the path of titles above the passage, joined by `` > ``, empty before the first heading."""

    heading: str
    start_line: int
    end_line: int
    text: str


def split(text: str, limit: int = LIMIT) -> tuple[Passage, ...]:
    """The passages of `text` in order, each at most `limit` characters. Blank text has none."""
    if limit < 1:
        raise ValueError("a passage holds at least one character")
    if not text.strip():
        return ()
    parsed = blocks.parse(text)
    outline = sections.outline_of(parsed)
    every = lines.split(text)
    starts = {section.start_line - 1: section for section in outline}
    units = list(_units(parsed, every, limit, starts))
    found: list[Passage] = []
    heading = ""
    first = last = 0
    size = 0
    bare_heading = False
    for start, end, length in units:
        section = starts.get(start)
        # A heading with nothing under it goes with what follows, so that no passage is a title alone.
        full = size + length > limit
        if last > first and (full or (section is not None and not bare_heading)):
            found.extend(_passages(every, first, last, heading, limit))
            first, size = start, 0
        if section is not None:
            heading, bare_heading = " > ".join(section.path), True
        elif any(line.strip() for line in every[start:end]):
            bare_heading = False
        last, size = end, size + length
    found.extend(_passages(every, first, last, heading, limit))
    return tuple(found)


def _units(
    parsed: blocks.Parsed, every: list[str], limit: int, starts: dict[int, sections.Section]
) -> Iterator[tuple[int, int, int]]:
    """Runs of lines that stay together when they fit, as (start, end, characters); blank lines follow what precedes."""
    items = [token.map[0] + parsed.offset for token in parsed.tokens if token.type == "list_item_open" and token.map]
    tops = [t.map[0] + parsed.offset for t in parsed.tokens if t.level == 0 and t.map and t.nesting >= 0]
    edges = sorted({0, *tops, len(every)})
    if parsed.offset and parsed.offset not in edges:
        edges = sorted({*edges, parsed.offset})
    breaks = sorted(set(items))
    at = 0
    for start, end in itertools.pairwise(edges):
        length = sum(map(len, every[start:end]))
        if length <= limit:
            yield start, end, length
            continue
        while at < len(breaks) and breaks[at] <= start:
            at += 1
        inner = [start]
        while at < len(breaks) and breaks[at] < end:
            inner.append(breaks[at])
            at += 1
        for from_line, to_line in zip(inner, [*inner[1:], end], strict=True):
            length = sum(map(len, every[from_line:to_line]))
            if length <= limit:
                yield from_line, to_line, length
            else:
                yield from _lines(every, from_line, to_line)


def _lines(every: list[str], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each line with the blank lines after it."""
    first = start
    for index in range(start + 1, end + 1):
        if index == end or every[index].strip():
            yield first, index, sum(map(len, every[first:index]))
            first = index


def _passages(every: list[str], first: int, last: int, heading: str, limit: int) -> Iterator[Passage]:
    text = "".join(every[first:last])
    if len(text) <= limit:
        if text:
            yield Passage(heading=heading, start_line=first + 1, end_line=last, text=text)
        return
    # One unit over the limit: a long line (with blank lines behind it), or blank lines alone.
    start, size = first, 0
    for index in range(first, last + 1):
        length = len(every[index]) if index < last else limit + 1
        if size + length > limit and index > start:
            yield Passage(heading=heading, start_line=start + 1, end_line=index, text="".join(every[start:index]))
            start, size = index, 0
        if index < last and length > limit:
            for piece in _pieces(every[index], limit):
                yield Passage(heading=heading, start_line=index + 1, end_line=index + 1, text=piece)
            start, size = index + 1, 0
        else:
            size += length


def _pieces(line: str, limit: int) -> Iterator[str]:
    start = 0
    while len(line) - start > limit:
        cut = start + limit
        best = sentence = 0
        for found in _BREAKS.finditer(line, start, cut):
            if found.end() > start:
                best = found.end()
                if line[found.start() - 1] in ".!?。！？…":
                    sentence = found.end()
        if sentence - start > limit // 2:
            cut = sentence
        elif best - start > limit // 2:
            cut = best
        yield line[start:cut]
        start = cut
    if start < len(line):
        yield line[start:]
