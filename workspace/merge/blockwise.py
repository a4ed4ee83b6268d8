"""One block of the base that either side reworded, took out, moved or laid out anew."""

import re
from collections.abc import Sequence
from typing import Final

from workspace.merge import links, sentences
from workspace.merge.blocks import Block, cells, marker
from workspace.merge.hunks import Rule
from workspace.merge.lines import bare, ending
from workspace.merge.sides import Place
from workspace.merge.subsumed import subsumed
from workspace.merge.telling import tells

_HEADING: Final = re.compile(r"( {0,3}#{1,6}[ \t]+)(.*?)((?:[ \t]*\{(?:#|/\*)[^{}]*\})?)([ \t\r\n]*)", re.DOTALL)
"""Marks, words, and the anchor that some sites take at the end: `{#name}` or `{/*name*/}`."""

type Settled = tuple[Sequence[str] | None, Rule | None]
"""Lines and the rule that found them; None for the lines is a conflict."""
CONFLICT: Settled = (None, None)


def third[T](base: T, head: T, incoming: T) -> T | None:
    """What the one side that differs from the base says, or both; None where they say different things."""
    if head in (base, incoming):
        return incoming
    return head if incoming == base else None


def settle(place: Place, index: int) -> Settled:
    """The lines of block `index` of the base in the merged text."""
    block, head, incoming = place.base[index], place.version(index, 0), place.version(index, 1)
    if head is None or incoming is None:
        return _gone(place, index, block, head or incoming)
    if any(version.key in place.twice and version.key != block.key for version in (head, incoming)):
        return CONFLICT
    lines, rule = _body(place, block, head, incoming)
    if lines is None:
        return CONFLICT
    sides = place.sides
    if rule:
        texts = (sides.base.body(block), sides.head.body(head), sides.incoming.body(incoming), lines)
        place.reworded.update(bare(line) for text in texts for line in text)
    blank = [tuple(text.blank(b)) for text, b in ((sides.base, block), (sides.head, head), (sides.incoming, incoming))]
    between = third(*blank)
    return [*lines, *(blank[1] if between is None else between)], rule


def _gone(place: Place, index: int, block: Block, other: Block | None) -> Settled:
    """A block that at least one side no longer has here; `other` is what the other side made of it."""
    moved = [place.elsewhere(index, side) is not None for side in (0, 1)]
    if other is None:
        # Both moved it, to places that need not be one; or one moved it and the other took it out.
        return CONFLICT if any(moved) else ((), None)
    if any(moved):
        return (), "moved"
    if other.key == block.key:
        return (), None
    side = 0 if place.version(index, 0) is None else 1
    replaced = place.added(index, side) or place.added(index + 1, side)
    if not replaced and other.box == block.box and _shortened(block, other):
        text = (place.sides.head, place.sides.incoming)[1 - side]
        place.reworded.update(bare(line) for line in text.body(other))
        return (), "subsumed"
    return CONFLICT


def _shortened(base: Block, other: Block) -> bool:
    """Whether a block is what is left of another after whole sentences were taken out: it says nothing new."""
    if base.kind not in ("paragraph", "item"):
        return False
    left, rest = sentences.sentences(other.text), iter(map(sentences.plain, sentences.sentences(base.text)))
    return bool(left) and all(sentences.plain(sentence) in rest for sentence in left)


def _body(place: Place, base: Block, head: Block, incoming: Block) -> Settled:
    sides = place.sides
    old, first, second = sides.base.body(base), sides.head.body(head), sides.incoming.body(incoming)
    if first in (old, second):
        return second, None
    if second == old:
        return first, None
    if head.key == incoming.key or incoming.key == base.key:
        return _bulleted(first, base, head, incoming), "formatting"
    if head.key == base.key:
        return _bulleted(second, base, head, incoming), "formatting"
    merged: Sequence[str] | None = None
    rule: Rule | None = "sentences"
    match base.kind:
        case "row":
            if row := _row(base, head, incoming, old[0], first[0], second[0]):
                return [row], "cells"
        case "item":
            merged, rule = _item(base, head, incoming, first, second)
        case "heading":
            if heading := _heading(old, first, second):
                return heading, "heading"
        case "paragraph":
            words, rule = _prose(base.words, head.words, incoming.words)
            merged = _lines(words, first) if words else None
    if merged:
        return _bulleted(merged, base, head, incoming), rule
    if len({_indent(lines) for lines in (old, first, second)}) > 1 or len({base.box, head.box, incoming.box}) > 1:
        return CONFLICT
    said = "".join(old), "".join(first), "".join(second)
    match subsumed(*said):
        case "head" if tells(said[1], said[0], said[2]):
            return first, "subsumed"
        case "incoming" if tells(said[2], said[0], said[1]):
            return second, "subsumed"
    return CONFLICT


