"""A program in a terminal of its own, as somebody sits before it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_WHERE = b"\x1b[6n"
"""How a program asks its terminal where the cursor is; some do not go on without an answer."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Terminal:
    """Runs ``command``; ``expect`` waits for words on the screen, ``wait`` for the end."""

    def __init__(self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self.master, slave = pty.openpty()
        # So wide that no address is broken into lines.
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 2000, 0, 0))
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._raw = b""

    @property
    def shown(self) -> str:
        """All that was written so far, without colours and movements of the cursor."""
        return _ESCAPES.sub("", self._raw.decode(errors="replace"))

    def _read(self, seconds: float) -> bool:
        """Reads what comes within ``seconds``; whether the program still holds the terminal."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            got = os.read(self.master, 65536)
        except OSError:
            return False  # Linux says so once nobody holds the other side any more
        asked = self._raw.count(_WHERE)
        self._raw += got
        os.write(self.master, b"\x1b[1;1R" * (self._raw.count(_WHERE) - asked))
        return bool(got)

    def expect(self, pattern: str, *, timeout: float = 60) -> str:
        """The first match of ``pattern`` (a regular expression) on the screen."""
        end = time.monotonic() + timeout
        while True:
            if found := re.search(pattern, self.shown):
                return found[0]
            if time.monotonic() > end or not self._read(0.5):
                raise AssertionError(f"no {pattern!r} on the screen:\n{self.shown[-3000:]}")

    def pause(self, seconds: float) -> None:
        """Lets the program go on for that long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._read(left):
            pass

    def wait(self, *, timeout: float = 60) -> int:
        """The exit status."""
        end = time.monotonic() + timeout
        while self._read(0.2) and self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.shown[-3000:]}")
        return self.process.wait(max(1.0, end - time.monotonic()))

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
