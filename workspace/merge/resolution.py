"""A merge with conflicts, and a person's choice for each of them, made into one text."""

from collections.abc import Mapping, Sequence
from typing import Final

from workspace.merge.hunks import Agreed, Decision, Disputed, Hunk, LineRange
from workspace.merge.lines import join, restyle, split
from workspace.merge.threeway import Merge

ALLOWED: Final = '"mine", "theirs", "both", "base", "suggestion" where the hunk has one, or {"text": "..."}'

type Choice = str | Mapping[str, str]


class ChoiceError(ValueError):
    """A choice that cannot be followed.

    `index` is that of the hunk, counted from 0; None where the number of choices is wrong.
    """

    def __init__(self, message: str, *, index: int | None) -> None:
        super().__init__(message)
        self.index = index


def resolve(merged: Merge, choices: Sequence[Choice]) -> str:
    """The whole text, with `choices` in the places of the hunks, one each and in order.

    A choice is "mine", "theirs", "both" (theirs, then mine), "base", "suggestion", or {"text": …} for other words;
    those get the line ending of the document, and a final one where more text follows. Raises
    ChoiceError.
    """
    hunks = merged.hunks
    if isinstance(choices, str | Mapping) or len(choices) != len(hunks):
        given = "one value" if isinstance(choices, str | Mapping) else str(len(choices))
        raise ChoiceError(f"Expected a list with one choice per hunk ({len(hunks)}), got {given}.", index=None)
    pieces: list[str] = []
    index = 0
    for chunk in merged.chunks:
        match chunk:
            case Agreed(text):
                pieces.append(text)
            case Disputed(hunk):
                pieces += _chosen(choices[index], hunk, index, merged)
                index += 1
    return join(pieces, merged.line_ending)


def places(merged: Merge, choices: Sequence[Choice]) -> tuple[LineRange, ...]:
    """Where each hunk lies in the text that `choices` make; None where nothing is left of it. Raises ChoiceError."""
    found: list[LineRange] = []
    line = index = 0
    for chunk in merged.chunks:
        match chunk:
            case Agreed(text):
                line += len(split(text))
            case Disputed(hunk):
                stop = line + sum(len(split(piece)) for piece in _chosen(choices[index], hunk, index, merged))
                found.append((line + 1, stop) if line < stop else None)
                line = stop
                index += 1
    return tuple(found)


def decided(merged: Merge, choices: Sequence[Choice]) -> tuple[Decision, ...]:
    """What the merge settled itself, with lines in the text that `choices` make. Raises ChoiceError."""
    lengths = [last - first + 1 for first, last in (lines or (1, 0) for lines in places(merged, choices))]
    return tuple(
        Decision(rule=rule, lines=(start + before + 1, stop + before) if start < stop else None)
        for rule, start, stop, before in (
            (one.rule, one.start, one.stop, sum(lengths[: one.hunks])) for one in merged.settled
        )
    )


def _chosen(choice: Choice, hunk: Hunk, index: int, merged: Merge) -> tuple[str, ...]:
    match choice:
        case "mine":
            return (hunk.mine,)
        case "theirs":
            return (hunk.theirs,)
        case "both":
            return (hunk.theirs, hunk.mine)
        case "base":
            return (hunk.base,)
        case "suggestion" if hunk.suggestion is not None:
            return (hunk.suggestion,)
        case {"text": str(text), **rest} if not rest:
            return (restyle(text, merged.line_ending),)
    raise ChoiceError(
        f"Choice {index} is {choice!r}. Allowed: {ALLOWED}.",
        index=index,
    )
