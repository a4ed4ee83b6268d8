"""Reading documents and listing them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from workspace import access, locations
from workspace.access import Abilities, location_of
from workspace.actor import Actor, Role
from workspace.errors import Gone, Invalid, NotFound
from workspace.markdown import front_matter
from workspace.markdown import lines as text_lines
from workspace.models import Commit, Conflict, ConflictState, Document, Reach, Receipt, ReceiptKind
from workspace.models.documents import DocumentQuerySet
from workspace.queries import pages, who
from workspace.queries.folders import reachable
from workspace.queries.pages import Page
from workspace.queries.who import Who

HEAD = ("head__blob", *(f"head__{name}" for name in who.RELATED))

_LINES = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?\Z")
_HEX = re.compile(r"[0-9a-f]{7,64}\Z")


@dataclass(frozen=True, kw_only=True)
class DocumentText:
    """A document's text, whole or a range of it, at its head or at an earlier commit.

    ``commit`` and what follows describe the version given; ``head_commit`` is the newest, ``current`` says whether
    they are the same. ``stale`` is true where the search index is behind the head. ``next_offset`` (in bytes) goes on
    where ``truncated``. ``start_line`` and ``end_line`` are the 1-based lines that ``content`` covers.
    """

    id: str
    location: str
    title: str
    type: str
    labels: tuple[str, ...]
    content: str
    commit: str
    number: int
    kind: str
    parents: tuple[str, ...]
    author: Who
    committed_at: datetime
    message: str
    reason: str
    via: str
    truncated: bool
    next_offset: int | None
    total_bytes: int
    start_line: int
    end_line: int
    total_lines: int
    head_commit: str
    current: bool
    deleted: bool
    indexed_commit: str | None
    indexed_at: datetime | None
    stale: bool
    fields: Mapping[str, Any]
    role: Role
    abilities: Abilities


@dataclass(frozen=True, kw_only=True)
class DocumentRow:
    """A document in a list. ``open_conflicts`` is told to editors only; ``unread`` says that somebody else wrote
    its head and this person has not opened that yet."""

    id: str
    location: str
    name: str
    title: str
    type: str
    labels: tuple[str, ...]
    summary: str
    commit: str
    updated_at: datetime
    updated_by: Who
    role: Role
    open_conflicts: int
    unread: bool


def commit_of(document: Document, name: object, *, field: str) -> Commit:
    """The commit of ``document`` called ``name`` (7 to 64 hex characters), with its author loaded.

    Raises ``Invalid`` where it is malformed or the beginning of several, ``NotFound`` where this document has none such.
    """
    if not isinstance(name, str) or not _HEX.match(name):
        raise Invalid(field, "must be a commit id: 64 hex characters, or the first 7 or more.")
    found = list(Commit.objects.select_related("blob", *who.RELATED).filter(document=document, id__startswith=name)[:2])
    if not found:
        raise NotFound
    if len(found) > 1:
        raise Invalid(field, "is the beginning of several commits of this document. Give more characters.")
    return found[0]


def read(
    actor: Actor,
    *,
    location: str | None = None,
    id: str | None = None,
    at: str | None = None,
    offset: int = 0,
    limit: int | None = None,
    lines: str | None = None,
) -> DocumentText:
    """The text of a document. ``offset`` and ``limit`` are bytes and never split a character; ``lines`` is
    ``12``, ``12-20`` or ``12-``. A deleted document is ``Gone``, but readable with ``at``.

    Raises ``NotFound``, ``Gone``, ``Invalid``.
    """
    related = HEAD if at is None else ("head",)
    document = access.document(actor, location=location, id=id, deleted=True, related=related)
    if document.deleted_at and at is None:
        raise Gone
    commit = document.head if at is None else commit_of(document, at, field="at")
    whole = commit.blob.content
    part, following, first, last = _range(whole, commit.blob.size, offset, limit, lines, commit.blob.lines)
    return DocumentText(
        id=document.pk,
        location=location_of(document),
        title=document.title,
        type=document.type,
        labels=tuple(document.labels),
        content=part,
        commit=commit.pk,
        number=commit.number,
        kind=commit.kind,
        parents=tuple(commit.parents),
        author=who.author(commit),
        committed_at=commit.created_at,
        message=commit.message,
        reason=commit.reason,
        via=commit.via,
        truncated=following is not None,
        next_offset=following,
        total_bytes=commit.blob.size,
        start_line=first,
        end_line=last,
        total_lines=commit.blob.lines,
        head_commit=document.head_id,
        current=commit.pk == document.head_id,
        deleted=document.deleted_at is not None,
        indexed_commit=document.indexed_commit_id,
        indexed_at=document.indexed_at,
        stale=document.indexed_commit_id != document.head_id,
        fields=front_matter.split(whole).fields if whole.startswith("---") else {},
        role=document.role,
        abilities=access.abilities(document.role),
    )


def _range(
    whole: str, size: int, offset: int, limit: int | None, lines: str | None, total: int
) -> tuple[str, int | None, int, int]:
    """The part asked for: text, byte to go on from (None at the end), first and last line."""
    if isinstance(offset, bool) or not isinstance(offset, int) or offset < 0:
        raise Invalid("offset", "must be a whole number of bytes, 0 or more.")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise Invalid("limit", "must be a whole number of bytes, 1 or more.")
    if lines is not None:
        if offset or limit is not None:
            raise Invalid("lines", "cannot be given together with offset or limit.")
        found = _LINES.match(lines) if isinstance(lines, str) else None
        first = int(found[1]) if found else 0
        last = (int(found[3]) if found[3] else total if found[2] else first) if found else 0
        if not 1 <= first <= last:
            raise Invalid("lines", "must be N, N-M or N- with 1 <= N <= M.")
        if first > max(total, 1):
            raise Invalid("lines", f"begins after the last line; there are {total}.")
        last = min(last, total)
        return text_lines.slice(whole, first, last), None, first, last
    if offset == 0 and (limit is None or limit >= size):
        return whole, None, 1, total
    data = whole.encode()
    if offset > size:
        raise Invalid("offset", f"is beyond the end; the text has {size} bytes.")
    start = _boundary(data, offset)
    end = size if limit is None else _boundary(data, min(start + limit, size))
    while end < size and end <= start:
        end = _next(data, end)  # a limit smaller than one character still moves on
    part = data[start:end].decode()
    first = text_lines.count(data[:start].decode()) if start else 1
    if start and data[start - 1 : start] in (b"\n", b"\r"):
        first += 1
    return (
        part,
        end if end < size else None,
        first,
        min(total, first + max(text_lines.count(part) - 1, 0)),
    )


def _boundary(data: bytes, at: int) -> int:
    """The beginning of the UTF-8 character that byte ``at`` is in (RFC 3629: continuation bytes are 10xxxxxx)."""
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _next(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _listed(actor: Actor, rows: DocumentQuerySet) -> "QuerySet[Any]":
    """What a list shows of each document, loaded in the list's own query."""
    conflicts = (
        Conflict.objects.filter(document=OuterRef("pk"), state=ConflictState.OPEN)
        .order_by()
        .values("document")
        .annotate(n=Count("*"))
        .values("n")
    )
    seen = Receipt.objects.filter(
        kind=ReceiptKind.READ, document=OuterRef("pk"), commit=OuterRef("head"), person=actor.person
    )
    return (
        rows.with_role(Reach(actor))
        .select_related("folder", "head__author", "head__agent__person")
        .annotate(
            open_conflicts=Coalesce(Subquery(conflicts, output_field=IntegerField()), 0),
            unread=~Exists(seen) & (~Q(head__author=actor.person) | Q(head__author=None)),
        )
    )


