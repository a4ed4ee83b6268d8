"""Which lines changed between two texts: Myers' algorithm, with the shortcuts that git takes.

E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), the linear-space
variant: find the middle of a shortest edit path by walking from both ends at once, then do the same with
what is left on either side. An edit path is seldom the only shortest one, and a merge that should agree
with git needs the same one, so ties, the lines set aside beforehand and the points where the search gives
up are those that git documents and shows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from workspace.merge.groups import Group, collect, slide

_RARE_LIMIT: Final = 1024
"""A line found this often on the other side says little about where it belongs, however long the text is."""
_WINDOW: Final = 100
_SNAKE: Final = 20
"""A run of equal lines longer than this is a sign of being on a good path."""
_PATIENCE: Final = 256
"""Edit cost up to which the search is exact."""
WORK: Final = 1_200_000
"""Steps of the search, some tenths of a second, after which it is content with little; git has no bound."""
_ROUND: Final = 8
"""Steps that a round of the search costs besides those on its diagonals."""
_TIRED: Final = 24
"""Edit cost at which a search that is out of work gives up. After as much work again it ends altogether."""


class Change(NamedTuple):
    """Lines `old_start:old_end` became `new_start:new_end`, as slices; one of them may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changes(old: Sequence[str], new: Sequence[str], work: int = WORK) -> list[Change]:
    """The changes that lead from `old` to `new`, in order, with at least one unchanged line between any two.

    Within `work` steps of search there are as few changed lines as git would show; beyond, there may be more.
    """
    prefix = _common(zip(old, new, strict=False))
    limit = min(len(old), len(new)) - prefix
    suffix = _common(islice(zip(reversed(old), reversed(new), strict=False), limit))
    old_end, new_end = len(old) - suffix, len(new) - suffix
    if prefix == old_end and prefix == new_end:
        return []
    old_changed, new_changed = bytearray(len(old)), bytearray(len(new))
    if set(old[prefix:old_end]).isdisjoint(new[prefix:new_end]):
        old_changed[prefix:old_end] = b"\1" * (old_end - prefix)
        new_changed[prefix:new_end] = b"\1" * (new_end - prefix)
    else:
        kept_old = _worth(old, range(prefix, old_end), new, old_changed)
        kept_new = _worth(new, range(prefix, new_end), old, new_changed)
        _mark(old, new, kept_old, kept_new, old_changed, new_changed, work)
    old_groups, new_groups = collect(old_changed), collect(new_changed)
    old_groups = slide(old, old_groups, {group.gap for group in new_groups})
    new_groups = slide(new, new_groups, {group.gap for group in old_groups})
    return _pair(old_groups, new_groups)


def _common(pairs: "zip[tuple[str, str]] | islice[tuple[str, str]]") -> int:
    count = 0
    for left, right in pairs:
        if left != right:
            break
        count += 1
    return count


def _pair(old_groups: Sequence[Group], new_groups: Sequence[Group]) -> list[Change]:
    """Groups that face each other as one change; a group that faces none as an insertion or a deletion."""
    old_at = {group.gap: group for group in old_groups}
    new_at = {group.gap: group for group in new_groups}
    paired: list[Change] = []
    old_total = new_total = 0
    for gap in sorted(old_at.keys() | new_at.keys()):
        old_size = group.end - group.start if (group := old_at.get(gap)) else 0
        new_size = group.end - group.start if (group := new_at.get(gap)) else 0
        old_start, new_start = gap + old_total, gap + new_total
        paired.append(Change(old_start, old_start + old_size, new_start, new_start + new_size))
        old_total += old_size
        new_total += new_size
    return paired


