"""What a text tells, statement by statement, and whether another text still tells all that was added."""

import re
from collections.abc import Iterator
from typing import Final

from workspace.merge.blocks import blocks, cells
from workspace.merge.likeness import words
from workspace.merge.lines import bare, split
from workspace.merge.sentences import plain, sentences
from workspace.merge.subsumed import inner, row

_ANCHOR: Final = re.compile(r"[ \t]*\{(?:#|/\*)[^{}]*\}$")

_MOST: Final = 10_000_000
"""Characters that are looked through; beyond, a text is taken not to say what was added."""


def statements(text: str) -> list[str]:
    """The sentences of the prose in `text`, the cells of its tables, and its other lines, white space aside."""
    return [told for part in _parts([bare(line) for line in split(text)]) if (told := plain(part))]


def _parts(lines: list[str]) -> Iterator[str]:
    for block in blocks(lines):
        match block.kind:
            case "row":
                yield from cells(lines[block.start])
            case "paragraph" | "item":
                yield from sentences(block.words)
            case "heading":
                yield _ANCHOR.sub("", block.key).strip("# ")
            case _:
                yield from lines[block.start : block.body]


def tells(text: str, base: str, added: str) -> bool:
    """Whether `text` says word for word each statement of `added` that `base` does not make."""
    here = statements(text)
    said = {*here, *statements(base)}
    rest = [one for one in statements(added) if one not in said]
    if len(rest) * len(text) > _MOST:
        return False
    told = "\n".join(row(words(one)) for one in here) if rest else ""
    return all(inner(one) in told for one in rest)
