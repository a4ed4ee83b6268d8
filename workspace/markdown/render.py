"""Markdown to HTML that may stand in a page with a strict content security policy.

Raw HTML in a document is kept where it is harmless (``<details>``, ``<br>``, ``<img>``, …) and everything passes an
allow-list sanitiser last. The time is bounded by counting, far above what people write: see `blocks`; past
`MAX_MARKERS` characters that could be inline markup the remaining paragraphs are shown as they were typed; raw tags
that would leave too many elements open are shown as text; and a text with more than `MAX_AMPERSANDS`, for which the
sanitiser takes quadratic time, is shown as plain text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from workspace.markdown import blocks, sections

MAX_MARKERS = 60_000
MAX_AMPERSANDS = 100_000
MAX_BACK_LINKS = 10
MAX_OPEN_TAGS = 60
MAX_OPEN_FORMATTING = 8

_MARKERS = re.compile(r"[\[\]!*_~<&`\\^:]")
_URL = re.compile(r"https?://[^\s<>\"'`]{2,2000}", re.IGNORECASE)
_SAFE_ID = re.compile(r"[-\w:]{1,600}\Z")
_LINES = re.compile(r"[0-9]{1,8}-[0-9]{1,8}\Z")
_LANGUAGE = re.compile(r"language-[-\w+#.]{1,40}\Z")
_CLASSES = frozenset(
    {"contains-task-list", "task-list-item", "task-list-item-checkbox", "footnote-ref", "footnotes", "footnotes-list"}
    | {"footnotes-sep", "footnote-item", "footnote-backref"}
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
# Elements that never stay open, or that HTML closes by itself when the next one comes.
_SELF_CLOSING = (
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option"
)
# HTML opens these again in every paragraph that follows until they are closed.
_FORMATTING = "a b big code em font i nobr s small strike strong tt u"
_ANY_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)

_TAGS = (
    "a abbr b blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure "
    "h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre q rp rt ruby s samp section small span strike "
    "strong sub summary sup table tbody td tfoot th thead tr tt u ul var wbr"
)
_ATTRIBUTES: dict[str, set[str]] = {
    "*": {"id", "class", "data-lines", "title", "lang", "dir"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "input": {"checked"},
    "ol": {"start"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "details": {"open"},
    "p": {"align"},
    "div": {"align"},
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A line of the table of contents."""

    title: str
    level: int
    anchor: str


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """`html` is safe to put in a page. `fields` is the front matter, which `html` leaves out."""

    html: str
    contents: tuple[Entry, ...]
    fields: dict[str, Any]


def render(text: str) -> Rendered:
    """Render a document.

    Every heading has its anchor as ``id``; headings, top-level blocks, list items and table rows have
    ``data-lines="start-end"``, the lines of the document they come from. Links carry ``rel="nofollow noopener"``.
    """
    parsed = blocks.parse(text)
    if text.count("&") > MAX_AMPERSANDS:
        html = f'<pre data-lines="1-{parsed.total}">{escapeHtml(text)}</pre>\n'
        return Rendered(html=html, contents=(), fields=parsed.fields)
    outline = sections.outline_of(parsed)
    tokens = _mark(parsed, outline)
    state = StateCore("", _PARSER, parsed.env, tokens)
    _PARSER.core.process(state)
    html = _PARSER.renderer.render(state.tokens, _PARSER.options, parsed.env)
    if parsed.rest:
        html += f'<pre data-lines="{parsed.rest_line + 1}-{parsed.total}">{escapeHtml(parsed.rest)}</pre>\n'
    return Rendered(
        html=_CLEANER.clean(html),
        contents=tuple(Entry(title=s.title, level=s.level, anchor=s.anchor) for s in outline),
        fields=parsed.fields,
    )


_CITED_ALONE = ("list_item_open", "tr_open")
"""Parts of a block that a citation of their lines marks without the rest of it."""


def _mark(parsed: blocks.Parsed, outline: tuple[sections.Section, ...]) -> list[Token]:
    """Give the block tokens their anchors and line spans."""
    anchors = sections.Anchors()
    for section in outline:
        anchors.take(section.title)
    at = iter(outline)
    for index, token in enumerate(parsed.tokens):
        heading = token.type == "heading_open"
        if heading:
            # Headings in lists and quotes are not in the outline, so they take their anchors after all of it.
            nested = token.level > 0
            title = sections.plain(parsed.tokens[index + 1].content) if nested else ""
            token.attrSet("id", anchors.take(title) if nested else next(at).anchor)
        block = token.level == 0 or heading or token.type in _CITED_ALONE
        if block and token.nesting >= 0 and token.map and token.type != "inline":
            token.attrSet("data-lines", f"{token.map[0] + parsed.offset + 1}-{token.map[1] + parsed.offset}")
        elif token.tag in ("td", "th") and "style" in token.attrs:
            # The policy of the page forbids inline style.
            token.attrSet("align", str(token.attrs.pop("style")).removeprefix("text-align:"))
    return parsed.tokens


def _inline(state: StateCore) -> None:
    left = MAX_MARKERS
    raw = _RawTags()
    for token in state.tokens:
        if token.type == "html_block":
            left -= token.content.count("<")
            if left < 0 or not raw.accept(token.content):
                token.content = f"<p>{escapeHtml(token.content)}</p>\n"
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        left -= sum(1 for _ in _MARKERS.finditer(token.content))
        if left < 0:
            token.children.append(Token("text", "", 0, content=token.content))
            token.meta["typed"] = True
            continue
        state.md.inline.parse(token.content, state.md, state.env, token.children)
        for child in token.children:
            if child.type == "html_inline" and not raw.accept(child.content):
                child.type = "text"


