"""A real instance, run as a person runs it: `manage.py up` in a folder of its own."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the test run sets for itself must not reach the product.
NOT_INHERITED = (
    *("DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "BATON_TEST_HOME", "BATON_SECRET_KEY"),
    "DJANGO_ALLOW_ASYNC_UNSAFE",
)


def free_port() -> int:
    """A port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(kw_only=True)
class Instance:
    """`start` it, look at `lines`, `stop` it. `extra` are more environment variables."""

    data: Path
    port: int = field(default_factory=free_port)
    options: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        return {**kept, "BATON_DATA": str(self.data), "BATON_BASE_URL": self.url, **self.extra}

    def launch(self) -> "Instance":
        """Starts it and returns at once."""
        command = [sys.executable, "manage.py", "up", "--data", str(self.data), "--port", str(self.port)]
        self.lines.clear()
        self.process = subprocess.Popen(
            [*command, *self.options],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()
        return self

    def start(self, *, timeout: float = 180) -> "Instance":
        """Starts it and waits until it says that it is ready."""
        self.launch().expect(f"Baton is ready at {self.url}", timeout=timeout)
        return self

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.lines.append(line.rstrip())

    def expect(self, pattern: str, *, timeout: float = 60, after: int = 0) -> str:
        """The first line from number `after` on that holds `pattern` (a regular expression)."""
        end = time.monotonic() + timeout
        while True:
            for line in self.lines[after:]:
                if re.search(pattern, line):
                    return line
            ended = self.process is not None and self.process.poll() is not None
            if ended or time.monotonic() > end:
                time.sleep(0.2)
                text = "\n".join(self.lines[-40:])
                raise AssertionError(f"no line with {pattern!r} ({'ended' if ended else 'too late'}):\n{text}")
            time.sleep(0.05)

    @property
    def welcome(self) -> str:
        """The one-time sign-in link of a first start."""
        return self.expect(r"/welcome/\S+").rpartition(" ")[2]

    def children(self, kind: str) -> list[int]:
        """Process ids of a `kind` of child: `web`, `worker` or `postgres` (its first process only)."""
        assert self.process is not None
        needle = "bin/postgres\0-D\0" if kind == "postgres" else f"workspace.config.{kind}\0"
        found = []
        for pid in descendants(self.process.pid):
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if needle in command:
                found.append(pid)
        return found

    def manage(self, *arguments: str, text: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command of `manage.py` against this instance's data."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if check and done.returncode:
            raise AssertionError(f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def stop(self, number: int = signal.SIGINT, *, timeout: float = 30) -> tuple[int, float]:
        """Asks it to end; its exit status and how many seconds that took."""
        if self.process is None:
            return 0, 0.0
        begun = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return status, time.monotonic() - begun


def descendants(pid: int) -> list[int]:
    """Every living process below `pid`."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue
            fields = status.rpartition(")")[2].split()
            if fields[0] != "Z":
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    queue = [pid]
    while queue:
        below = parents.get(queue.pop(), [])
        found += below
        queue += below
    return found


def alive(pids: list[int]) -> list[int]:
    """Those of `pids` that still run."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() and not _is_zombie(pid)]


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(condition: object, *, timeout: float = 30, what: str = "it") -> None:
    """Polls `condition` until it holds; exceptions count as not yet."""
    assert callable(condition)
    end = time.monotonic() + timeout
    last: Exception | None = None
    while time.monotonic() < end:
        try:
            if condition():
                return
        except Exception as error:
            last = error
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {timeout:.0f} s") from last
