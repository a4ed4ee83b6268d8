"""Whether one side's edit holds the other's: both made the same change, and one of them more."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from workspace.merge.likeness import words
from workspace.merge.myers import changes
from workspace.merge.regions import Verdict, regions

_LONGEST: Final = 60_000
"""Characters up to which words are compared."""

type Side = Literal["head", "incoming"]
type _Edit = tuple[Counter[str], Counter[str]]


def subsumed(base: str, head: str, incoming: str) -> Side | None:
    """The side to take whole, since it says all that the other changed as well; None where neither does.

    Words are compared, not lines. Nothing is put together from both sides.
    """
    if len(base) + len(head) + len(incoming) > _LONGEST:
        return None
    old, first, second = words(base), words(head), words(incoming)
    # Most edits that meet bring words of their own, and this is asked of every dispute of a large page.
    if not (set(second) <= {*old, *first} or set(first) <= {*old, *second}):
        return None
    by_head, by_incoming = _edit(old, first), _edit(old, second)
    verdicts = {region.verdict for region in regions(old, first, second)} - {Verdict.UNCHANGED, Verdict.ALIKE}
    # Where one side alone changed something, the other's does not hold it: the same words there are another change.
    if Verdict.INCOMING not in verdicts and _holds(by_head, by_incoming, in_place=verdicts <= {Verdict.HEAD}):
        return "head"
    if Verdict.HEAD not in verdicts and _holds(by_incoming, by_head, in_place=verdicts <= {Verdict.INCOMING}):
        return "incoming"
    return None


def _edit(old: Sequence[str], new: Sequence[str]) -> _Edit:
    """The words that were taken away, and those that were added."""
    gone: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for change in changes(old, new):
        gone.update(old[change.old_start : change.old_end])
        come.update(new[change.new_start : change.new_end])
    return gone, come


def _holds(large: _Edit, small: _Edit, *, in_place: bool) -> bool:
    """Whether `large` takes away and adds all that `small` does, and puts nothing back that `small` took away.

    Unless it does so at the very places (`in_place`), it must be plain that the words are the same ones: `small`
    then has to add some, and none that either side moved.
    """
    gone, come = small
    more_gone, more_come = large
    if gone & more_come:
        return False
    return in_place or (bool(come) and not come & (gone | more_gone) and gone <= more_gone and come <= more_come)


def verbatim(text: str, within: str) -> bool:
    """Whether `within` says `text` as it is: the same words one after another. Marks around it do not count, so that
    a sentence is in a longer one that begins or ends with its words."""
    return inner(text) in row(words(within))


def inner(text: str) -> str:
    """The words of a text in a row, without the marks around them."""
    return row(_inner(words(text)))


def row(told: Sequence[str]) -> str:
    """Words one after another, so that whole words are found in them."""
    return f" {' '.join(told)} "


def _inner(told: list[str]) -> list[str]:
    """Words without the marks before the first and after the last of them; marks alone as they are."""
    at = [n for n, word in enumerate(told) if word[0].isalnum()]
    return told[at[0] : at[-1] + 1] if at else told
