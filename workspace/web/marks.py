"""How people, agents and jobs are told apart: by shape, letter and hue, the same on every page."""

from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

HUES = 12
HOST_LETTERS = {"claude-code": "C", "codex": "X", "gemini": "G", "opencode": "O"}


class Author(Protocol):
    """What a mark needs of somebody; ``workspace.queries.who.Who`` has it."""

    @property
    def kind(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def email(self) -> str: ...
    @property
    def person_label(self) -> str: ...
    @property
    def host(self) -> str: ...


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
    person = author.person_label or author.label
    hue = hue_of(author.email or person)
    if author.kind == "job":
        return Mark(kind="job", letter="", hue=0, title=f"{author.label}, a background job")
    if author.kind == "agent":
        letter = HOST_LETTERS.get(author.host) or initial(author.label)
        return Mark(kind="agent", letter=letter, hue=hue, title=f"{author.label}, an agent of {person}")
    return Mark(kind="person", letter=initial(author.label), hue=hue, title=author.label)
