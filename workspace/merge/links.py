"""Links in prose: the words that are read are one thing, and where a link leads is another."""

import re
from collections import Counter
from typing import Final

_LINK: Final = re.compile(
    r"(?P<words>\[(?:[^\[\]\\]|\\.)*\])\((?P<target>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?P<title>[ \t]+\"[^\"\n]*\")?\)"
)


def read(text: str) -> str:
    """`text` as somebody reads it, who does not see where its links lead."""
    return _LINK.sub(lambda found: found["words"][1:-1], text)


def targets(text: str) -> list[str]:
    """Where the links in `text` lead, in order."""
    return [found["target"] for found in _LINK.finditer(text)]


def merged(base: str, head: str, incoming: str) -> str | None:
    """The prose where one side changed only where links lead, and the other its words; or where both came to the same
    words and one of them made links of some. None where it is neither.

    A target is changed as a whole, and only where the other side left it as often as it was.
    """
    for changed, other in ((incoming, head), (head, incoming)):
        led = _led(base, changed, other)
        if led is not None:
            return led
    for large, small in ((head, incoming), (incoming, head)):
        if _plain(read(large)) == _plain(read(small)):
            more, fewer = Counter(targets(large)), Counter(targets(small))
            if fewer <= more and (more - fewer).keys().isdisjoint(targets(base)):
                return large
    return None


def _led(base: str, changed: str, other: str) -> str | None:
    """`other` with the targets that `changed` gave to the links of `base`, all else being as it was."""
    if _plain(_LINK.sub(_without_target, changed)) != _plain(_LINK.sub(_without_target, base)):
        return None
    before, there = targets(base), Counter(targets(other))
    became: dict[str, str] = {}
    for old, new in zip(before, targets(changed), strict=True):
        if became.setdefault(old, new) != new:
            return None
    moved = {old: new for old, new in became.items() if old != new}
    if not moved or any(there[old] != before.count(old) for old in moved):
        return None
    return _LINK.sub(lambda found: _leading(found, moved.get(found["target"])), other)


def _without_target(found: re.Match[str]) -> str:
    return f"{found['words']}(){found['title'] or ''}"


def _leading(found: re.Match[str], target: str | None) -> str:
    return found[0] if target is None else f"{found['words']}({target}){found['title'] or ''}"


def _plain(text: str) -> str:
    return " ".join(text.split())
