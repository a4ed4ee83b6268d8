"""What a call came to, in one form for every surface."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Ok:
    """Done. ``outcome`` is saved, merged, unchanged or replayed for a write, and empty for a read; ``commit`` is the
    whole id, empty where none was made; ``value`` is what a read gave."""

    outcome: str = ""
    commit: str = ""
    value: Any = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Not written, since others wrote meanwhile. ``conflict`` is empty where there was no text to keep."""

    conflict: str = ""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Refused, with the fields that were named, by the names that the services give them."""

    code: str
    fields: frozenset[str] = frozenset()


type Outcome = Ok | Conflict | Refusal


def refusal(code: str, *fields: str) -> Refusal:
    return Refusal(code=code, fields=frozenset(fields))
