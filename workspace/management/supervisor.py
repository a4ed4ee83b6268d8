"""The parent of the web and job processes: starts them, shows what they say, restarts and stops them."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from workspace.management import parent

COLOURS = {"web": "36", "jobs": "35", "db": "33", "baton": "32"}
# Seconds before the next try, by the number of quick deaths in a row.
BACKOFF = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
HEALTHY_AFTER_S = 20.0
STOP_S = 4.5


@dataclass(kw_only=True)
class Console:
    """One line at a time, prefixed by who says it; colours on a terminal only."""

    stream: IO[str] = field(default_factory=lambda: sys.stdout)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, who: str, line: str) -> None:
        name = f"{who:<5}"
        if self.stream.isatty() and "NO_COLOR" not in os.environ:
            name = f"\x1b[{COLOURS.get(who, '0')}m{name}\x1b[0m"
        # A reader that went away must not take the supervisor with it.
        with self.lock, contextlib.suppress(OSError, ValueError):
            self.stream.write(f"{name} | {line}\n")
            self.stream.flush()


@dataclass(frozen=True, kw_only=True)
class Program:
    """What to run: `name` is its prefix in the log, `inherit` the descriptors it keeps open."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    inherit: tuple[int, ...] = ()


class Child:
    """A program that is kept running. Its standard input is what tells it that this process lives."""

    def __init__(self, program: Program, console: Console) -> None:
        self.program = program
        self.console = console
        self.process: subprocess.Popen[bytes] | None = None
        self.may_go = False
        self.quick_deaths = 0
        self._begun = 0.0
        self._due = 0.0

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.program.command,
            env=dict(self.program.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=self.program.inherit,
            # Ctrl-C reaches the whole group of the terminal; the order of stopping is decided here.
            start_new_session=True,
        )
        self._begun = time.monotonic()
        threading.Thread(target=self._show, args=(self.process.stdout,), daemon=True).start()
        if self.may_go:
            self.go()

    def go(self) -> None:
        """Tells it, now and after each restart, that the database is prepared."""
        self.may_go = True
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.write(parent.GO)
                self.process.stdin.flush()

    def _show(self, output: IO[bytes]) -> None:
        for raw in output:
            self.console.say(self.program.name, raw.decode("utf-8", "replace").rstrip())

    def look(self) -> None:
        """Restarts it when it has ended, later and later while it keeps ending."""
        now = time.monotonic()
        if self.process is None:
            if now >= self._due:
                self.start()
            return
        if self.process.poll() is None:
            return
        self.quick_deaths = 0 if now - self._begun > HEALTHY_AFTER_S else self.quick_deaths + 1
        delay = BACKOFF[min(self.quick_deaths, len(BACKOFF) - 1)]
        self.console.say(
            "baton", f"{self.program.name} ended ({describe(self.process.returncode)}); again in {delay} s"
        )
        self._close()
        self._due = now + delay

    def _close(self) -> None:
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self.process = None

    def signal(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


def stop(children: Sequence[Child], *, patience: float = STOP_S, hurry: Callable[[], bool] = lambda: False) -> None:
    """Asks all to end, waits `patience` seconds (not at all once `hurry()`), kills the rest."""
    for child in children:
        child.signal(signal.SIGTERM)
    end = time.monotonic() + patience
    while any(child.running for child in children) and time.monotonic() < end and not hurry():
        time.sleep(0.03)
    for child in children:
        child.signal(signal.SIGKILL)
    for child in children:
        if child.process is not None:
            child.process.wait()


def describe(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
