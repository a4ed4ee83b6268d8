"""What a merge is made of: text that both sides agree on, and hunks that they do not."""

from dataclasses import dataclass
from typing import Literal

type Kind = Literal["modify/modify", "insert/insert", "delete/modify"]
type LineRange = tuple[int, int] | None
"""First and last line, counted from 1 and both included; None where the side has no line here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hunk:
    """One place that the two sides changed differently. Texts are whole lines with their endings."""

    kind: Kind
    base: str
    theirs: str
    """What the head says."""
    mine: str
    """What the incoming text says."""
    heading: str | None
    """Title of the nearest Markdown heading above."""
    base_lines: LineRange
    theirs_lines: LineRange
    mine_lines: LineRange


@dataclass(frozen=True, slots=True)
class Agreed:
    text: str


@dataclass(frozen=True, slots=True)
class Disputed:
    hunk: Hunk


type Chunk = Agreed | Disputed
