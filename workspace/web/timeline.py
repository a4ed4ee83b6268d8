"""The commits of a document as a timeline: by day, with the lane of what was written beside and then merged."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from workspace.queries.history import CommitRow
from workspace.web.rules import RULES
from workspace.web.times import day_words

_GIT: Final = re.compile(r"Imported, git [0-9a-f]{40,64}, ")
"""The reason that an import gives to what it took from a repository."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A decision of a merge. ``first`` and ``last`` are lines of the merged text, None where nothing is left there."""

    words: str
    first: int | None
    last: int | None


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A commit in the timeline. ``lane`` is ``merge`` where a side lane comes in, ``fork`` where one begins, ``both``,
    ``beside`` where one passes, or empty. ``elsewhere`` says that it
    is a merge which was not made here."""

    row: CommitRow
    lane: str
    settled: tuple[Settled, ...]
    elsewhere: bool


@dataclass(frozen=True, kw_only=True)
class Day:
    """The commits of one day."""

    day: str
    moments: tuple[Moment, ...]


def days(rows: Sequence[CommitRow]) -> list[Day]:
    """Commits, newest first, by day."""
    found = groupby(_moments(rows), lambda moment: day_words(moment.row.created_at))
    return [Day(day=day, moments=tuple(moments)) for day, moments in found]


def _moments(rows: Sequence[CommitRow]) -> Iterator[Moment]:
    waiting: set[str] = set()
    for row in rows:
        forks = row.id in waiting
        waiting.discard(row.id)
        merges = len(row.parents) > 1
        if merges:
            waiting.add(row.parents[1])
        # The lane of another merge may pass a fork; one lane stands for all of them.
        lane = ("both" if forks or len(waiting) > 1 else "merge") if merges else ""
        if not merges:
            lane = ("both" if waiting else "fork") if forks else "beside" if waiting else ""
        yield Moment(row=row, lane=lane, settled=settled(row), elsewhere=elsewhere(row))


def elsewhere(row: CommitRow) -> bool:
    """Whether it is a merge that was made in a repository and came in with its history: what that settled is not
    known."""
    return len(row.parents) > 1 and row.merge_version is None and _GIT.match(row.reason) is not None


def settled(row: CommitRow) -> tuple[Settled, ...]:
    """What the merge that made a commit decided, in words; a rule that this version does not know by its name."""
    return tuple(
        Settled(
            words=RULES.get(one.rule, one.rule),
            first=one.lines[0] if one.lines else None,
            last=one.lines[1] if one.lines else None,
        )
        for one in row.decisions
    )
