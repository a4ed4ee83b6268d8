"""Choices for the hunks of a conflict: as they are given, carried over to another merge, and what they leave out."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from workspace.errors import Invalid
from workspace.merge import Choice, Hunk, Merge

type Given = str | Mapping[str, Any]
"""A choice as ``workspace.merge.resolve`` takes it, or ``{"hunk": index, "choice": …}``."""

DROP: Final = "confirm_drop"
"""The argument that says that lines are left out on purpose."""
NAMED_MOST: Final = 20
"""Hunks and lines that a refusal names."""
LINE_MOST: Final = 160
"""Characters of a line that a refusal quotes."""
WORDS_MOST: Final = 2_000_000
"""Pairs of lines that are compared word by word; of more, a line that is not there as it was counts as left out."""
PLACES_MOST: Final = 200
"""Lines that are looked for inside other lines."""

_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+)*")
_WORD = re.compile(r"\w+")


def numbered(given: Sequence[Given]) -> dict[int, Choice]:
    """The choices by the index of their hunk: a list in order, or one of ``{"hunk": …, "choice": …}`` in any order.

    Raises ``Invalid`` where both are mixed, or one hunk is chosen twice.
    """
    named = [isinstance(one, Mapping) and "hunk" in one for one in given]
    if not any(named):
        return dict(enumerate(given))
    if not all(named):
        raise Invalid("choices", 'must be a list in order, or all of the form {"hunk": 0, "choice": "mine"}.')
    chosen: dict[int, Choice] = {}
    for one in given:
        assert isinstance(one, Mapping)
        index = one["hunk"]
        if isinstance(index, bool) or not isinstance(index, int) or index < 0:
            raise Invalid("choices", "hunk must be the index of a hunk, counted from 0.")
        if index in chosen:
            raise Invalid("choices", f"hunk {index} is chosen twice.")
        chosen[index] = one.get("choice", "")
    return chosen


def complete(chosen: Mapping[int, Choice], hunks: Sequence[Hunk]) -> tuple[Choice, ...]:
    """The choices in order, one for each hunk. Raises ``Invalid`` naming hunks without one, and those that are none."""
    if over := sorted(index for index in chosen if index >= len(hunks)):
        raise Invalid("choices", f"there is no {_hunks(over)}: {_expected(len(hunks))}.")
    if missing := [index for index in range(len(hunks)) if index not in chosen]:
        raise Invalid("choices", f"{_hunks(missing)} has no choice yet: {_expected(len(hunks))}.")
    return tuple(chosen[index] for index in range(len(hunks)))


def carried(
    before: Sequence[Hunk], after: Sequence[Hunk], chosen: Mapping[int, Choice]
) -> tuple[dict[int, Choice], bool]:
    """Choices made for ``before`` as choices for ``after``, and whether that is all that was chosen.

    A choice stays where a hunk says in all three texts what it said. Of hunks that say the same in several places as
    many must be left, or it is not told which is which. A place that no longer conflicts needs no choice; where
    something else than mine was chosen for it, that is not what the document would say, so not all is carried.
    """
    old, new = _alike(before), _alike(after)
    kept: dict[int, Choice] = {}
    whole = True
    for index, choice in chosen.items():
        if index >= len(before):
            return {}, False
        said = _said(before[index])
        if len(new[said]) == len(old[said]):
            kept[new[said][old[said].index(index)]] = choice
        elif choice != "mine":
            whole = False
    return kept, whole


def _alike(hunks: Sequence[Hunk]) -> defaultdict[tuple[str, str, str], list[int]]:
    found: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, hunk in enumerate(hunks):
        found[_said(hunk)].append(index)
    return found


def _said(hunk: Hunk) -> tuple[str, str, str]:
    return hunk.base, hunk.theirs, hunk.mine


def refuse_drop(lines: Sequence[str]) -> None:
    """``Invalid``, naming ``confirm_drop`` as the mend, where there are ``lines`` that would be left out."""
    if not lines:
        return
    shown = ", ".join(f"“{line[:LINE_MOST]}”" for line in lines[:NAMED_MOST])
    more = f" and {len(lines) - NAMED_MOST} more" if len(lines) > NAMED_MOST else ""
    count = "a line" if len(lines) == 1 else f"{len(lines)} lines"
    raise Invalid(
        DROP,
        f"is needed: this text leaves out {count} that one side added: {shown}{more}. Put them in, or repeat the call "
        f"with {DROP} true if that is meant.",
    )


def dropped(merged: Merge, *, base: str, head: str, draft: str, content: str) -> list[str]:
    """The lines that the head or the draft added to the base and that ``content`` does not hold, the head's first.

    A line is held where its words stand in ``content`` in this order, whatever the indentation, the bullet or the line
    breaks. Where both sides reworded a passage, ``content`` is the answer to that dispute: a line that took the place
    of another is no added one, and in a passage that grew, a line is held by one that is new and has half of its words.
    A new line stands for one line of each side and not for several, as any two sentences share some words.
    """
    reworded: set[str] = set()
    disputed: set[str] = set()
    for hunk in merged.hunks:
        if hunk.kind == "modify/modify":
            for side in (hunk.theirs, hunk.mine):
                grew = side.count("\n") > hunk.base.count("\n")
                (disputed if grew else reworded).update(map(_plain, _lines(side)))
    there = {_plain(line) for line in _lines(content)}
    flat = " ".join(content.split())
    old = set(map(_plain, _lines(base)))
    # In the order of the text, so that the same is told by every process.
    new = {line: _words(line) for line in map(_plain, _lines(content)) if line not in old}
    looks, pairs = PLACES_MOST, WORDS_MOST
    found: dict[str, None] = {}
    for side in (head, draft):
        own = set(map(_plain, _lines(side)))
        free = [words for line, words in new.items() if line not in own]
        for line in _added(base, side):
            said = _plain(line)
            if said in there or said in reworded:
                continue
            looks -= 1
            if looks >= 0 and said in flat:
                continue
            if said in disputed and (pairs := pairs - len(free)) >= 0 and _taken(said, free):
                continue
            found[line.strip()] = None
    return list(found)


def left_out(merged: Merge, choices: Sequence[Choice], *, base: str, head: str, draft: str, content: str) -> list[str]:
    """The lines that ``content``, which ``choices`` make of ``merged``, has ``dropped`` by words that were typed.

    Who takes one side, or the base, by its name has decided against the other. Who types sees both sides, and easily
    forgets a line of one; so only lines of the hunks with words of their own are counted.
    """
    typed = {
        _plain(line)
        for hunk, choice in zip(merged.hunks, choices, strict=True)
        if isinstance(choice, Mapping)
        for side in (hunk.theirs, hunk.mine)
        for line in _lines(side)
    }
    if not typed:
        return []
    lines = dropped(merged, base=base, head=head, draft=draft, content=content)
    return [line for line in lines if _plain(line) in typed]


def _added(base: str, side: str) -> Iterator[str]:
    """Lines that a side has more often than the base, blank ones and mere marks left out."""
    old = Counter(map(_plain, _lines(base)))
    for line in _lines(side):
        said = _plain(line)
        if old[said]:
            old[said] -= 1
        elif _WORD.search(said):
            yield line


def _taken(said: str, free: list[frozenset[str]]) -> bool:
    """Whether one of ``free`` has half of the words of ``said``; the one that has most of them is taken from it."""
    words = _words(said)
    best = max(free, key=lambda bag: len(words & bag), default=frozenset[str]())
    if len(words & best) * 2 < len(words):
        return False
    free.remove(best)
    return True


def _words(line: str) -> frozenset[str]:
    return frozenset(_WORD.findall(line.lower()))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _plain(line: str) -> str:
    """The words of a line, without what says where in a list it stands."""
    return " ".join(_MARK.sub("", line, count=1).split())


def _hunks(indexes: Sequence[int]) -> str:
    shown = ", ".join(str(index) for index in indexes[:NAMED_MOST])
    more = f" and {len(indexes) - NAMED_MOST} more" if len(indexes) > NAMED_MOST else ""
    return f"hunk {shown}{more}"


def _expected(count: int) -> str:
    match count:
        case 0:
            return "nothing is left to choose, so choices must be []"
        case 1:
            return "there is one hunk, 0"
        case _:
            return f"there are {count} hunks, 0 to {count - 1}"