def _row(actor: Actor, document: Any) -> DocumentRow:
    role = access.effective(actor, document.granted, document.folder.lineage, document.pk) or Role.VIEWER
    return DocumentRow(
        id=document.pk,
        location=location_of(document),
        name=document.name,
        title=document.title,
        type=document.type,
        labels=tuple(document.labels),
        summary=document.summary,
        commit=document.head_id,
        updated_at=document.updated_at,
        updated_by=who.author(document.head),
        role=role,
        open_conflicts=document.open_conflicts if role >= Role.EDITOR else 0,
        unread=document.unread,
    )


def children(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[DocumentRow]:
    """The documents directly in a folder, by name. Raises ``NotFound``, ``Invalid``."""
    folder, role = reachable(actor, location)
    rows = Document.objects.live().filter(folder=folder)
    if role is None:
        rows = rows.visible_to(Reach(actor))
    return pages.page(
        actor,
        _listed(actor, rows),
        lambda d: _row(actor, d),
        listing=f"children:{folder.pk}",
        order=("name", "pk"),
        limit=limit,
        cursor=cursor,
    )


def below(
    actor: Actor,
    *,
    location: str | None = None,
    type: str | None = None,
    label: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[DocumentRow]:
    """All documents below a folder, or everywhere, folder by folder and by name. Raises ``NotFound``, ``Invalid``."""
    rows = Document.objects.live()
    inside = 0
    if location:
        folder, _ = reachable(actor, location)
        inside = folder.pk
        rows = rows.filter(folder__lineage__contains=[folder.pk])
    if type:
        rows = rows.filter(type=type)
    if label:
        rows = rows.filter(labels__contains=[label])
    return pages.page(
        actor,
        _listed(actor, rows.visible_to(Reach(actor))),
        lambda d: _row(actor, d),
        listing=f"below:{inside}:{type}:{label}",
        order=("folder_id", "name", "pk"),
        limit=limit,
        cursor=cursor,
    )


def recent(
    actor: Actor, *, location: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[DocumentRow]:
    """Documents by the time of their last commit, newest first."""
    rows = Document.objects.live()
    inside = 0
    if location:
        folder, _ = reachable(actor, location)
        inside = folder.pk
        rows = rows.filter(folder__lineage__contains=[folder.pk])
    return pages.page(
        actor,
        _listed(actor, rows.visible_to(Reach(actor))),
        lambda d: _row(actor, d),
        listing=f"recent:{inside}",
        order=("-updated_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def deleted(actor: Actor, *, location: str, limit: int | None = None, cursor: str | None = None) -> Page[DocumentRow]:
    """Documents that were deleted from a folder and can be brought back, newest first."""
    folder = access.folder(actor, location=location)
    rows = Document.objects.filter(folder=folder, deleted_at__isnull=False)
    return pages.page(
        actor,
        _listed(actor, rows),
        lambda d: _row(actor, d),
        listing=f"deleted:{folder.pk}",
        order=("-deleted_at", "pk"),
        limit=limit,
        cursor=cursor,
    )


def exists(actor: Actor, *, location: str) -> bool:
    """Whether a live document that the actor sees is at ``location``."""
    folders, name = locations.split_document(location)
    rows = Document.objects.live().filter(folder__path=locations.join(*folders), name=name)
    return rows.visible_to(Reach(actor)).exists()
