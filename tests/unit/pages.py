"""Pages of Markdown, and edits of them, for the laws of merges by blocks."""

import re
from collections import Counter

from hypothesis import strategies as st

from tests.unit.texts import documents
from workspace.merge.likeness import words
from workspace.merge.lines import split
from workspace.merge.links import read

SENTENCES = [
    "Ann reads.",
    "Bob writes it down.",
    "The job runs at night.",
    "Nobody is told of it.",
    "It costs 40 euros.",
    "See [the plan](plan.md) of Ann.",
    "Die Brücke ist zu! 👩‍🚀",
    "אין דבר כזה.",
    "cafe\u0301 \u202eRTL\u202c \x0b\x1c?",
]
MARKS = ["- ", "* ", "- [ ] ", "- [x] ", "  - ", "    - ", "\t- ", "1. ", "2. ", "   1) ", "> ", "> - "]
BLOCKS = st.one_of(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join),
    st.tuples(st.sampled_from(MARKS), st.sampled_from(SENTENCES)).map("".join),
    st.sampled_from(
        ["# Log", "## Plan", "## Risks {#risks}", "Title\n===", "```", "~~~", "| a | b |", "|---|---|", "| 1 | 2 |"]
    ),
    st.sampled_from(
        ["", "", "", "---", "key: one", "key: two", "> quoted", "    indented", "\tcode", "<div>", "[a]: b"]
    ),
    st.sampled_from(
        [
            "---\nkey: one\nother: 40\n---",
            "```py\nrun(40)\n```",
            "| a | b |\n|---|---|\n| Ann | 40 |\n| Bob | 2 |",
            "a\\\nb",
        ]
    ),
)
REWORDED = st.sampled_from(
    [
        ("](plan", "](old"),
        ("{#risks}", "{#danger}"),
        ("Risks", "Dangers"),
        ("Bob |", "Bob and Eve |"),
        ("Ann", "Eve"),
        ("Ann", "Ida"),
        ("40", "50"),
        ("[ ]", "[x]"),
        ("Bob ", "Bob\n"),
        (".", ". So."),
        (".", " or so."),
    ]
)


@st.composite
def blocks(draw) -> list[str]:
    """Lines of a page, and blocks of several lines."""
    return draw(st.lists(BLOCKS, max_size=10))


@st.composite
def edited(draw, parts: list[str], most: int = 3) -> list[str]:
    parts = list(parts)
    for _ in range(draw(st.integers(0, most))):
        at = draw(st.integers(0, len(parts)))
        match draw(st.sampled_from(["put in", "take out", "reword", "move"])):
            case "put in":
                parts.insert(at, draw(BLOCKS))
            case "take out":
                del parts[at : at + 1]
            case "reword" if at < len(parts):
                parts[at] = parts[at].replace(*draw(REWORDED))
            case "move" if at < len(parts):
                parts.insert(draw(st.integers(0, len(parts))), parts.pop(at))
    return parts


def joined(parts: list[str], ending: str = "\n") -> str:
    return "".join(part + "\n" for part in parts).replace("\n", ending)


@st.composite
def pages(draw) -> tuple[str, str, str]:
    """A page and two edits of it, which may end their lines in another way and leave the last one open."""
    base = draw(blocks())
    usual = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    texts = [joined(base, usual)]
    for _ in range(2):
        text = joined(draw(edited(base)), draw(st.sampled_from([usual, usual, usual, "\r\n"])))
        texts.append(text.removesuffix("\n") if draw(st.integers(0, 9)) == 0 else text)
    return texts[0], texts[1], texts[2]


THREE = st.one_of(pages(), pages(), st.tuples(documents(), documents(), documents()))
"""A base, a head and an incoming text."""


PARTED = st.sampled_from(
    [*SENTENCES, "# Log", "## Plan", "- one", "- two", "1. three", "| a | b |", "key: one", "> quoted"]
)


@st.composite
def parted(draw) -> tuple[list[str], list[str], list[str]]:
    """Blocks of a page and of two edits of it, with none twice: joined with a blank line, each stands for itself."""
    base = draw(st.lists(PARTED, unique=True, max_size=6))
    sides = []
    for name in ("head", "incoming"):
        parts = draw(edited(base))
        sides.append([part if parts.index(part) == at else f"Note {at} by {name}." for at, part in enumerate(parts)])
    return base, sides[0], sides[1]


@st.composite
def lists(draw) -> tuple[str, str, str]:
    """A log and two that went on with it: entries put in, ticked and taken out, none of them twice."""
    base = [
        f"- [ ] step {n}, {sentence}"
        for n, sentence in enumerate(draw(st.lists(st.sampled_from(SENTENCES), max_size=6)))
    ]
    texts = [base]
    for name in ("scout", "rover"):
        entries = [entry.replace("[ ]", draw(st.sampled_from(["[ ]", "[ ]", "[x]"]))) for entry in base]
        for n in range(draw(st.integers(0, 3))):
            entries.insert(draw(st.integers(0, len(entries))), f"- {name} {n}: {draw(st.sampled_from(SENTENCES))}")
        texts.append([entry for entry in entries if draw(st.integers(0, 9))])
    return joined(texts[0]), joined(texts[1]), joined(texts[2])


@st.composite
def additions(draw) -> tuple[str, str, str]:
    """A page of paragraphs, a list and a table, and two that put something in and reworded sentences: no block moved,
    none taken out and none twice. No paragraph is put in: one stands apart from the change above it, and git's merge
    by lines puts it in twice where it is merged once more."""
    parts = [
        f"Note {n}. {sentence} It is known."
        for n, sentence in enumerate(draw(st.lists(st.sampled_from(SENTENCES), max_size=4)))
    ]
    entries = [f"- entry {n}" for n in range(draw(st.integers(1, 3)))]
    rows = [f"| {n} | open | ann |" for n in range(draw(st.integers(1, 3)))]
    sides = []
    for name in ("base", "scout", "rover"):
        change = name != "base"
        told = [
            part.replace(*draw(st.sampled_from([("Note", "Remark"), ("known", f"told by {name}"), ("", "")])))
            if change
            else part
            for part in parts
        ]
        listed, table = list(entries), list(rows)
        for n in range(draw(st.integers(0, 2)) if change else 0):
            listed.insert(draw(st.integers(0, len(listed))), f"- {name} did step {n}")
            table.insert(draw(st.integers(0, len(table))), f"| {name} {n} | open | bob |")
        head = ["| what | state | who |", "|---|---|---|"]
        sides.append("\n\n".join([*told, "\n".join(listed), "\n".join([*head, *table])]) + "\n")
    return sides[0], sides[1], sides[2]


def said(text: str) -> Counter[str]:
    """The words of a text, without the numbers of lists."""
    return Counter(word for word in words(text) if not word.isdigit())


def bare(line: str) -> str:
    """A line without its depth and the style of its bullet."""
    return re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "- ", line).strip()


def lines(text: str) -> list[str]:
    """The lines of a text that say something, without their depth and the style of their bullets."""
    return [words for line in split(text) if (words := bare(line))]


def running(text: str) -> str:
    """All words and marks of a text in a row, as somebody reads them who does not see where links lead."""
    return f" {' '.join(words(read(' '.join(map(bare, split(text))))))} "


def inner(statement: str) -> str:
    """The words of a statement in a row, without the marks around them; marks alone as they are."""
    told = words(read(bare(statement)))
    at = [n for n, word in enumerate(told) if word[0].isalnum()]
    return f" {' '.join(told[at[0] : at[-1] + 1] if at else told)} "