def _item(base: Block, head: Block, incoming: Block, first: Sequence[str], second: Sequence[str]) -> Settled:
    """An item whose marker and words were changed: the depth is meaning, and a tick is about the words it stands by."""
    if not (base.indent == head.indent == incoming.indent) or len({base.ordered, head.ordered, incoming.ordered}) > 1:
        return CONFLICT
    words = [sentences.plain(block.words) for block in (base, head, incoming)]
    if len({base.box, head.box, incoming.box}) > 1 and words[0] not in words[1:]:
        return CONFLICT
    box = third(base.box, head.box, incoming.box)
    if box is None or (box != base.box and len(set(words)) > 1):
        return CONFLICT
    merged, rule = _prose(base.words, head.words, incoming.words)
    if merged is None:
        return CONFLICT
    ticked = head if head.box == box else incoming
    line = (first if ticked is head else second)[0]
    found = marker(line)
    return _lines((line[: found.end()] if found else "") + merged, first), rule


def _prose(base: str, head: str, incoming: str) -> tuple[str | None, Rule | None]:
    """Words of an item or a paragraph, and the rule that found them."""
    if (merged := links.merged(base, head, incoming)) is not None:
        return merged, "links"
    return sentences.merged(base, head, incoming), "sentences"


def _indent(lines: Sequence[str]) -> str:
    """How deep a block stands: in a list and in code that is meaning, though no word tells of it."""
    return lines[0][: len(lines[0]) - len(lines[0].lstrip())].expandtabs(4)


def _heading(*sides: Sequence[str]) -> Sequence[str] | None:
    """A heading of which one side changed the words and the other its depth or its anchor."""
    parts = [found.groups() for lines in sides if len(lines) == 1 and (found := _HEADING.fullmatch(lines[0]))]
    if len(parts) < 3:
        return None
    depth, title, anchor, line_ending = (third(*each) for each in zip(*parts, strict=True))
    if anchor is None and sentences.plain(parts[1][2]) == sentences.plain(parts[2][2]):
        anchor = min(parts[1][2], parts[2][2], key=len)
    if depth is None or title is None or anchor is None:
        return None
    return [depth + title + anchor + (line_ending or "")]


def _row(base: Block, head: Block, incoming: Block, *rows: str) -> str | None:
    """The row with the cells that either side changed, laid out as the head's; its table has one shape on all sides."""
    old, first, second = (cells(row.rstrip("\r\n")) for row in rows)
    if not (len(old) == len(first) == len(second) == base.columns == head.columns == incoming.columns):
        return None
    made: list[str] = []
    for each in zip(old, first, second, strict=True):
        says = third(*map(sentences.plain, each))
        if says is not None:
            made.append(each[1] if sentences.plain(each[1]) == says else each[2])
            continue
        prose, _ = _prose(*each)
        if prose is None:
            return None
        made.append(prose)
    line = rows[1]
    bare = line.strip()
    opening = line[: len(line) - len(line.lstrip())] + ("|" if bare.startswith("|") else "")
    return opening + "|".join(made) + ("|" if bare.endswith("|") else "") + ending(line)


def _lines(text: str, like: Sequence[str]) -> list[str]:
    """`text` as lines that end as those of `like` do."""
    style = next((end for line in like if (end := ending(line))), "\n")
    lines = [line + style for line in text.split("\n")]
    if not ending(like[-1]):
        lines[-1] = lines[-1].removesuffix(style)
    return lines


def _bulleted(lines: Sequence[str], base: Block, head: Block, incoming: Block) -> Sequence[str]:
    """An item's lines with the bullet that a side changed; the style of a bullet says nothing."""
    if base.kind != "item" or base.ordered or head.ordered or incoming.ordered:
        return lines
    bullet = third(base.bullet, head.bullet, incoming.bullet) or head.bullet
    found = marker(lines[0])
    if found is None or found["bullet"] == bullet:
        return lines
    return [lines[0][: found.start("bullet")] + bullet + lines[0][found.end("bullet") :], *lines[1:]]
