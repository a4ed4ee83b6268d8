"""The broker that needs nothing installed: a folder with one file per message.

Kombu's filesystem transport, with three things that a doorbell needs: a message appears
whole or not at all, the folder has a limit, and nothing is left behind for a queue
that nobody reads.
"""

import os
import uuid
from pathlib import Path
from queue import Empty
from time import time, time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils import json

# Messages only say that rows are waiting. Past this many, one more says nothing new.
MOST_WAITING = 2000
LOOK_UP_S = 0.3


def _belongs(name: str, queue: str) -> bool:
    return name.partition(".")[2] == f"{queue}.msg"


class Channel(filesystem.Channel):
    """Messages are files of `folder`, named by time and queue, claimed by renaming."""

    supports_fanout = False

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        if self._size(queue) >= MOST_WAITING:
            return
        name = f"{time_ns():020d}_{uuid.uuid4().hex}"
        # A reader that lists the folder while this writes must not see half a message.
        draft = folder / f"{name}.draft"
        draft.write_text(json.dumps(message), encoding="utf-8")  # type: ignore[no-untyped-call]
        draft.rename(folder / f"{name}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(entry for entry in _entries(folder) if _belongs(entry, queue)):
            claimed = folder / f"{name}.{os.getpid()}.claimed"
            try:
                (folder / name).rename(claimed)
            except FileNotFoundError:
                continue  # another worker was first
            try:
                return json.loads(claimed.read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
            except ValueError:
                continue  # written by a crashed machine
            finally:
                claimed.unlink(missing_ok=True)
        raise Empty

    def _size(self, queue: str) -> int:
        return sum(1 for entry in _entries(Path(self.data_folder_in)) if _belongs(entry, queue))


def _entries(folder: Path) -> list[str]:
    """The names in the folder, which is made again where somebody took it away: no work is in it."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        return []


class Transport(filesystem.Transport):
    """`filesystem://`"""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None) -> Any:  # type: ignore[override]
        # A worker that is asked to stop looks up only between two calls.
        return super().drain_events(connection, timeout=min(timeout or LOOK_UP_S, LOOK_UP_S))  # type: ignore[no-untyped-call]


def make(folder: Path) -> None:
    """Makes the folder, and removes what crashed processes left half done."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in folder.iterdir():
        if entry.suffix in {".draft", ".claimed"} and time() - entry.stat().st_mtime > 60:
            entry.unlink(missing_ok=True)
