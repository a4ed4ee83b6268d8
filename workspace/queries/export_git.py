"""Everything that somebody may read below a folder, as a git repository with authors, times, messages and parents.

Documents have histories of their own and git has one for all, so their commits are put in one line, each after
its parents and otherwise by time; a commit that merged names both of its parents. Each document has its present
name throughout; where it was written then stands in the message, where who exports it may know that.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from django.db.models import QuerySet

from workspace import locations
from workspace.actor import Actor
from workspace.models import Commit, CommitKind, Document, Reach
from workspace.queries import whereabouts, who
from workspace.queries.export import Names
from workspace.queries.folders import reachable
from workspace.queries.who import Who

BRANCH = "refs/heads/main"
AT_ONCE = 100
NOBODY = "nobody@baton.invalid"


class GitFailed(Exception):
    """The repository could not be written. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a commit stands in the one line: its time, never before its parent's, then its document and number."""

    at: datetime
    document: str
    number: int
    id: str


def count(actor: Actor, *, location: str) -> int:
    """How many commits ``write`` will write. Raises ``NotFound``, ``Invalid``."""
    return Commit.objects.filter(document__in=_documents(actor, location)[1]).count()


def write(actor: Actor, *, location: str, path: Path, advance: Callable[[int], object] = lambda steps: None) -> int:
    """Makes a bare repository at ``path``, which must not exist, and gives the number of its commits.

    Deleted documents are in its history and not in its last commit. Raises ``NotFound``, ``Invalid``, ``GitFailed``.
    """
    above, rows = _documents(actor, location)
    places = _line(rows)
    if shutil.which("git") is None:
        raise GitFailed("No git is installed to write it with.")
    _git("init", "--quiet", "--bare", str(path))
    _git("-C", str(path), "symbolic-ref", "HEAD", BRANCH)
    command = ["git", "-C", str(path), "fast-import", "--quiet", "--done", "--date-format=raw"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    try:
        for part in _stream(actor, places, rows, above, advance):
            process.stdin.write(part)
        process.stdin.write(b"done\n")
    except BrokenPipeError:
        pass
    _, said = process.communicate()
    if process.returncode:
        raise GitFailed(said.decode(errors="replace").strip().partition("\n")[0] or "git fast-import failed.")
    return len(places)


def _documents(actor: Actor, location: str) -> tuple[str, "QuerySet[Document]"]:
    folder, _ = reachable(actor, location)
    inside = Document.objects.filter(folder__lineage__contains=[folder.pk])
    return folder.path, inside.visible_to(Reach(actor))


def _line(rows: "QuerySet[Document]") -> list[Place]:
    """All commits in the order in which git gets them. Clocks may have run backwards; parents come first anyway."""
    places: list[Place] = []
    latest, document = datetime.min.replace(tzinfo=UTC), ""
    listed = Commit.objects.filter(document__in=rows).order_by("document_id", "number")
    for owner, number, at, pk in listed.values_list("document_id", "number", "created_at", "pk").iterator():
        latest = max(latest, at) if owner == document else at
        document = owner
        places.append(Place(at=latest, document=owner, number=number, id=pk))
    return sorted(places, key=lambda place: (place.at, place.document, place.number))


def _stream(
    actor: Actor, places: list[Place], rows: "QuerySet[Document]", above: str, advance: Callable[[int], object]
) -> Iterator[bytes]:
    files = Files(above, rows)
    marks: dict[str, int] = {}
    for start in range(0, len(places), AT_ONCE):
        ids = [place.id for place in places[start : start + AT_ONCE]]
        listed = whereabouts.told(actor, Commit.objects.all())
        found = listed.select_related("blob", *who.RELATED).in_bulk(ids)
        for pk in ids:
            mark = marks[pk] = len(marks) + 1
            yield _commit(found[pk], mark, marks, files)
        advance(len(ids))


def _commit(commit: Commit, mark: int, marks: dict[str, int], files: "Files") -> bytes:
    author = who.author(commit)
    name = _identity(author)
    lines = [f"commit {BRANCH}", f"mark :{mark}"]
    lines.append(f"author {name} {_date(commit.created_at)}")
    lines.append(f"committer {name} {_date(commit.created_at)}")
    head = ("\n".join(lines) + "\n").encode()
    message = _data(_message(commit, author).encode())
    parents = b""
    if mark > 1:
        parents = f"from :{mark - 1}\n".encode()
    if commit.merged_parent_id and marks.get(commit.merged_parent_id, mark - 1) != mark - 1:
        parents += f"merge :{marks[commit.merged_parent_id]}\n".encode()
    return head + message + parents + files.change(commit) + b"\n"


class Files:
    """Which file holds each document at a point of the line: the last commits leave them where they are now."""

    def __init__(self, above: str, rows: "QuerySet[Document]") -> None:
        self._names = Names()
        self._now: dict[str, str] = {}
        live = rows.filter(deleted_at=None).order_by("folder__path", "name", "pk")
        taken: set[str] = set()
        for pk, folder, name in live.values_list("pk", "folder__path", "name").iterator():
            place = locations.join(folder, name).removeprefix(above + locations.SEPARATOR)
            self._now[pk] = self._names.of(place)
            taken.add(self._now[pk])
        folders = {str(parent) for file in taken for parent in PurePosixPath(file).parents}
        gone = rows.exclude(deleted_at=None).order_by("deleted_at", "pk")
        for pk, folder, name in gone.values_list("pk", "folder__path", "name").iterator():
            place = locations.join(folder, name).removeprefix(above + locations.SEPARATOR)
            # What is deleted gave its place free; while it lived, nobody else's file may be there.
            file = self._names.of(place)
            self._now[pk] = file if file not in taken and file not in folders else f"{file}.{pk}"
            taken.add(self._now[pk])

    def change(self, commit: Commit) -> bytes:
        """The lines of the stream that make the file what ``commit`` says."""
        path = _quoted(self._now[commit.document_id])
        if commit.kind == CommitKind.DELETE:
            return b"D " + path + b"\n"
        return b"M 100644 inline " + path + b"\n" + _data(commit.blob.content.encode())


def _message(commit: Commit, author: Who) -> str:
    """The message, else what was done, then facts that git has no place for."""
    then = whereabouts.then(commit)
    facts = [f"Baton-Commit: {commit.pk}", *([f"Baton-Location: {then}"] if then else [])]
    if author.kind == "agent":
        facts.append(f"Baton-Agent: {author.label} for {author.person_label}")
    if commit.reason:
        facts.append("Baton-Reason: " + " ".join(commit.reason.split()))
    subject = commit.message or f"{commit.kind.capitalize()} {then or commit.now}"
    return subject + "\n\n" + "\n".join(facts) + "\n"


def _identity(author: Who) -> str:
    name = "".join(c for c in author.label if c.isprintable() and c not in "<>").strip() or "Somebody"
    email = "".join(c for c in author.email if c.isprintable() and c not in "<> ") or NOBODY
    return f"{name} <{email}>"


def _date(at: datetime) -> str:
    return f"{max(0, int(at.timestamp()))} +0000"


def _data(data: bytes) -> bytes:
    return f"data {len(data)}\n".encode() + data + b"\n"


def _quoted(path: str) -> bytes:
    return ('"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"').encode()


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise GitFailed(done.stderr.decode(errors="replace").strip().partition("\n")[0])
