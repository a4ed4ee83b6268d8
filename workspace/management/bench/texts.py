"""Texts to measure with: pages as people and agents write them, and edits of these."""

import random

MIB = 1_048_576
VOCABULARY = (
    *("the", "plan", "import", "export", "job", "queue", "index", "commit"),
    *("reader", "writer", "merge", "launch", "team", "agent", "night", "limit"),
)


def _sentence(chance: random.Random) -> str:
    words = chance.choices(VOCABULARY, k=chance.randint(5, 14))
    return " ".join(words).capitalize() + f" {chance.randint(1, 999)}."


def page(chance: random.Random, *, paragraphs: int) -> str:
    """Headings, prose, lists and tables, as handoff documents have them."""
    parts = []
    for n in range(paragraphs):
        match n % 8:
            case 0:
                parts.append(f"## Part {n}")
            case 3 | 5:
                parts.append("\n".join(f"- {_sentence(chance)}" for _ in range(4)))
            case 6:
                rows = "\n".join(f"| {word} | {chance.randint(1, 99)} |" for word in chance.sample(VOCABULARY, 3))
                parts.append(f"| what | how many |\n|---|---|\n{rows}")
            case _:
                parts.append(" ".join(_sentence(chance) for _ in range(3)))
    return "\n\n".join(parts) + "\n"


def edited(text: str, chance: random.Random, *, changes: int = 6) -> str:
    """``text`` with so many lines reworded, added, taken out or moved."""
    lines = text.split("\n")
    for _ in range(changes):
        at = chance.randrange(len(lines))
        match chance.choice(("reword", "add", "take out", "move")):
            case "reword":
                lines[at] = lines[at].replace(chance.choice(VOCABULARY), chance.choice(VOCABULARY), 1)
            case "add":
                lines.insert(at, f"- {_sentence(chance)}")
            case "take out":
                del lines[at]
            case "move":
                lines.insert(chance.randrange(len(lines)), lines.pop(at))
    return "\n".join(lines)


def rows_changed(count: int) -> tuple[str, str, str]:
    """Base and sides: a table of so many rows, of each of which the sides changed another cell."""
    base, head, incoming = (
        "| k | v | who |\n|---|---|---|\n" + "".join(f"| {key} {n} | {n} | {who} |\n" for n in range(count))
        for key, who in (("key", "ann"), ("key", "eve"), ("id", "ann"))
    )
    return base, head, incoming


def entries_between(count: int) -> tuple[str, str, str]:
    """Base and sides: a list of so many entries, below each of which either side put one of its own."""
    base, head, incoming = (
        "".join(f"- step {n}\n" + (f"- {who} saw {n}\n" if who else "") for n in range(count))
        for who in ("", "scout", "rover")
    )
    return base, head, incoming
