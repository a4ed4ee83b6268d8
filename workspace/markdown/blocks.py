"""The one block parse that outline, passages and rendering share, so that their line numbers and anchors agree.

CommonMark, tables, strikethrough, task lists and footnotes by markdown-it-py. Its work is bounded by counting, not by
a clock, so that the same text always gives the same result: the first `MAX_LINES` lines, and of these the ones before
the `MAX_BARS`th vertical bar, are Markdown and the rest is plain text; past `MAX_NESTING` levels the remaining lines
are plain text.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

from workspace.markdown import front_matter, lines

MAX_LINES = 20_000
# Each may begin a cell of a table, which costs as much as three lines.
MAX_BARS = 30_000
MAX_NESTING = 40

_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,200}\]")


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """`tokens` are block tokens without inline children; their `map` is 0-based within the body, end exclusive.
    `offset` is what to add to get 0-based lines of the document. `rest` is the text that is not Markdown any more, from
    line `rest_line` (0-based, of the document)."""

    tokens: list[Token]
    env: dict[str, Any]
    offset: int
    total: int
    rest: str
    rest_line: int
    fields: dict[str, Any] = field(default_factory=dict)


class _BoundedBlocks(ParserBlock):
    """Keeps the text past the nesting limit; the base class drops it from the page."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        if state.level < state.md.options.maxNesting or startLine >= endLine:
            super().tokenize(state, startLine, endLine)
            return
        token = state.push("code_block", "code", 0)
        token.content = state.getLines(startLine, endLine, state.blkIndent, False)
        token.map = [startLine, endLine]
        state.line = endLine


def parser(*, move_footnotes: bool = False) -> MarkdownIt:
    """A new parser with the dialect of this workspace. Raw HTML is parsed: whoever renders must sanitise."""
    made = MarkdownIt(
        "gfm-like2",
        {"html": True, "linkify": False, "alerts": False, "maxNesting": MAX_NESTING, "xhtmlOut": False},
    )
    made.disable("linkify")
    bounded = _BoundedBlocks()
    bounded.ruler = made.block.ruler
    made.block = bounded
    made.use(footnote_plugin, inline=False, move_to_end=move_footnotes)
    made.inline.ruler.at("footnote_ref", _footnote_reference)
    return made


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    """The plugin looks for the closing bracket as far as the text goes, from every opening one."""
    if _FOOTNOTE.match(state.src, state.pos) is None:
        return False
    return footnote_ref(state, silent)


_BLOCKS = parser().disable(["inline", "text_join"])


def parse(text: str) -> Parsed:
    """Parse the blocks of a document; front matter is set apart and counted in the line numbers."""
    front = front_matter.split(text)
    offset, total = front.body_line - 1, lines.count(text)
    body, rest = front.body, ""
    kept = total - offset
    # Counting "\n" and "\r" apart overestimates CRLF, so the exact split runs only where it might matter.
    if body.count("\n") + body.count("\r") > MAX_LINES or body.count("|") > MAX_BARS:
        every = lines.split(body)
        kept = _affordable(every)
        body, rest = "".join(every[:kept]), "".join(every[kept:])
    env: dict[str, Any] = {}
    tokens = _BLOCKS.parse(body, env)
    return Parsed(
        tokens=tokens, env=env, offset=offset, total=total, rest=rest, rest_line=offset + kept, fields=front.fields
    )


def _affordable(every: list[str]) -> int:
    bars = 0
    for number, line in enumerate(every[:MAX_LINES]):
        bars += line.count("|")
        if bars > MAX_BARS:
            return number
    return min(len(every), MAX_LINES)
