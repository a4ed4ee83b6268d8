"""Everything that somebody may read below a folder, as a zip.

The same documents give the same bytes: entries are in the order of their locations and dated by their commits.
A name that some file system could not hold is changed in the archive only; the manifest tells what it was.
"""

import json
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO

from django.db.models import QuerySet

from workspace import locations
from workspace.access import location_of
from workspace.actor import Actor
from workspace.models import Document, Reach
from workspace.queries import who
from workspace.queries.folders import reachable
from workspace.queries.who import Who

MANIFEST = "baton-export.json"
FORMAT = "baton-export/1"
AT_ONCE = 100
LONGEST = 240  # bytes; file systems take 255, and some tools add a suffix of their own
UNSAFE = frozenset('<>:"\\|?*')
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))]
)
GIT = frozenset([".git", "git~1"])  # a repository's settings, were it unpacked as one
JOINER = "\u200d"


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A document's text at its head. ``path`` is its location below the exported folder."""

    id: str
    location: str
    path: str
    content: str
    commit: str
    author: Who
    committed_at: datetime


def count(actor: Actor, *, location: str) -> int:
    """How many documents ``documents`` gives. Raises ``NotFound``, ``Invalid``."""
    return _rows(actor, location)[1].count()


def documents(actor: Actor, *, location: str) -> Iterator[Exported]:
    """The live documents below a folder that the actor reads, by location; read in bounded memory.

    Raises ``NotFound``, ``Invalid``.
    """
    above, rows = _rows(actor, location)
    related = ("folder", "head__blob", "head__author", "head__agent__person")
    for row in rows.select_related(*related).order_by("folder__path", "name", "pk").iterator(chunk_size=AT_ONCE):
        place = location_of(row)
        yield Exported(
            id=row.pk,
            location=place,
            path=place.removeprefix(above + locations.SEPARATOR),
            content=row.head.blob.content,
            commit=row.head.pk,
            author=who.author(row.head),
            committed_at=row.head.created_at,
        )


def _rows(actor: Actor, location: str) -> tuple[str, "QuerySet[Document]"]:
    folder, _ = reachable(actor, location)
    return folder.path, Document.objects.live().filter(folder__lineage__contains=[folder.pk]).visible_to(Reach(actor))


def write_zip(
    actor: Actor, *, location: str, file: IO[bytes], advance: Callable[[int], object] = lambda steps: None
) -> int:
    """Writes the zip into ``file`` and gives the number of documents in it; ``advance`` is told of each."""
    names = Names()
    listed: list[dict[str, str]] = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for document in documents(actor, location=location):
            name = names.of(document.path)
            archive.writestr(_entry(name, document.committed_at), document.content.encode())
            listed.append(
                {
                    "file": name,
                    "path": document.path,
                    "location": document.location,
                    "id": document.id,
                    "commit": document.commit,
                    "author": document.author.label,
                    "committed_at": document.committed_at.astimezone(UTC).isoformat(),
                }
            )
            advance(1)
        manifest = {"format": FORMAT, "location": location, "documents": listed}
        archive.writestr(
            _entry(MANIFEST, datetime(1980, 1, 1, tzinfo=UTC)),
            json.dumps(manifest, ensure_ascii=False, indent=1).encode(),
        )
    return len(listed)


def _entry(name: str, at: datetime) -> zipfile.ZipInfo:
    at = at.astimezone(UTC)
    # A zip's calendar begins in 1980 and ends in 2107.
    year = min(max(at.year, 1980), 2107)
    info = zipfile.ZipInfo(name, (year, at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    return info


class Names:
    """Names in an archive for paths in the workspace: legal on every file system, and no two alike."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, ...], str] = {}
        self._used: dict[tuple[str, ...], set[str]] = {(): {locations.twin_key(MANIFEST)}}

    def of(self, path: str) -> str:
        parts = tuple(path.split(locations.SEPARATOR))
        return "/".join(self._one(parts[: n + 1]) for n in range(len(parts)))

    def _one(self, parts: tuple[str, ...]) -> str:
        if parts not in self._given:
            used = self._used.setdefault(parts[:-1], set())
            wanted = safe(parts[-1])
            name, number = wanted, 1
            while locations.twin_key(name) in used:
                number += 1
                stem = PurePosixPath(wanted)
                name = f"{stem.stem}~{number}{stem.suffix}"
            used.add(locations.twin_key(name))
            self._given[parts] = name
        return self._given[parts]


def safe(name: str) -> str:
    """``name`` with what Windows, macOS or a terminal would trip over replaced by ``_``."""
    kept = "".join(
        "_" if c in UNSAFE or (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") and c != JOINER) else c
        for c in name
    )
    bare = kept.rstrip(". ")
    kept = bare + "_" * (len(kept) - len(bare))
    if kept.partition(".")[0].rstrip().lower() in DEVICES or kept.lower() in GIT:
        kept = "_" + kept
    return _shortened(kept)


def _shortened(name: str) -> str:
    if len(name.encode()) <= LONGEST:
        return name
    suffix = PurePosixPath(name).suffix
    suffix = suffix if len(suffix.encode()) <= 16 else ""
    room = LONGEST - len(suffix.encode())
    return name.encode()[:room].decode(errors="ignore") + suffix
