"""Which version brought in each line of a text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from workspace.merge.lines import Lines
from workspace.merge.myers import changes


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    id: str
    text: str
    parents: tuple[str, ...] = ()


class Run(NamedTuple):
    """Lines `start_line` to `end_line`, counted from 1 and both included, came in with version `id`."""

    start_line: int
    end_line: int
    id: str


class _Blamed(NamedTuple):
    lines: Sequence[str]
    ids: Sequence[str]


def blame(versions: Iterable[Version], uses: Mapping[str, int] | None = None) -> tuple[Run, ...]:
    """Runs of lines of the last version, in order, each with the version that introduced it.

    `versions` come oldest first, parents before children; a parent that is not among them is taken as
    unknown, and its lines count as the child's. In a merge a line belongs to whom it belongs to in the
    first parent that has it, and to the merge itself only where no parent has it. A change of line
    endings alone introduces nothing. With `uses`, how often each version is a parent, the versions are
    read one by one and only those that are still a parent to come are held; without it, all at once.
    """
    if uses is None:
        versions = list(versions)
        uses = Counter(parent for version in versions for parent in version.parents)
    left = Counter(uses)
    known: dict[str, _Blamed] = {}
    result: Sequence[str] = ()
    for version in versions:
        lines = Lines.of(version.text).keys
        parents = [known[parent] for parent in version.parents if parent in known]
        result = _attributed(version.id, lines, parents)
        for parent in version.parents:
            left[parent] -= 1
            if left[parent] <= 0:
                known.pop(parent, None)
        if left[version.id] > 0:
            known[version.id] = _Blamed(lines, result)
    return _runs(result)


def _attributed(own: str, lines: Sequence[str], parents: Sequence[_Blamed]) -> list[str]:
    owners: list[str | None] = [None] * len(lines)
    for parent in parents:
        parent_at = line_at = 0
        for change in (*changes(parent.lines, lines), None):
            end = change.new_start if change else len(lines)
            for i in range(line_at, end):
                if owners[i] is None:
                    owners[i] = parent.ids[parent_at + i - line_at]
            if change:
                parent_at, line_at = change.old_end, change.new_end
    return [own if owner is None else owner for owner in owners]


def _runs(ids: Sequence[str]) -> tuple[Run, ...]:
    runs: list[Run] = []
    line = 1
    for owner, group in groupby(ids):
        size = sum(1 for _ in group)
        runs.append(Run(line, line + size - 1, owner))
        line += size
    return tuple(runs)