class _RawTags:
    """Counts the raw elements that are open. The HTML parser's time grows with depth times length, and an unclosed
    formatting element is repeated in every later paragraph."""

    _self_closing = frozenset(_SELF_CLOSING.split())
    _formatting = frozenset(_FORMATTING.split())

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def accept(self, html: str) -> bool:
        """Count the tags of `html`, unless it would leave too many open."""
        after = self._open.copy()
        for tag in _TAG.finditer(html):
            name = tag[2].lower()
            if name in self._self_closing:
                continue
            after[name] += -1 if tag[1] and after[name] else 0 if tag[1] else 1
            # The peak counts as well as the end, as one block may open and close thousands.
            if after[name] > MAX_OPEN_TAGS:
                return False
        after = +after
        formatting = sum(number for name, number in after.items() if name in self._formatting)
        if after.total() > MAX_OPEN_TAGS or formatting > MAX_OPEN_FORMATTING:
            return False
        self._open = after
        return True


def _link(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and token.children and "://" in token.content and "typed" not in token.meta:
            token.children = _linked(token.children)


def _linked(children: Sequence[Token]) -> list[Token]:
    """Turn bare http addresses in running text into links, as GitHub does."""
    out: list[Token] = []
    depth = 0
    for token in children:
        if token.type == "link_open":
            depth += 1
        elif token.type == "link_close":
            depth -= 1
        if token.type != "text" or depth or "://" not in token.content:
            out.append(token)
            continue
        start = 0
        for found in _URL.finditer(token.content):
            address = _trimmed(found[0])
            href = _PARSER.normalizeLink(address)
            if not _PARSER.validateLink(href):
                continue
            out.append(Token("text", "", 0, content=token.content[start : found.start()]))
            out.append(Token("link_open", "a", 1, attrs={"href": href}))
            out.append(Token("text", "", 0, content=address))
            out.append(Token("link_close", "a", -1))
            start = found.start() + len(address)
        out.append(Token("text", "", 0, content=token.content[start:]))
    return out


def _trimmed(address: str) -> str:
    """Without the punctuation that ends a sentence and a bracket that was opened before the address."""
    surplus = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last not in ".,;:!?*_~]}":
            break
        end -= 1
    return address[:end]


def _attribute(tag: str, name: str, value: str) -> str | None:
    match name:
        case "id":
            return value if _SAFE_ID.match(value) else None
        case "data-lines":
            return value if _LINES.match(value) else None
        case "class":
            kept = [each for each in value.split() if each in _CLASSES or (tag == "code" and _LANGUAGE.match(each))]
            return " ".join(kept) or None
        case "src":
            scheme = _ANY_SCHEME.match(value.strip())
            return value if scheme is None or scheme[0].lower() in ("http:", "https:") else None
        case _:
            return value


def _footnote_reference(
    self: object, tokens: Sequence[Token], index: int, options: Mapping[str, Any], env: Mapping[str, Any]
) -> str:
    number, use = tokens[index].meta["id"] + 1, tokens[index].meta["subId"]
    ident = f' id="footnote-ref:{number}:{use}"' if use < MAX_BACK_LINKS else ""
    return f'<sup class="footnote-ref"><a href="#footnote:{number}"{ident}>{number}</a></sup>'


def _footnote_open(
    self: object, tokens: Sequence[Token], index: int, options: Mapping[str, Any], env: Mapping[str, Any]
) -> str:
    return f'<li id="footnote:{tokens[index].meta["id"] + 1}" class="footnote-item">'


def _footnote_back(
    self: object, tokens: Sequence[Token], index: int, options: Mapping[str, Any], env: Mapping[str, Any]
) -> str:
    number, use = tokens[index].meta["id"] + 1, tokens[index].meta["subId"]
    if use >= MAX_BACK_LINKS:
        return ""
    return f' <a href="#footnote-ref:{number}:{use}" class="footnote-backref" title="Back to the text">\u21a9\ufe0e</a>'


def _fence(
    self: object, tokens: Sequence[Token], index: int, options: Mapping[str, Any], env: Mapping[str, Any]
) -> str:
    token = tokens[index]
    lines, words = token.attrGet("data-lines"), token.info.split(maxsplit=1)
    span = f' data-lines="{lines}"' if lines else ""
    language = f' class="language-{escapeHtml(words[0])}"' if words else ""
    return f"<pre{span}><code{language}>{escapeHtml(token.content)}</code></pre>\n"


def _parser() -> MarkdownIt:
    """The second half of `blocks`: it takes block tokens and does the inline work and the HTML."""
    made = blocks.parser(move_footnotes=True)
    made.core.ruler.at("inline", _inline)
    made.core.ruler.push("link", _link)
    made.core.ruler.disable(["normalize", "block"])
    for name, rule in (
        ("fence", _fence),
        ("footnote_ref", _footnote_reference),
        ("footnote_open", _footnote_open),
        ("footnote_anchor", _footnote_back),
    ):
        made.add_render_rule(name, rule)
    return made


_PARSER = _parser()
_CLEANER = nh3.Cleaner(
    tags=set(_TAGS.split()),
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel="nofollow noopener",
    set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
)
