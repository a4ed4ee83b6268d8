"""What an import reads: a folder, a zip or a repository of Markdown, file by file, with a reason for what is left out.

Nothing outside the folder or the archive is ever opened, and no file is read further than a document may be
long, whatever its listing claims.
"""

import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings

from workspace import locations
from workspace.services import repositories
from workspace.services.entries import Entry, Found, LeftOut, Unreadable, is_markdown, planned, too_large

MANIFEST = "baton-export.json"
"""Lists, in the archives that ``export`` makes, the location of each file below the exported folder."""
MOST_ENTRIES = 200_000
MOST_BYTES = 8 * 1024**3
MANIFEST_BYTES = 64 * 1024**2


@contextmanager
def opened(path: Path, *, history: bool = True) -> Iterator[list[Entry]]:
    """The entries of a folder, a zip or, unless ``history`` is false, a git repository, in the order of their names.

    Raises ``Unreadable``.
    """
    if history and repositories.is_one(path):
        with repositories.opened(path) as files:
            yield planned(files)
        return
    if path.is_dir():
        yield planned(_folder(path))
        return
    if not path.is_file():
        raise Unreadable("is neither a folder nor a file.")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise Unreadable(f"is not a zip that can be read ({error}).") from None
    with archive:
        yield planned(_archive(archive))


def _folder(root: Path) -> Iterator[Entry]:
    pending: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while pending:
        folder, above = pending.pop()
        try:
            inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield LeftOut(name=locations.join(*above) or ".", why=f"cannot be read: {error.strerror}.")
            continue
        for entry in inside:
            path = (*above, entry.name)
            name = locations.join(*path)
            if entry.is_symlink():
                yield LeftOut(name=name, why="is a symbolic link.")
            elif entry.name.startswith("."):
                yield LeftOut(name=name, why="is hidden.", expected=True)
            elif entry.is_dir(follow_symlinks=False):
                pending.append((Path(entry.path), path))
            elif not entry.is_file(follow_symlinks=False):
                yield LeftOut(name=name, why="is no ordinary file.")
            elif not is_markdown(entry.name):
                yield LeftOut(name=name, why="is not Markdown.", expected=True)
            else:
                yield Found(name=name, path=path, read=_file_reader(entry.path))


def _file_reader(path: str) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            # It may have become a link or a pipe since it was listed: neither is followed nor waited for.
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise Unreadable("is no ordinary file.")
                return _bounded(file)
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}.") from None

    return read


def _archive(archive: zipfile.ZipFile) -> Iterator[Entry]:
    infos = archive.infolist()
    if len(infos) > MOST_ENTRIES:
        raise Unreadable(f"holds {len(infos):,} entries; at most {MOST_ENTRIES:,} are taken.")
    places = _places(archive)
    unpacked = 0
    for info in sorted(infos, key=lambda info: info.filename):
        name = _name(info)
        parts = name.split("/")
        if info.is_dir():
            continue
        if _leads_outside(name):
            yield LeftOut(name=name, why="leads outside the archive.")
        elif stat.S_ISLNK(info.external_attr >> 16):
            yield LeftOut(name=name, why="is a symbolic link.")
        elif (
            name not in places and any(part.startswith(".") or part == "__MACOSX" for part in parts)
        ) or name == MANIFEST:
            yield LeftOut(name=name, why="is hidden.", expected=True)
        elif name not in places and not is_markdown(parts[-1]):
            yield LeftOut(name=name, why="is not Markdown.", expected=True)
        elif info.flag_bits & 0x1:
            yield LeftOut(name=name, why="is encrypted.")
        elif info.file_size > settings.BATON_DOCUMENT_BYTES:
            yield LeftOut(name=name, why=too_large())
        else:
            # Reading stops at the size that the listing claims, so the claims bound what is unpacked.
            unpacked += info.file_size
            if unpacked > MOST_BYTES:
                raise Unreadable(f"would unpack to more than {MOST_BYTES // 1024**3} GiB.")
            yield Found(name=name, path=places.get(name, tuple(parts)), read=_entry_reader(archive, info))


def _entry_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(info) as file:
                return _bounded(file)
        except Unreadable:
            raise
        except Exception as error:
            raise Unreadable(f"is damaged ({type(error).__name__}).") from None

    return read


def _name(info: zipfile.ZipInfo) -> str:
    """The entry's name. Some programs write UTF-8 without saying so, which reads as code page 437."""
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name


def _leads_outside(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or "\\" in name or parts[0][1:2] == ":" or "\x00" in name


def _places(archive: zipfile.ZipFile) -> dict[str, tuple[str, ...]]:
    """The manifest of an export: a file's name to its place below the exported folder; empty where there is none."""
    try:
        with archive.open(MANIFEST) as file:
            listed = json.loads(file.read(MANIFEST_BYTES))
        return {row["file"]: tuple(row["path"].split("/")) for row in listed["documents"]}
    except Exception:
        return {}


def _bounded(file: IO[bytes]) -> bytes:
    data = file.read(settings.BATON_DOCUMENT_BYTES + 1)
    if len(data) > settings.BATON_DOCUMENT_BYTES:
        raise Unreadable(too_large())
    return data