def _mark(
    old: Sequence[str],
    new: Sequence[str],
    old_kept: Sequence[int],
    new_kept: Sequence[int],
    old_changed: bytearray,
    new_changed: bytearray,
    work: int,
) -> None:
    """Set the byte of every kept line that is not one of the equal lines along the edit path."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(old[i], len(numbers)) for i in old_kept]
    right = [numbers.setdefault(new[j], len(numbers)) for j in new_kept]
    search = _Search(left, right, work)
    todo = [_Box(0, len(left), 0, len(right), exact=False)]
    while todo:
        box = search.trim(todo.pop())
        if box.left < box.left_end and box.right < box.right_end and search.work > -work:
            todo.extend(search.halves(box))
            continue
        for i in range(box.left, box.left_end):
            old_changed[old_kept[i]] = 1
        for j in range(box.right, box.right_end):
            new_changed[new_kept[j]] = 1


_ABSENT, _TELLING, _COMMON = 0, 1, 2


def _worth(lines: Sequence[str], span: range, other: Sequence[str], changed: bytearray) -> list[int]:
    """Indexes in `span` of the lines worth comparing; the others are marked in `changed`.

    A line that the other side does not have is changed. So is a common line (blank, a lone brace) in a
    stretch where most lines are absent from the other side: matching it would tear one change into many.
    """
    counts = Counter(other)
    limit = min(_root(len(lines)), _RARE_LIMIT)
    found = [counts[lines[i]] for i in span]
    worth = bytearray(_ABSENT if not n else _TELLING if n < limit else _COMMON for n in found)
    if _ABSENT not in worth:
        return list(span)
    kept: list[int] = []
    for at, index in enumerate(span):
        if worth[at] == _TELLING or (worth[at] == _COMMON and not _among_absent(worth, at)):
            kept.append(index)
        else:
            changed[index] = 1
    return kept


def _among_absent(worth: bytearray, at: int) -> bool:
    """Whether the lines around the common line at `at`, up to the next telling ones, are mostly absent."""
    low, high = max(at - _WINDOW, 0), min(at + _WINDOW + 1, len(worth))
    if (telling := worth.rfind(_TELLING, low, at)) >= 0:
        low = telling + 1
    if (telling := worth.find(_TELLING, at + 1, high)) >= 0:
        high = telling
    before, after = worth.count(_ABSENT, low, at), worth.count(_ABSENT, at + 1, high)
    # Git counts the line itself twice.
    total = high - low + 1
    return before > 0 and after > 0 and 4 * (total - before - after) < total


def _root(n: int) -> int:
    """The power of two at or above the square root of `n`, roughly."""
    return 1 << ((n.bit_length() + 1) // 2)


@dataclass(slots=True)
class _Box:
    """A part of both sequences that is still to be compared."""

    left: int
    left_end: int
    right: int
    right_end: int
    exact: bool
    """Whether the search may not give up in here."""


_NOWHERE: Final = range(0)


def _widened(reached: range, lowest: int, highest: int, paths: list[int], shift: int, outside: int) -> range:
    """The diagonals that one more edit reaches, from high to low: every second, as an edit changes parity.

    Past `lowest` and `highest` the box ends and the range narrows. `outside` goes where no path has been.
    """
    high, low = reached[0], reached[-1]
    if low > lowest:
        low -= 1
        paths[low - 1 + shift] = outside
    else:
        low += 1
    if high < highest:
        high += 1
        paths[high + 1 + shift] = outside
    else:
        high -= 1
    return range(high, low - 1, -2)


class _Search:
    """Finds where to cut a box in two so that the cut lies on a shortest edit path, or on a good one."""

    def __init__(self, left: Sequence[int], right: Sequence[int], work: int) -> None:
        self.left = left
        self.right = right
        diagonals = len(left) + len(right) + 3
        # Diagonal d, from -len(right) - 1 to len(left) + 1, is at index d + shift.
        self.shift = len(right) + 1
        self.forward = [0] * (diagonals + 1)
        self.backward = [0] * (diagonals + 1)
        self.cap = max(_root(diagonals), _PATIENCE)
        self.beyond = diagonals
        self.long_snake = False
        self.work = work

    def trim(self, box: _Box) -> _Box:
        """The box without the equal items at its start and its end."""
        left, right = self.left, self.right
        a, a_end, b, b_end = box.left, box.left_end, box.right, box.right_end
        while a < a_end and b < b_end and left[a] == right[b]:
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and left[a_end - 1] == right[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        return _Box(a, a_end, b, b_end, box.exact)

    def halves(self, box: _Box) -> tuple[_Box, _Box]:
        a, b, first_exact, second_exact = self._cut(box)
        return (
            _Box(box.left, a, box.right, b, first_exact),
            _Box(a, box.left_end, b, box.right_end, second_exact),
        )

    def _cut(self, box: _Box) -> tuple[int, int, bool, bool]:
        """Where to cut, and which of the halves must be searched exactly.

        The first place where a path from the start meets one from the end is the middle of a shortest path.
        """
        lowest, highest = box.left - box.right_end, box.left_end - box.right
        start, end = box.left - box.right, box.left_end - box.right_end
        odd = (start - end) % 2 == 1
        ahead, behind = range(start, start + 1), range(end, end + 1)
        self.forward[start + self.shift] = box.left
        self.backward[end + self.shift] = box.left_end
        cost = 0
        while True:
            cost += 1
            self.long_snake = False
            ahead = _widened(ahead, lowest, highest, self.forward, self.shift, outside=-1)
            if met := self._advance(box, ahead, behind if odd else _NOWHERE):
                return *met, True, True
            behind = _widened(behind, lowest, highest, self.backward, self.shift, outside=self.beyond)
            if met := self._retreat(box, behind, _NOWHERE if odd else ahead):
                return *met, True, True
            self.work -= len(ahead) + len(behind) + _ROUND
            if box.exact and self.work > 0:
                continue
            if self.long_snake and cost > _PATIENCE:
                if found := self._good_start(box, cost, ahead):
                    return *found, True, False
                if found := self._good_end(box, cost, behind):
                    return *found, False, True
            if cost >= (self.cap if self.work > 0 else _TIRED):
                return self._farthest(box, ahead, behind)

    def _advance(self, box: _Box, diagonals: range, meeting: range) -> tuple[int, int] | None:
        """One more edit on every path from the start; the point where one meets a path from the end, if any.

        `forward` holds for each diagonal how far along `left` a path gets with the edits so far. Paths can
        meet on the diagonals in `meeting`.
        """
        left, right, forward, backward, shift = self.left, self.right, self.forward, self.backward, self.shift
        a_end, b_end = box.left_end, box.right_end
        low, high = (meeting[-1], meeting[0]) if meeting else (1, 0)
        for d in diagonals:
            at = d + shift
            deleted, inserted = forward[at - 1] + 1, forward[at + 1]
            a = begun = deleted if deleted > inserted else inserted
            b = a - d
            while a < a_end and b < b_end and left[a] == right[b]:
                a += 1
                b += 1
            forward[at] = a
            if a - begun > _SNAKE:
                self.long_snake = True
                self.work -= a - begun
            if low <= d <= high and backward[at] <= a:
                return a, b
        return None

    def _retreat(self, box: _Box, diagonals: range, meeting: range) -> tuple[int, int] | None:
        """The same from the end: `backward` holds how far back a path gets."""
        left, right, forward, backward, shift = self.left, self.right, self.forward, self.backward, self.shift
        a_start, b_start = box.left, box.right
        low, high = (meeting[-1], meeting[0]) if meeting else (1, 0)
        for d in diagonals:
            at = d + shift
            inserted, deleted = backward[at - 1], backward[at + 1] - 1
            a = begun = inserted if inserted <= deleted else deleted
            b = a - d
            while a > a_start and b > b_start and left[a - 1] == right[b - 1]:
                a -= 1
                b -= 1
            backward[at] = a
            if begun - a > _SNAKE:
                self.long_snake = True
                self.work -= begun - a
            if low <= d <= high and a <= forward[at]:
                return a, b
        return None

    def _good_start(self, box: _Box, cost: int, diagonals: range) -> tuple[int, int] | None:
        """The most promising point that a path from the start reached through a long run of equal items."""
        middle = box.left - box.right
        best, found = 4 * cost, None
        for d in diagonals:
            a = self.forward[d + self.shift]
            b = a - d
            gain = (a - box.left) + (b - box.right) - abs(d - middle)
            inside = box.left + _SNAKE <= a < box.left_end and box.right + _SNAKE <= b < box.right_end
            if gain > best and inside and self.left[a - _SNAKE : a] == self.right[b - _SNAKE : b]:
                best, found = gain, (a, b)
        return found

    def _good_end(self, box: _Box, cost: int, diagonals: range) -> tuple[int, int] | None:
        """The most promising point that a path from the end reached through a long run of equal items."""
        middle = box.left_end - box.right_end
        best, found = 4 * cost, None
        for d in diagonals:
            a = self.backward[d + self.shift]
            b = a - d
            gain = (box.left_end - a) + (box.right_end - b) - abs(d - middle)
            inside = box.left < a <= box.left_end - _SNAKE and box.right < b <= box.right_end - _SNAKE
            if gain > best and inside and self.left[a : a + _SNAKE] == self.right[b : b + _SNAKE]:
                best, found = gain, (a, b)
        return found

    def _farthest(self, box: _Box, from_start: range, from_end: range) -> tuple[int, int, bool, bool]:
        """The point farthest from either end that the search has reached."""
        ahead, ahead_a = -1, -1
        for d in from_start:
            a = min(self.forward[d + self.shift], box.left_end, box.right_end + d)
            if 2 * a - d > ahead:
                ahead, ahead_a = 2 * a - d, a
        behind, behind_a = 2 * (len(self.left) + len(self.right)) + 1, -1
        for d in from_end:
            a = max(self.backward[d + self.shift], box.left, box.right + d)
            if 2 * a - d < behind:
                behind, behind_a = 2 * a - d, a
        if box.left_end + box.right_end - behind < ahead - box.left - box.right:
            return ahead_a, ahead - ahead_a, True, False
        return behind_a, behind - behind_a, False, True
