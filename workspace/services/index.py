"""The search index: passages of each document's head, kept by jobs.

Reading, cutting and term-making happen outside any transaction; ``record`` then replaces a document's passages
at once, unless what is there was made from a later commit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.utils import timezone

from workspace.actor import Actor
from workspace.markdown import front_matter, passages
from workspace.markdown.terms import terms
from workspace.models import Capture, Chunk, Commit, Document, Receipt, ReceiptKind
from workspace.models.chunks import lexemes, title_term
from workspace.services import receipts

ACTOR = Actor.for_job("index", scopes=())
BATCH = 200


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A passage with its terms, how often each stands there."""

    heading: str
    start_line: int
    end_line: int
    text: str
    terms: Counter[str]


@dataclass(frozen=True, kw_only=True)
class Made:
    """What ``make`` made of one commit: nothing for a deleted document."""

    document: str
    commit: str
    entries: tuple[Entry, ...]


def make(document: str) -> Made | None:
    """The passages of a document's head; None where there is no such document. Reads, writes nothing."""
    row = Document.objects.select_related("head__blob").filter(pk=document).first()
    if row is None:
        return None
    entries = () if row.deleted_at else split(row.head.blob.content, row.name, row.title, row.labels)
    return Made(document=row.pk, commit=row.head.pk, entries=entries)


def split(text: str, name: str, title: str = "", labels: Sequence[str] = ()) -> tuple[Entry, ...]:
    """The passages of ``text`` without its front matter, lines counted from the text's first. The first one
    also carries the terms of title, name and labels, so an empty document has one passage as well."""
    front = front_matter.split(text)
    shift = front.body_line - 1
    cut = passages.split(front.body) or (passages.Passage(heading="", start_line=1, end_line=1, text=""),)
    entries = [
        Entry(
            heading=passage.heading,
            start_line=passage.start_line + shift,
            end_line=passage.end_line + shift,
            text=passage.text,
            terms=Counter(terms(passage.text)) + Counter(set(terms(passage.heading))),
        )
        for passage in cut
    ]
    named = {*terms(title), *terms(name.removesuffix(".md"))}
    entries[0].terms.update(title_term(term) for term in named)
    entries[0].terms.update(set(terms(" ".join(labels))))
    return tuple(entries)


def record(document: str, commit: str, entries: Iterable[Entry]) -> bool:
    """Replaces the passages of ``document`` by those made from ``commit``, inside the caller's transaction.

    False, and nothing changes, where the index already holds a later commit."""
    lock(document)
    row = Document.objects.select_related("indexed_commit").get(pk=document)
    made_from = Commit.objects.get(pk=commit, document=row)
    if row.indexed_commit is not None and row.indexed_commit.number > made_from.number:
        return False
    fresh = row.indexed_commit_id != made_from.pk
    Chunk.objects.filter(document=row).delete()
    Chunk.objects.bulk_create(
        (
            Chunk(
                document=row,
                commit=made_from,
                ordinal=ordinal,
                heading=entry.heading,
                start_line=entry.start_line,
                end_line=entry.end_line,
                text=entry.text,
                terms=lexemes(entry.terms),
                length=entry.terms.total(),
            )
            for ordinal, entry in enumerate(entries)
        ),
        batch_size=BATCH,
    )
    Document.objects.filter(pk=row.pk).update(indexed_commit=made_from, indexed_at=timezone.now())
    if fresh:
        receipts.record(ACTOR, ReceiptKind.INDEXED, folder=row.folder_id, document=row, commit=made_from)
        reached(row.pk)
    return True


def lock(document: str) -> None:
    """One indexer of a document at a time, until the transaction ends. It is not the lock of the document's row,
    which a writer would have to wait for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"index {document}"])


def reached(document: str) -> None:
    """Records of each capture that the document holds that the index has it from now on; once for each."""
    row = Document.objects.select_related("indexed_commit").get(pk=document)
    commit = row.indexed_commit
    if commit is None:
        return
    held = Capture.objects.filter(handed_off__document=row, handed_off__number__lte=commit.number)
    known = Receipt.objects.filter(kind=ReceiptKind.INDEXED, capture__in=held).values_list("capture_id", flat=True)
    for capture in held.exclude(pk__in=list(known)).only("pk"):
        receipts.record(
            ACTOR,
            ReceiptKind.INDEXED,
            folder=row.folder_id,
            document=row,
            commit=commit,
            capture=capture,
        )
