"""What a merge is made of: text that both sides agree on, and hunks that they do not."""

from dataclasses import dataclass, replace
from typing import Literal

type Kind = Literal["modify/modify", "insert/insert", "delete/modify"]
type LineRange = tuple[int, int] | None
"""First and last line, counted from 1 and both included; None where the side has no line here."""
type Rule = Literal[
    "blocks",  # changes of different blocks that touch
    "formatting",  # a side changed only the layout of what the other reworded
    "sentences",  # different sentences of one paragraph
    "links",  # the words of a link and where it leads
    "heading",  # the words of a heading and its anchor
    "cells",  # different cells of one row
    "subsumed",  # one side's edit holds the other's
    "same",  # both put in the same
    "union",  # both put something into one list or table
    "sections",  # both put in sections of their own
    "beside",  # one put something in where the other reworded or took out what stands next to it
    "moved",  # a change follows its block to where the other side moved it
    "renumbered",
]


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
    path: tuple[str, ...] = ()
    """Titles of the headings that it lies under, from the top down."""
    base_lines: LineRange
    theirs_lines: LineRange
    mine_lines: LineRange
    suggestion: str | None = None
    """Both changes word by word, where they leave each other's words alone. To be read before it is taken: words that
    merge may still contradict each other."""

    @property
    def mirrored(self) -> "Hunk":
        """The same place with the labels of the sides swapped."""
        return replace(
            self, mine=self.theirs, theirs=self.mine, mine_lines=self.theirs_lines, theirs_lines=self.mine_lines
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """Something that the merge settled and that a merge by lines would have left open."""

    rule: Rule
    lines: LineRange
    """Where in the merged text; None where nothing is left there."""


@dataclass(frozen=True, slots=True)
class Agreed:
    text: str
    rules: tuple[Rule, ...] = ()
    """How it was settled; nothing where a merge by lines agrees."""


@dataclass(frozen=True, slots=True)
class Disputed:
    hunk: Hunk


type Chunk = Agreed | Disputed
