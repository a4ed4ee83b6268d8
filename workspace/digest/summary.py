"""Summaries of captures: whole sentences and list items, picked and never written.

A line is put under its section by the heading or label above it, else by its first cue word. English cue words decide
in prose; in other languages headings and the items of their lists do.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workspace.digest import cues, sentences, session

SECTIONS = ("asked", "decided", "tried", "changed", "open")
TITLES: Mapping[str, str] = {
    "asked": "Asked",
    "decided": "Decided",
    "tried": "Tried and rejected",
    "changed": "Changed",
    "open": "Open",
}
MAX_WORDS = 500
MAX_LINE_WORDS = 100
MAX_LINE_CHARACTERS = 1000
MAX_ITEM_WORDS = 60
MAX_REQUESTS = 3
# Marks that may open a line, then its first word with nothing in or after it that a name has.
_FIRST = re.compile(r"""([*_~"'“‘«„(\[¿¡]*)((?:[^\W\d_][\u0300-\u036f]*)+)(?=[\s'’,;:.!?)\]*~"”»]|\Z)(?![.:]\w)""")


@dataclass(frozen=True, kw_only=True)
class SummaryLine:
    """One statement. `section` is one of `SECTIONS`; `source` names the capture that it was picked from."""

    section: str
    text: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Lines in the order of `SECTIONS`."""

    lines: tuple[SummaryLine, ...] = ()


def extract(content: str, source: str, max_words: int = MAX_WORDS) -> Summary:
    """Summarise one session: Markdown, plain text or a transcript (``User: …`` or JSON lines).

    Deterministic; at most `max_words` words (see `sentences.words`); no text that is not in `content`, white space
    and the capital letter that a line begins with apart. Code, tables, tool output, greetings and repeats are left
    out. Empty where nothing can be picked.
    """
    passages = list(session.passages(content))
    picked = _picked(passages) or _listed(passages) or _first(passages)
    seen = sentences.Seen()
    found = [
        SummaryLine(section=section, text=_begun(text), source=source)
        for section, text in picked
        if _stands(text) and seen.add(text)
    ]
    return Summary(lines=_fit([found], max_words))


def fold(summaries: Sequence[tuple[datetime, Summary]], max_words: int = MAX_WORDS) -> Summary:
    """Many captures' summaries as one: newest capture first within a section, near repeats of newer lines dropped, at
    most `max_words` words in all. Every section has a fifth of them to itself; what one leaves others use."""
    seen = sentences.Seen()
    groups: list[list[SummaryLine]] = []
    left = max_words * 4
    # Sorting is stable: captures of one instant keep the order in which they were given.
    for _, summary in sorted(summaries, key=lambda each: each[0], reverse=True):
        # Far past the budget nothing older can be chosen, and comparing would cost the square of the captures.
        if left <= 0:
            break
        fresh = [line for line in summary.lines if seen.add(line.text)]
        left -= sum(sentences.words(line.text) for line in fresh)
        groups.append(fresh)
    return Summary(lines=_fit(groups, max_words))


def _fit(groups: Iterable[Sequence[SummaryLine]], max_words: int) -> tuple[SummaryLine, ...]:
    """The lines that fit, earlier groups first, in section order."""
    ordered = [line for group in groups for line in group]
    by_section = {name: [line for line in ordered if line.section == name] for name in SECTIONS}
    share = max_words // len(SECTIONS)
    chosen: set[int] = set()
    left = max_words
    for lines in by_section.values():
        used = 0
        for line in lines:
            cost = sentences.words(line.text)
            if used + cost > share:
                break
            used += cost
            chosen.add(id(line))
        left -= used
    for line in ordered:
        cost = sentences.words(line.text)
        if id(line) not in chosen and cost <= left:
            chosen.add(id(line))
            left -= cost
    return tuple(line for lines in by_section.values() for line in lines if id(line) in chosen)


def _picked(passages: Sequence[session.Passage]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for passage in passages:
        if passage.section is not None:
            found.extend(_under(passage, passage.section))
        elif passage.role == "user":
            found.extend(_request(passage))
        else:
            found.extend(_by_cues(passage))
    return found


def _under(passage: session.Passage, section: str) -> Iterator[tuple[str, str]]:
    """Under a heading or label that says what it is, everything but filling counts."""
    for text in _pieces(passage):
        if not cues.nothing(text) and (passage.item or not cues.chatter(text)):
            yield cues.label(text) or (section, text)


def _request(passage: session.Passage) -> Iterator[tuple[str, str]]:
    """What a person says to an agent is a request, unless it tells a decision. Long pastes count by their beginning."""
    told = [text for text in _pieces(passage) if not cues.chatter(text) and sentences.words(text) > 2]
    for text in told[:MAX_REQUESTS]:
        decided = cues.section_of_sentence(text) == "decided"
        yield cues.label(text) or ("decided" if decided else "asked", text)


def _by_cues(passage: session.Passage) -> Iterator[tuple[str, str]]:
    for text in _pieces(passage):
        section = cues.section_of_sentence(text)
        labelled = cues.label(text)
        if labelled:
            yield labelled
        elif section is not None and not cues.chatter(text) and sentences.words(text) > 1:
            yield section, text


def _stands(text: str) -> bool:
    """Whether a statement stands by itself; one that ends in a colon speaks of what is not here."""
    short = len(text) <= MAX_LINE_CHARACTERS and sentences.words(text) <= MAX_LINE_WORDS
    return bool(text) and text[-1] not in ":：" and short


def _begun(text: str) -> str:
    """`text` with a capital first letter, where its script has them. Names keep theirs: a first word with a digit, a
    sign or a capital in it (``user_id``, ``plan.md``, ``v2``, ``iOS``) and code stay."""
    found = _FIRST.match(text)
    if found is None or not found[2].islower():
        return text
    # Title case, not upper: it leaves Georgian alone and makes one letter of a digraph.
    capital = found[2][0].title()
    return f"{found[1]}{capital}{text[found.start(2) + 1 :]}" if len(capital) == 1 else text


def _listed(passages: Sequence[session.Passage]) -> list[tuple[str, str]]:
    """No heading or cue word that is known: the items of the lists under headings."""
    return [
        ("changed", text)
        for passage in passages
        if passage.item and passage.titled
        for text in _pieces(passage)
        if not cues.nothing(text)
    ]


def _first(passages: Sequence[session.Passage]) -> list[tuple[str, str]]:
    """Nothing but prose without cues: its first sentence that is no chatter."""
    for passage in passages:
        for text in sentences.split(passage.text):
            if sentences.words(text) > 3 and not cues.chatter(text) and len(text) <= MAX_LINE_CHARACTERS:
                return [("changed", text)]
    return []


def _pieces(passage: session.Passage) -> list[str]:
    """A list item stays whole while it is short; all else is cut into sentences."""
    text = passage.text
    if passage.item and sentences.words(text) <= MAX_ITEM_WORDS and len(text) <= MAX_LINE_CHARACTERS:
        return [text]
    return sentences.split(text)
