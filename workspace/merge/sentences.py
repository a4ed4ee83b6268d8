"""Prose as sentences, and a paragraph put together from the sentences that either side changed."""

import re
from typing import Final

from workspace.merge import links
from workspace.merge.likeness import Likeness, align
from workspace.merge.subsumed import subsumed, verbatim

_END: Final = re.compile(r"""(?:(?<=[.!?…])["'”’)\]*_]*(?=\s)|(?<=[。！？])["'”’」』）]*)\s*""")
_SHORT: Final = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Ms|Dr|St|No|Fig|approx|resp|al|\w)\.$")
"""A full stop that ends an abbreviation, a single letter or a number of a list."""
_WIDE: Final = re.compile(r"[。！？]\S*$")
_BEGINS: Final = re.compile(
    r"[-+*]|\d{1,9}[.)]|#{1,6}|=+|-{2,}|\[[^\]]+\]:.*|(?:>|\||<|`{3}|~{3}|!\[|:::|\{[{%]).*", re.DOTALL
)
"""A word that at the beginning of a line would make it an item, a heading or another block."""
_LONGEST: Final = 60_000
"""Characters of three versions up to which sentences are looked for."""
_ALIKE: Final = 0.34
_FEW: Final = 2
_WRAPPED: Final = 40
"""Lines of a paragraph longer than this were broken to a width, and not each for itself."""


def sentences(text: str) -> list[str]:
    """The sentences of `text`, each with the white space after it; joined they give it back.

    None ends inside inline code or the text of a link.
    """
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.start()]
        if not piece or _SHORT.search(piece) or piece.count("`") % 2 or piece.count("[") > piece.count("]"):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        found.append(text[start:])
    return found


def plain(text: str) -> str:
    """`text` with each run of white space as one space: what a re-flow leaves alone."""
    return " ".join(text.split())


def merged(base: str, head: str, incoming: str) -> str | None:
    """The prose with the sentences that either side changed; None where the merge is not sure.

    It is sure where at least one sentence is as it was on both sides, no sentence was changed by both, none was
    put in beside one that the other side took out, only one side put something in at any one place, and not both the
    same at two.
    """
    if len(base) + len(head) + len(incoming) > _LONGEST:
        return None
    old, first, second = sentences(base), sentences(head), sentences(incoming)
    likeness = Likeness()
    if {*map(plain, old)}.isdisjoint({*map(plain, first)} & {*map(plain, second)}) and not _each_its_own(
        old, first, second
    ):
        return None

    def alike(one: str, other: str) -> float:
        return likeness(one, other, _ALIKE)

    to_head = align(old, first, key=plain, alike=alike, kin=_never)
    to_incoming = align(old, second, key=plain, alike=alike, kin=_never)
    if not any(
        i is not None and j is not None and plain(sentence) == plain(first[i]) == plain(second[j])
        for sentence, i, j in zip(old, to_head, to_incoming, strict=True)
    ) and not _each_its_own(old, first, second):
        return None
    kept: list[str] = []
    told: tuple[set[str], set[str]] = (set(), set())
    at = [0, 0]
    for gap in range(len(old) + 1):
        added = []
        for side, (texts, became) in enumerate(((first, to_head), (second, to_incoming))):
            stop = next((i for i in became[gap:] if i is not None), len(texts))
            added.append(texts[at[side] : stop])
            at[side] = stop
        put_in = _put_in(*added)
        if put_in is None:
            return None
        if not all(added):
            for says, by_side in zip(told, added, strict=True):
                says.update(map(plain, by_side))
        around = [k for k in (gap - 1, gap) if 0 <= k < len(old)]
        for put, other in ((added[0], to_incoming), (added[1], to_head)):
            if put and not all(added) and any(other[k] is None for k in around):
                return None
        kept += put_in
        if gap == len(old):
            break
        i, j = to_head[gap], to_incoming[gap]
        at = [at[0] if i is None else i + 1, at[1] if j is None else j + 1]
        chosen = _chosen(old[gap], None if i is None else first[i], None if j is None else second[j])
        if chosen is None:
            return None
        kept.append(chosen)
    if told[0] & told[1]:
        # Both put it in, each at a place of its own.
        return None
    return refilled(_joined(kept, ends_with=head), head, incoming)


def _each_its_own(old: list[str], first: list[str], second: list[str]) -> bool:
    """Whether no sentence was put in or taken out, each was changed by one side at most, and by a word or two: what it
    says of the others is then what it said."""
    if not 2 <= len(old) == len(first) == len(second):
        return False
    for before, *sides in zip(old, first, second, strict=True):
        changed = [after for after in sides if plain(after) != plain(before)]
        if len(changed) > 1 or not all(_corrected(before.split(), after.split()) for after in changed):
            return False
    return True


def _corrected(old: list[str], new: list[str]) -> bool:
    """Whether at most ``_FEW`` words in a row became at most as many others, among more that stayed."""
    same = next(
        (n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    left, right = old[same:], new[same:]
    while left and right and left[-1] == right[-1]:
        left.pop()
        right.pop()
    return max(len(left), len(right)) <= _FEW < len(old) - len(left)


def _never(one: str, other: str) -> bool:
    """A sentence of other words is another sentence."""
    return False


def _put_in(by_head: list[str], by_incoming: list[str]) -> list[str] | None:
    if by_head and by_incoming and [plain(s) for s in by_head] != [plain(s) for s in by_incoming]:
        return None
    return by_head or by_incoming


def _chosen(base: str, head: str | None, incoming: str | None) -> str | None:
    """What becomes of one sentence: "" where it is gone, None where both sides changed it."""
    if head is None and incoming is None:
        return ""
    old = plain(base)
    if head is None or incoming is None:
        return "" if plain(head or incoming or "") == old else None
    first, second = plain(head), plain(incoming)
    if first == second or second == old:
        return head
    if first == old:
        return incoming
    match subsumed(old, first, second):
        case "head" if verbatim(second, first):
            return head
        case "incoming" if verbatim(first, second):
            return incoming
    return links.merged(base, head, incoming)


def _joined(pieces: list[str], *, ends_with: str) -> str:
    pieces = [piece for piece in pieces if piece]
    text = "".join(
        piece if piece[-1].isspace() or _WIDE.search(piece) else piece + " " for piece in pieces[:-1]
    ) + "".join(pieces[-1:])
    return text if ends_with[-1:].isspace() else text.rstrip()


def refilled(text: str, *likes: str) -> str:
    """`text` broken to the width of the widest of `likes`, from the first line that is too long or was cut short.

    A text whose lines were not broken to a width, or that holds a hard break, stays as it is: one whose lines all end
    with a sentence was broken by sentences.
    """
    told = [like.split("\n") for like in likes]
    width = max(len(line) for lines in told for line in lines)
    if re.search(r"(?:\\| {2})\n", text) or not all(map(_wrapped, told)):
        return text
    known = {line for lines in told for line in lines}
    old = text.split("\n")
    same = next((n for n, line in enumerate(old) if line not in known), len(old))
    out, line = old[:same], ""
    for word in " ".join(old[same:]).split():
        if line and len(line) + 1 + len(word) > width and not _BEGINS.fullmatch(word):
            out.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*out, line] if line else out)


def _wrapped(lines: list[str]) -> bool:
    """Whether lines were broken to a width, and not each for itself."""
    broken = lines[:-1] if lines[-1] else lines[:-2]
    return (
        bool(broken)
        and min(map(len, broken)) >= _WRAPPED
        and not all(len(sentences(f"{line} x")) > 1 for line in broken)
    )
