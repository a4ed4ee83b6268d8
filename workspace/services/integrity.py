"""Whether what is stored is what was written: every commit's id, every text's hash, every document's head."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from workspace.models import Blob, Commit, CommitKind, Document
from workspace.services import commits

COMMITS_AT_ONCE = 1_000
TEXTS_AT_ONCE = 100


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is broken: what it is, by its id and last location, and what is wrong with it."""

    thing: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much there is to check."""

    documents: int
    commits: int
    texts: int

    @property
    def steps(self) -> int:
        return self.commits + self.texts


def extent() -> Extent:
    """Counts of what ``faults`` will check."""
    return Extent(documents=Document.objects.count(), commits=Commit.objects.count(), texts=Blob.objects.count())


def faults(advance: Callable[[int], object] = lambda steps: None) -> Iterator[Fault]:
    """Everything that is broken. Reads all history once, in memory that grows with the longest document's
    history only; ``advance`` is told of each commit and text that was checked. Writing may go on meanwhile."""
    yield from _histories(advance)
    for document in Document.objects.filter(~Exists(Commit.objects.filter(document=OuterRef("pk")))):
        yield Fault(thing=f"document {document.pk} ({document.name})", why="has no commits.")
    # Joins would hide commits whose text is gone.
    lost = Commit.objects.filter(~Exists(Blob.objects.filter(pk=OuterRef("blob_id"))))
    for commit in lost.iterator():
        yield Fault(thing=_named(commit), why="has lost its text.")
    yield from _texts(advance)


def _histories(advance: Callable[[int], object]) -> Iterator[Fault]:
    # One statement, so one snapshot: a write that lands meanwhile shows whole or not at all.
    rows = Commit.objects.select_related("document").order_by("document_id", "number")
    last: Commit | None = None
    earlier: set[bytes] = set()
    for commit in rows.iterator(chunk_size=COMMITS_AT_ONCE):
        if last is None or commit.document_id != last.document_id:
            if last is not None:
                yield from _head(last)
            last, earlier = None, set()
        yield from _commit(commit, last, earlier)
        earlier.add(bytes.fromhex(commit.pk) if _is_hash(commit.pk) else commit.pk.encode())
        last = commit
        advance(1)
    if last is not None:
        yield from _head(last)


def _commit(commit: Commit, previous: Commit | None, earlier: set[bytes]) -> Iterator[Fault]:
    name = _named(commit)
    if commits.identify(commit) != commit.pk:
        yield Fault(thing=name, why="is not what was written: its id does not match its fields.")
    expected = previous.number + 1 if previous else 1
    if commit.number != expected:
        yield Fault(thing=name, why=f"has number {commit.number} where {expected} comes next: commits are missing.")
    parents = commit.parents
    if previous is not None and not parents:
        yield Fault(thing=name, why="has no parent, and is not the first.")
    for parent in parents:
        if not _is_hash(parent) or bytes.fromhex(parent) not in earlier:
            yield Fault(thing=name, why=f"names a parent, {parent[:12]}, that is no earlier commit of its document.")


def _head(last: Commit) -> Iterator[Fault]:
    document = last.document
    name = f"document {document.pk} ({last.location})"
    if document.head_id != last.pk:
        why = f"has the head {document.head_id[:12]}, but its last commit is {last.pk[:12]}."
        yield Fault(thing=name, why=why)
    if document.number != last.number:
        yield Fault(thing=name, why=f"counts {document.number} commits, but its last one is number {last.number}.")
    if (document.deleted_at is not None) != (last.kind == CommitKind.DELETE):
        state = "is marked as deleted" if document.deleted_at else "is not marked as deleted"
        yield Fault(thing=name, why=f"{state}, but its last commit is of the kind {last.kind}.")


def _texts(advance: Callable[[int], object]) -> Iterator[Fault]:
    for blob in Blob.objects.order_by("pk").iterator(chunk_size=TEXTS_AT_ONCE):
        data = blob.content.encode("utf-8", "surrogatepass")
        found = hashlib.sha256(data).hexdigest()
        if found != blob.pk:
            where = Commit.objects.filter(blob=blob.pk).values_list("location", flat=True).first()
            yield Fault(thing=f"text {blob.pk[:12]} ({where or 'a draft'})", why="does not match its hash.")
        elif len(data) != blob.size:
            yield Fault(thing=f"text {blob.pk[:12]}", why=f"is {len(data)} bytes long, not {blob.size}.")
        advance(1)


def _named(commit: Commit) -> str:
    return f"commit {commit.pk[:12]} (number {commit.number} of {commit.document_id}, {commit.location})"


def _is_hash(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdef" for c in text)
