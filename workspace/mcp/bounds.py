"""How much one answer may hold. All sizes are in characters, so CJK and emoji count as what they are.

A host pays for each character of each answer out of the model's context, so nothing here grows with the
workspace: lists go on by ``cursor``, texts by ``offset``.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from django.core import signing

from workspace.actor import Actor
from workspace.errors import Invalid

_SALT = "workspace.mcp.bounds"

TEXT: Final = 20_000
"""Of one document's text, unless the caller asks for another size."""
TEXT_MOST: Final = 50_000
"""Of one document's text, whatever the caller asks for."""
ROWS: Final = 20_000
"""Of a list's rows, as structured content."""
SIDE: Final = 4_000
"""Of one side of a hunk, or one run of lines."""
PAGE: Final = 50
PAGE_MOST: Final = 100


class Page[Row](Protocol):
    @property
    def items(self) -> tuple[Row, ...]: ...
    @property
    def next_cursor(self) -> str | None: ...


def weight(value: Any) -> int:
    """Characters that ``value`` takes as JSON, near enough: texts whole, a few for each name, number and mark."""
    match value:
        case str():
            return len(value) + 2
        case dict():
            return sum(len(name) + 4 + weight(item) for name, item in value.items()) + 2
        case list() | tuple():
            return sum(weight(item) + 1 for item in value) + 2
        case _:
            return 6


def fitting(items: Sequence[Any], *, most: int = ROWS) -> int:
    """How many of ``items``, from the first, stay within ``most`` characters; at least one where there is one."""
    total = 0
    for count, item in enumerate(items):
        total += weight(item)
        if total > most:
            return max(count, 1)
    return len(items)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A page of a list: rows for programs, a line of text for each, and the cursor after the last."""

    rows: list[dict[str, Any]]
    lines: list[str]
    cursor: str | None

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def page[Row](
    fetch: Callable[[int], Page[Row]],
    shape: Callable[[Row], dict[str, Any]],
    line: Callable[[Row], str],
    *,
    limit: int,
) -> Listing:
    """Rows as ``shape`` and ``line`` give them; fewer than ``limit`` where they are long.

    A page that is too long is asked for again with as many rows as fit, so that its cursor is the right one.
    """
    found = fetch(limit)
    rows = [shape(row) for row in found.items]
    fits = fitting(rows)
    if fits < len(rows):
        found = fetch(fits)
        rows = [shape(row) for row in found.items]
    return Listing(rows=rows, lines=[line(row) for row in found.items], cursor=found.next_cursor)


def more(**argument: str | int | None) -> str:
    """How to go on with a list, by its one ``argument``; nothing where that is None."""
    ((name, value),) = argument.items()
    return "" if value is None else f'\nThere are more. To go on: the same call with "{name}": {json.dumps(value)}'


@dataclass(frozen=True, kw_only=True)
class Cut:
    """The first part of a text. ``left`` counts the characters that were left out."""

    text: str
    left: int = 0


def cut(text: str, most: int) -> Cut:
    """The first ``most`` characters of ``text``; whole lines where one ends in the second half of them."""
    if len(text) <= most:
        return Cut(text=text)
    end = text.rfind("\n", most // 2, most) + 1 or most
    # A combining mark or joiner is not torn from what it belongs to by choice of a line end; between two
    # characters of a line that is longer than the bound there is no better place.
    return Cut(text=text[:end], left=len(text) - end)


def position(actor: Actor, cursor: str | None, *, of: Sequence[str]) -> int:
    """Where a listing that was made whole goes on: 0 without a cursor. Raises ``Invalid`` for a foreign one.

    ``of`` names the listing, such as a document and two commits; a cursor is good for that and its holder alone.
    """
    if cursor is None:
        return 0
    try:
        place, at = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        place, at = None, 0
    if place != [actor.principal, *of]:
        raise Invalid("cursor", "is not one that this listing gave you. Leave it out to begin again.")
    return int(at)


def cursor_at(actor: Actor, at: int, *, of: Sequence[str]) -> str:
    """The cursor that ``position`` turns back into ``at``."""
    return signing.dumps([[actor.principal, *of], at], salt=_SALT)
