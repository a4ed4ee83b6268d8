"""Markdown as the words that a reader sees, on one line."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markdown_it.token import Token

from workspace.markdown import blocks, front_matter

MAX_CHARACTERS = 4_000
"""What is looked at; passages are shorter."""
MAX_BRACKETS = 200
"""With more, a text is left as it was typed: looking for the end of each link takes quadratic time."""
CACHED = 2_000

_PARSER = blocks.parser()
_SPACES = re.compile(r"\s+")
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[a-zA-Z][^>]*>", re.DOTALL)
# A reference link whose definition stands in another passage.
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+\Z")
_CAPTURE = re.compile(r"/captures/(\w+)\Z")
# Stands for a citation of a capture until the brackets around it are known; texts hold no NUL.
_CITED = "\x00"
_CITATIONS = re.compile(rf"\s*\({_CITED}(?:[,;\s]*{_CITED})*\)|\s*{_CITED}")
_NO_PAUSE = ".,;:!?…。！？：；、"


@lru_cache(maxsize=CACHED)
def plain(text: str) -> str:
    """The words of `text`, a document or a piece of one: no marks of headings, lists, tables, links and emphasis, no
    tags, no addresses of links and images; white space collapsed.

    Code stays as it is. Headings are followed by a colon, list items and rows by a semicolon, cells by a middle dot,
    where they end in no punctuation. A link that cites a capture by its bare id is left out. Past `MAX_CHARACTERS`
    nothing is read.
    """
    text = text[:MAX_CHARACTERS]
    if text.count("[") > MAX_BRACKETS:
        return _SPACES.sub(" ", text).strip()
    front = front_matter.split(text)
    pieces = [(f"{key}: {_value(value)}", "; ") for key, value in front.fields.items()]
    pieces.extend(_pieces(_PARSER.parse(front.body)))
    out: list[str] = []
    pause = ""
    for words, after in pieces:
        words = _SPACES.sub(" ", words).strip()
        if words:
            out += [pause, words]
            pause = " " if words[-1] in _NO_PAUSE else after
    return "".join(out).strip()


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _pieces(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Each block's words, and what parts them from the next block's."""
    items = 0
    within = ""
    for index, token in enumerate(tokens):
        match token.type:
            case "list_item_open":
                items += 1
            case "list_item_close":
                items -= 1
            case "heading_open" | "th_open" | "td_open" | "paragraph_open":
                within = token.type
            case "inline" if within == "heading_open":
                yield _inline(token), ": "
            case "inline" if within in ("th_open", "td_open"):
                yield _inline(token), "; " if _last_of_row(tokens, index) else " · "
            case "inline" if all(line.lstrip().startswith("|") for line in token.content.split("\n")):
                yield from _rows(token.content)
            case "inline":
                yield _inline(token), "; " if items else " "
            case "fence" | "code_block":
                yield token.content, " "
            case "html_block":
                yield _TAG.sub(" ", token.content), " "


def _last_of_row(tokens: Sequence[Token], index: int) -> bool:
    return index + 2 >= len(tokens) or tokens[index + 2].type == "tr_close"


def _rows(content: str) -> Iterator[tuple[str, str]]:
    """Rows of a table whose head stands in an earlier passage."""
    for line in content.split("\n"):
        if _RULE.match(line):
            continue
        cells = [cell.strip() for cell in _BAR.split(line.strip().strip("|"))]
        for number, cell in enumerate(cells, 1):
            yield _inline(_PARSER.parseInline(cell)[0]), "; " if number == len(cells) else " · "


def _inline(token: Token) -> str:
    return _CITATIONS.sub("", "".join(_words(token.children or ())))


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        match token.type:
            case "text":
                yield _REFERENCE.sub(r"\1", token.content)
            case "code_inline" | "text_special":
                yield token.content
            case "softbreak" | "hardbreak":
                yield " "
            case "image":
                yield from _words(token.children or ())
            case "link_open" if _cites(tokens[index : index + 3]):
                skip = 2
                yield _CITED


def _cites(link: Sequence[Token]) -> bool:
    """Whether a link's text is the bare id of the capture that it leads to."""
    found = _CAPTURE.match(str(link[0].attrGet("href")))
    return found is not None and len(link) == 3 and link[1].content == found[1] and link[2].type == "link_close"
