"""The places of a conflict, small enough for a model to settle one by one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from workspace.mcp import shapes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.merge import Choice, Hunk, LineRange

CHOICES = (
    'For each hunk in order: "mine" (the draft), "theirs" (the document), "both" (theirs, then mine), "base", '
    '"suggestion" where there is one and it reads well, or {"text": "…"} for other words. Out of order: '
    '{"hunk": 0, "choice": "mine"}. Or content, the whole text, in place of choices.'
)
CHOICES_MOST = 200
"""Choices that the text of a next call holds."""


class HunkShape(TypedDict):
    """A place that both sides changed. A side that ends in … was cut; ``cut`` says so, and ``more`` has the cursor by
    which conflict shows the rest of it. ``suggestion`` has both changes word by word: read it before you take it."""

    index: int
    kind: str
    heading: str | None
    path: list[str]
    base: str
    theirs: str
    mine: str
    base_lines: list[int] | None
    theirs_lines: list[int] | None
    mine_lines: list[int] | None
    suggestion: NotRequired[str]
    cut: NotRequired[bool]
    more: NotRequired[dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class SideAt:
    """A place in one side of a hunk of the merge with ``head``, ``offset`` in characters. As text it is a cursor."""

    head: str
    hunk: int
    side: str
    offset: int

    def __str__(self) -> str:
        return f"hunk-{self.hunk}-{self.side}-{self.offset}-{self.head}"

    @classmethod
    def of(cls, cursor: str) -> "SideAt | None":
        """The place that a cursor names; None where it is none of these."""
        found = _SIDE_AT.fullmatch(cursor)
        return cls(hunk=int(found[1]), side=found[2], offset=int(found[3]), head=found[4]) if found else None


_SIDE_AT = re.compile(r"hunk-(\d{1,6})-(base|theirs|mine|suggestion)-(\d{1,8})-([0-9a-f]{7,64})", re.ASCII)


def hunk(index: int, of: Hunk, *, head: str) -> dict[str, Any]:
    sides = {name: shapes.side(text) for name, text in (("base", of.base), ("theirs", of.theirs), ("mine", of.mine))}
    shape: dict[str, Any] = {
        "index": index,
        "kind": of.kind,
        "heading": of.heading,
        "path": list(of.path),
        **{name: text for name, (text, _) in sides.items()},
        "base_lines": _lines(of.base_lines),
        "theirs_lines": _lines(of.theirs_lines),
        "mine_lines": _lines(of.mine_lines),
    }
    if of.suggestion is not None:
        sides["suggestion"] = shapes.side(of.suggestion)
        shape["suggestion"] = sides["suggestion"][0]
    more = {name: str(SideAt(head=head, hunk=index, side=name, offset=end)) for name, (_, end) in sides.items() if end}
    return shape | ({"cut": True, "more": more} if more else {})


def _lines(lines: LineRange) -> list[int] | None:
    return list(lines) if lines else None


def hunk_text(shape: Mapping[str, Any]) -> str:
    """A hunk for the model, as diff3 writes it."""
    path = " > ".join(shape["path"]) or shape["heading"] or ""
    where = f" under “{one_line(path)}”" if path else ""
    if lines := shape["theirs_lines"]:
        where += f", {shapes.span(lines)} of the document"
    parts = [f"Hunk {shape['index']}, {shape['kind']}{where}"]
    sides = [("theirs", "theirs (in the document now)"), ("base", "base (before both)"), ("mine", "mine (the draft)")]
    if "suggestion" in shape:
        sides.append(("suggestion", "suggestion (both, word by word)"))
    for name, label in sides:
        parts.append(f"--- {label}\n{shape[name]}" + ("" if shape[name].endswith("\n") else "\n"))
    return "\n".join(parts)


def conflict_parts(shown: Sequence[Mapping[str, Any]], total: int) -> list[str]:
    """Hunks as text, fenced, with what may stand in their places."""
    if not shown:
        return []
    parts = [fenced("\n".join(hunk_text(shape) for shape in shown), source=f"{len(shown)} of {counted(total, 'hunk')}")]
    if len(shown) < total:
        parts.append(f"These are the first {len(shown)} of {total}; conflict with action show has all.")
    parts.append(CHOICES)
    return parts


def the_rest(conflict: str, shown: Sequence[Mapping[str, Any]]) -> str:
    """The calls that read on where a side of a hunk was cut; nothing where none was."""
    told = []
    for shape in shown:
        for name, cursor in shape.get("more", {}).items():
            following = shapes.call("conflict", action="show", conflict_id=conflict, cursor=cursor)
            told.append(f"The rest of {name} of hunk {shape['index']}: {following}")
    return "\n".join(told)


def resolving(conflict: str, head: str, *, hunks: int, kept: Sequence[Choice | None] = ()) -> str:
    """The call that settles a conflict of so many hunks: what was kept stands in it, both where nothing was."""
    chosen = [kept[index] if index < len(kept) else None for index in range(min(hunks, CHOICES_MOST))]
    text = shapes.call(
        "conflict",
        action="resolve",
        conflict_id=conflict,
        expected_commit=head,
        choices=["both" if choice is None else choice for choice in chosen],
    )
    return text if hunks <= CHOICES_MOST else f"{text}, and choices go on so for all {hunks} hunks"
