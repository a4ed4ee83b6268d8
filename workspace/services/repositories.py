"""Reading a git repository: the files of its last commit, and the history of each with its renames.

Runs ``git`` for reading only, with what a repository's own settings could start or fetch switched off.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from django.conf import settings

from workspace.services.entries import Entry, Found, LeftOut, Unreadable, Version, is_markdown, too_large

FILES = (b"100644", b"100755")
LINK = b"120000"
QUIET = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
ALONE = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C.UTF-8",
}
FIELDS = "%x1e%H%x1f%P%x1f%an <%ae>%x1f%aI%x1f%B"
SHAPE = 5
MESSAGE = 1_900


def is_one(path: Path) -> bool:
    """Whether a git repository lies at ``path``, bare or with its files."""
    # A worktree's .git is a file that names the repository.
    return (path / ".git").is_file() or _has_objects(path / ".git") or _has_objects(path)


def _has_objects(path: Path) -> bool:
    return all((path / name).exists() for name in ("HEAD", "objects", "refs"))


@contextmanager
def opened(path: Path) -> Iterator[list[Entry]]:
    """The Markdown files of the repository's ``HEAD``. Raises ``Unreadable``."""
    if shutil.which("git") is None:
        raise Unreadable("is a git repository, and no git is installed to read it.")
    repository = Repository(path)
    try:
        yield list(repository.entries())
    finally:
        repository.close()


class Repository:
    """One repository, with a process that gives its objects."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._objects: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """Ends the process."""
        if self._objects is not None:
            self._objects.communicate()

    def entries(self) -> Iterator[Entry]:
        head = self._text("rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
        if not head:
            raise Unreadable("is a git repository without a commit.")
        for line in self._run("ls-tree", "-r", "-z", "--full-tree", head).split(b"\0"):
            if not line:
                continue
            facts, name = line.split(b"\t", 1)
            mode, _, blob = facts.split(b" ")
            yield self._entry(head, name, mode, blob)

    def _entry(self, head: str, raw: bytes, mode: bytes, blob: bytes) -> Entry:
        name = os.fsdecode(raw)
        parts = tuple(name.split("/"))
        if mode == LINK:
            return LeftOut(name=name, why="is a symbolic link.")
        if mode not in FILES:
            return LeftOut(name=name, why="is another repository.")
        if any(part.startswith(".") for part in parts):
            return LeftOut(name=name, why="is hidden.", expected=True)
        if not is_markdown(parts[-1]):
            return LeftOut(name=name, why="is not Markdown.", expected=True)
        return Found(name=name, path=parts, read=self._reader(blob), history=lambda: self._history(raw, head))

    def _history(self, name: bytes, tip: str) -> list[Version]:
        """Every commit that touched the file, parents first, back through its renames."""
        versions = self._versions(name, tip)
        if not versions:
            return []
        first = versions[0]
        before = self._renamed_at(first.id, name)
        if before is None:
            return versions
        parent = self._text("rev-parse", "--verify", "--quiet", f"{first.id}^1").strip()
        earlier = self._history(before, parent)
        if earlier:
            versions[0] = replace(first, parents=(earlier[-1].id,))
        return [*earlier, *versions]

    def _versions(self, name: bytes, tip: str) -> list[Version]:
        # With parents rewritten to those that touched the file, so that a branch and its merge stay what they were.
        arguments = ["log", "--topo-order", "--reverse", "--parents", "--no-color", "--no-show-signature"]
        arguments += [f"--format={FIELDS}", tip, "--"]
        listed = self._run(*arguments, name).decode("utf-8", "replace")
        versions = []
        for record in listed.split("\x1e")[1:]:
            fields = record.split("\x1f", SHAPE - 1)
            if len(fields) != SHAPE:
                raise Unreadable("has a history that cannot be read.")
            commit, parents, author, at, message = fields
            versions.append(
                Version(
                    id=commit,
                    parents=tuple(parents.split()),
                    author=_clean(author),
                    at=_time(at),
                    message=_clean(message).strip()[:MESSAGE],
                    read=self._reader(commit.encode() + b":" + name),
                )
            )
        return versions

    def _renamed_at(self, commit: str, name: bytes) -> bytes | None:
        """The name that the file had before ``commit``, where that renamed it."""
        changed = self._run(
            "diff-tree", "-r", "-z", "-M", "--no-commit-id", "--name-status", "--diff-filter=R", "--root", commit
        )
        parts = iter(changed.split(b"\0"))
        for status in parts:
            if status.startswith(b"R"):
                old, new = next(parts), next(parts)
                if new == name:
                    return old
        return None

    def _reader(self, name: bytes) -> Callable[[], bytes]:
        def read() -> bytes:
            if b"\n" in name:
                raise Unreadable("has a name that git cannot be asked for.")
            pipe = self._pipe()
            assert pipe.stdin is not None
            assert pipe.stdout is not None
            pipe.stdin.write(b"info " + name + b"\n")
            pipe.stdin.flush()
            facts = pipe.stdout.readline().split()
            if len(facts) != 3 or facts[1] != b"blob":
                raise Unreadable("is not there in this commit.")
            if int(facts[2]) > settings.BATON_DOCUMENT_BYTES:
                raise Unreadable(too_large())
            pipe.stdin.write(b"contents " + facts[0] + b"\n")
            pipe.stdin.flush()
            return _contents(pipe.stdout)

        return read

    def _pipe(self) -> subprocess.Popen[bytes]:
        if self._objects is None:
            self._objects = subprocess.Popen(
                self._command("cat-file", "--batch-command"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment(),
            )
        return self._objects

    def _command(self, *arguments: str | bytes) -> list[str | bytes]:
        return ["git", "-C", str(self.path), *QUIET, *arguments]

    def _environment(self) -> dict[str, str]:
        # Variables of a surrounding git, such as a hook's, would point it at another repository.
        return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | ALONE

    def _run(self, *arguments: str | bytes) -> bytes:
        done = subprocess.run(
            self._command(*arguments), capture_output=True, stdin=subprocess.DEVNULL, env=self._environment()
        )
        if done.returncode and done.stderr:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise Unreadable(f"is a git repository that git does not read: {said[0] if said else done.returncode}")
        return done.stdout

    def _text(self, *arguments: str) -> str:
        return self._run(*arguments).decode("ascii", "replace")


def _contents(stream: IO[bytes]) -> bytes:
    size = int(stream.readline().split()[2])
    data = stream.read(size)
    stream.read(1)
    return data


def _clean(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def _time(text: str) -> datetime:
    """The author's time; a clock that ran ahead is set to now, one that cannot be read to the beginning of time."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return min(at, datetime.now(UTC))
