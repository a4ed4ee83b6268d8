"""How people, agents and jobs are told apart: by shape, letter and hue, the same on every page."""

from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

from workspace.queries import hosts

HUES = 12


class Author(Protocol):
    """The least that a mark needs; ``workspace.queries.who.Who`` has it, and says whether it is a person."""

    @property
    def label(self) -> str: ...
    @property
    def email(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A drawn mark. ``hue`` is 0-11 and follows the person, whose agents share it; jobs have none."""

    kind: str
    letter: str
    hue: int
    title: str


def hue_of(key: str) -> int:
    """A stable hue, 0-11, for a person's email or name."""
    return crc32(key.casefold().encode("utf-8", "replace")) % HUES


def initial(text: str) -> str:
    """The first letter or digit of a name, upper case; ``?`` where it has none."""
    return next((c.upper()[:1] for c in text if c.isalnum()), "?")


def mark_of(author: Author) -> Mark:
    """The mark of a person (round), an agent (square, with its host's letter) or a job (gear)."""
    kind = getattr(author, "kind", "person")
    person = getattr(author, "person_label", "") or author.label
    hue = hue_of(author.email or person)
    if kind == "job":
        return Mark(kind="job", letter="", hue=0, title=f"{author.label}, a background job")
    if kind == "agent":
        letter = hosts.LETTERS.get(getattr(author, "host", "")) or initial(author.label)
        return Mark(kind="agent", letter=letter, hue=hue, title=f"{author.label}, an agent of {person}")
    return Mark(kind="person", letter=initial(author.label), hue=hue, title=author.label)
