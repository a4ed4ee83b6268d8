"""Which parts of one text became which parts of another, also where their words changed."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product
from typing import Final

from workspace.merge.myers import changes

_WORD: Final = re.compile(r"\w+|[^\w\s]")
_NUMBER: Final = re.compile(r"\d+")
_PAIRS: Final = 3_600
"""Up to so many combinations of changed parts, they are paired by likeness; beyond, they are other parts."""


def words(text: str) -> list[str]:
    """Words and marks, without the white space."""
    return _WORD.findall(text)


def numbers(text: str) -> list[str]:
    """The numbers in a text, in order."""
    return _NUMBER.findall(text)


class Likeness:
    """How much texts have in common; what it counted of a text it keeps for the next question."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[Counter[str], int]] = {}

    def __call__(self, one: str, other: str, least: float = 0.0) -> float:
        """The part of their letters that two texts share, word order aside: 0 to 1; 0 where it is below `least`."""
        (first, letters), (second, more) = self._count(one), self._count(other)
        most = max(letters, more)
        if not most or min(letters, more) < least * most:
            return 0.0
        found = _letters(first & second) / most
        return found if found >= least else 0.0

    def _count(self, text: str) -> tuple[Counter[str], int]:
        if text not in self._counted:
            counter = Counter(words(text))
            self._counted[text] = counter, _letters(counter)
        return self._counted[text]


def align[T](
    old: Sequence[T],
    new: Sequence[T],
    *,
    key: Callable[[T], Hashable],
    alike: Callable[[T, T], float],
    kin: Callable[[T, T], bool],
) -> list[int | None]:
    """For each part of `old` the index in `new` of what it became, rising; None for what is gone.

    Parts of one `key` are the same; between those, parts that are `alike` at all are edits of one another, chosen so
    that the sum of their likeness is the greatest. What is left between two pairs was written
    anew, part for part, where it is as many parts on either side and each `kin` to its counterpart.
    """
    became: list[int | None] = [None] * len(old)
    numbers: dict[Hashable, str] = {}
    first, second = ([numbers.setdefault(key(part), str(len(numbers))) for part in side] for side in (old, new))
    at = moved = 0
    for change in changes(first, second):
        became[at : change.old_start] = range(moved, change.new_start)
        at, moved = change.old_end, change.new_end
        gone, come = range(change.old_start, change.old_end), range(change.new_start, change.new_end)
        if len(gone) * len(come) <= _PAIRS:
            before, after = gone.start, come.start
            for i, j in (*_pairs(gone, come, lambda i, j: alike(old[i], new[j])), (gone.stop, come.stop)):
                if i - before == j - after and all(map(kin, old[before:i], new[after:j])):
                    became[before:i] = range(after, j)
                if i < gone.stop:
                    became[i] = j
                before, after = i + 1, j + 1
    became[at:] = range(moved, len(new))
    return became


def _pairs(gone: range, come: range, alike: Callable[[int, int], float]) -> Iterator[tuple[int, int]]:
    scores = [[alike(i, j) for j in come] for i in gone]
    best = [[0.0] * (len(come) + 1) for _ in range(len(gone) + 1)]
    for i, j in product(reversed(range(len(gone))), reversed(range(len(come)))):
        best[i][j] = max(best[i + 1][j + 1] + scores[i][j], best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(gone) and j < len(come):
        if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            yield gone[i], come[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1


def _letters(counted: Counter[str]) -> int:
    return sum(len(word) * count for word, count in counted.items() if word[0].isalnum() or word[0] == "_")
