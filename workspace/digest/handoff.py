"""The folder's HANDOFF.md as text: generated lines woven into a page that people edit.

A generated line is a list item ending in a link to its capture. It is the job's for as long as it stands in the page as
it was written; a line that a person changed is theirs, and one that a person deleted stays deleted.
"""

import re
from collections.abc import Sequence

from workspace.digest.summary import SECTIONS, TITLES, SummaryLine
from workspace.markdown import blocks, sections
from workspace.markdown.lines import bare, eol, split

PAGE = "HANDOFF.md"
EXPLANATION = (
    "This page is kept up to date from what was captured in this folder. Write in it as you like: "
    "what people write, change or delete stays so."
)
# What would make of a list item a heading, a quote, another list, a rule or a check box.
_BLOCK = re.compile(r"(?=[#>+*\-=~`|:\[]|[0-9]{1,9}[.)](?:\s|\Z))")
_NUMBERED = re.compile(r"([0-9]{1,9})([.)])(?=\s|\Z)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def generated(lines: Sequence[SummaryLine]) -> list[str]:
    """The lines as they stand in the page, without line ends, in the order given."""
    return [_generated(line) for line in lines]


def weave(page: str, previous: Sequence[str], lines: Sequence[SummaryLine], title: str) -> str:
    """The page with this summary in it.

    `previous` are the generated lines of the last run. Those that still stand and are no longer wanted go; those that
    are wanted, do not stand and are not in `previous` come at the end of their section's list, oldest capture first.
    Missing headings are made in the order of `SECTIONS`. All other bytes stay. Weaving the same again changes nothing.
    """
    wanted = {_generated(line): line.section for line in _oldest_first(lines)}
    gone = set(previous) - set(wanted)
    every = split(page)
    kept = [line for line in every if bare(line) not in gone]
    standing = {bare(line) for line in kept}
    known = standing | set(previous)
    fresh: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for line, section in wanted.items():
        if line not in known:
            fresh[section].append(line)
    if not any(fresh.values()):
        return "".join(kept)
    if not "".join(kept).strip():
        kept = split(f"# Handoff: {title}\n\n{EXPLANATION}\n")
    for section in SECTIONS:
        if fresh[section]:
            kept = _add(kept, section, fresh[section])
    return "".join(kept)


def _oldest_first(lines: Sequence[SummaryLine]) -> list[SummaryLine]:
    """Summaries come newest capture first; the page grows at its end, however often it was woven meanwhile."""
    order = {source: -number for number, source in enumerate(dict.fromkeys(line.source for line in lines))}
    return sorted(lines, key=lambda line: order[line.source])


def _generated(line: SummaryLine) -> str:
    return f"- {_item(line.text)} ([{line.source}](/captures/{line.source}))"


def _item(text: str) -> str:
    text = " ".join(_CONTROL.sub(" ", text).split())
    if _NUMBERED.match(text):
        return _NUMBERED.sub(r"\1\\\2", text, count=1)
    if text[:1] == "`" and not text.startswith("```"):
        return text
    return f"\\{text}" if _BLOCK.match(text) and not re.match(r"\*\S|\[[^\]]{2,}\]\(", text) else text


def _add(every: list[str], section: str, fresh: Sequence[str]) -> list[str]:
    page = "".join(every)
    end = eol(page)
    parsed = blocks.parse(page)
    outline = sections.outline_of(parsed)
    here = _find(outline, section)
    new = [line + end for line in fresh]
    if here is None:
        at = _place(page, parsed, outline, section)
        new = [f"## {TITLES[section]}{end}", end, *new]
    else:
        at, in_list = _end_of_list(page, parsed, outline, here)
        while at > here.heading_end and not bare(every[at - 1]).strip():
            at -= 1
        if in_list:
            return _insert(every, at, new, end)
    before = [end] if at and bare(every[at - 1]).strip() else []
    after = [end] if at < len(every) and bare(every[at]).strip() else []
    return _insert(every, at, [*before, *new, *after], end)


def _insert(every: list[str], at: int, new: list[str], end: str) -> list[str]:
    head, tail = every[:at], every[at:]
    if head and bare(head[-1]) == head[-1]:
        head[-1] += end
    return [*head, *new, *tail]


def _find(outline: Sequence[sections.Section], section: str) -> sections.Section | None:
    """The first section of that title, one of the second level before any other."""
    title = TITLES[section].casefold()
    same = [each for each in outline if each.title.strip(" :").casefold() == title]
    return next((each for each in same if each.level == 2), same[0] if same else None)


def _place(page: str, parsed: blocks.Parsed, outline: Sequence[sections.Section], section: str) -> int:
    """Where a section that is missing begins: before the next one of the order, else after all that people wrote."""
    for later in SECTIONS[SECTIONS.index(section) + 1 :]:
        found = _find(outline, later)
        if found is not None:
            return found.start_line - 1
    return _end(page, parsed, outline)


def _end_of_list(
    page: str, parsed: blocks.Parsed, outline: Sequence[sections.Section], here: sections.Section
) -> tuple[int, bool]:
    """(index of the line to insert before, whether that is the end of a list) within the section's own text."""
    following = next((each.start_line - 1 for each in outline if each.start_line > here.start_line), parsed.total)
    ends = [
        token.map[1] + parsed.offset
        for token in parsed.tokens
        if token.type == "bullet_list_open" and token.level == 0 and token.map
        if here.heading_end <= token.map[0] + parsed.offset < following
    ]
    if ends:
        return ends[-1], True
    return following if following < parsed.total else _end(page, parsed, outline), False


def _end(page: str, parsed: blocks.Parsed, outline: Sequence[sections.Section]) -> int:
    """The end of the page, or the beginning of a last fence or comment that nobody closed: it would swallow what is
    written after it."""
    last = next((token for token in reversed(parsed.tokens) if token.level == 0 and token.map), None)
    if last is None or last.map is None or last.type not in ("fence", "html_block"):
        return parsed.total
    swallowed = len(sections.outline(f"{page}\n\n## Probe\n")) == len(outline)
    return last.map[0] + parsed.offset if swallowed else parsed.total
