"""The files that an import is offered: each to be taken, or left out with a reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from workspace import locations
from workspace.errors import Invalid

SUFFIXES = (".md", ".markdown", ".mdown", ".txt")


class Unreadable(Exception):
    """The source, or one file of it, cannot be taken. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Version:
    """One commit that a repository holds of one file. ``parents`` are those of its ids that touched the file before;
    ``author`` is ``NAME <ADDRESS>``. ``read`` raises ``Unreadable``."""

    id: str
    parents: tuple[str, ...]
    author: str
    at: datetime
    message: str
    read: Callable[[], bytes]


@dataclass(frozen=True, kw_only=True)
class Found:
    """A file to import: its name in the source, its place below the target, and its bytes on demand.

    ``read`` raises ``Unreadable``. ``history`` gives what a repository holds of it, parents first.
    """

    name: str
    path: tuple[str, ...]
    read: Callable[[], bytes]
    history: Callable[[], list[Version]] | None = None


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A file that is not imported, and why. ``expected`` is for what no import takes, such as pictures."""

    name: str
    why: str
    expected: bool = False


Entry = Found | LeftOut


def shown(name: str) -> str:
    """A file's name as it can be printed, whatever bytes it is made of."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)


def planned(entries: Iterable[Entry]) -> list[Entry]:
    """The entries by name, without those whose place is illegal or is a twin of an earlier one's."""
    kept: list[Entry] = []
    folders: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: dict[tuple[str, ...], str] = {}
    for entry in sorted(entries, key=lambda entry: entry.name):
        if isinstance(entry, LeftOut):
            kept.append(LeftOut(name=shown(entry.name), why=entry.why, expected=entry.expected))
            continue
        name = shown(entry.name)
        try:
            path = tuple(locations.clean_name(part) for part in entry.path)
        except Invalid as refusal:
            kept.append(LeftOut(name=name, why=refusal.errors[0].message))
            continue
        keys = tuple(locations.twin_key(part) for part in path)
        twin = next(
            (seen for n in range(1, len(path)) if (seen := folders.setdefault(keys[:n], path[:n])) != path[:n]),
            None,
        )
        if twin is not None:
            why = f"is in a folder whose name differs from {locations.join(*twin)} only in case or normalisation."
            kept.append(LeftOut(name=name, why=why))
        elif keys in files:
            why = f"is {files[keys]} once more, or differs from it only in case or normalisation."
            kept.append(LeftOut(name=name, why=why))
        else:
            files[keys] = name
            kept.append(replace(entry, name=name, path=path))
    return kept


def is_markdown(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def too_large() -> str:
    return f"is over the limit of {settings.BATON_DOCUMENT_BYTES:,} bytes."
