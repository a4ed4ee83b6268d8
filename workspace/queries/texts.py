"""Reading a document's text: its head, an earlier commit, or a range of either."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection

from workspace import access, locations
from workspace.access import Abilities, location_of
from workspace.actor import Actor, Role
from workspace.errors import Gone, Invalid, NotFound
from workspace.markdown import front_matter
from workspace.markdown import lines as text_lines
from workspace.models import Agent, Commit, Document, Person
from workspace.queries import named, who
from workspace.queries.who import Who

_LINES = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?\Z")

# What every reader of a page asks, in one statement. Building it anew by the ORM took four times as long as running it.
_HEAD = """
SELECT document.id, folder.path, folder.lineage, document.name, document.deleted_at,
       CASE WHEN %(everywhere)s THEN 3
            ELSE (SELECT max(held.role) FROM workspace_grant held
                   WHERE (held.folder_id = ANY(folder.lineage) OR held.document_id = document.id)
                     AND (held.person_id = %(person)s::bigint
                          OR held.group_id IN (SELECT unnest(workspace_groups_of(%(person)s::bigint))))) END,
       NOT EXISTS (SELECT FROM workspace_folder closed
                    WHERE closed.id = ANY(folder.lineage) AND NOT closed.editors_share),
       document.title, document.type, document.labels, document.indexed_commit_id, document.indexed_at,
       head.id, head.number, head.kind, head.parent_id, head.merged_parent_id, head.created_at, head.message,
       head.reason, head.via, head.job, head.imported_author, text.content, text.size, text.lines,
       author.email, author.name, agent.id, agent.name, agent.host, owner.email, owner.name,
       EXISTS (SELECT FROM workspace_draft draft
                WHERE draft.document_id = document.id AND draft.person_id = %(person)s::bigint)
  FROM workspace_document document
  JOIN workspace_folder folder ON folder.id = document.folder_id
  JOIN workspace_commit head ON head.id = document.head_id
  JOIN workspace_blob text ON text.hash = head.blob_id
  LEFT JOIN workspace_person author ON author.id = head.author_id
  LEFT JOIN workspace_agent agent ON agent.id = head.agent_id
  LEFT JOIN workspace_person owner ON owner.id = agent.person_id
"""
_BY_ID = _HEAD + " WHERE document.id = %(id)s"
# Of several documents that were at one place in turn, the living one, else the last: as access.document finds it.
_BY_PLACE = (
    _HEAD
    + """ WHERE folder.path = %(path)s AND document.name = %(name)s
 ORDER BY document.deleted_at DESC, document.created_at DESC LIMIT 1"""
)


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
    drafted: bool = False
    """Of the head: whether the actor's person typed on it without saving (``services.drafts``)."""


def commit_of(document: Document, name: object, *, field: str) -> Commit:
    """The commit of ``document`` called ``name`` (7 to 64 hex characters), with its author loaded.

    Raises ``Invalid`` where it is malformed or the beginning of several, ``NotFound`` where there is none such.
    """
    rows = Commit.objects.filter(document=document).select_related("blob", *who.RELATED)
    found = named.commit(rows, name, field=field)
    if found is None:
        raise NotFound
    return found


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
    found = _head(actor, location, id) if at is None else _earlier(actor, location, id, at)
    whole = found.content
    part, following, first, last = _range(whole, found.total_bytes, offset, limit, lines, found.total_lines)
    return replace(
        found,
        content=part,
        truncated=following is not None,
        next_offset=following,
        start_line=first,
        end_line=last,
        fields=front_matter.split(whole).fields if whole.startswith("---") else {},
    )


def _head(actor: Actor, location: str | None, id: str | None) -> DocumentText:
    """The whole text of the head, in one query. The same answers as ``access.document`` gives."""
    given: dict[str, Any] = {"person": actor.person, "everywhere": actor.admin or actor.person is None}
    if id is not None:
        statement = _BY_ID
        given["id"] = id
    else:
        statement = _BY_PLACE
        folders, given["name"] = locations.split_document(location)
        given["path"] = locations.join(*folders)
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        row = cursor.fetchone()
    role = access.effective(actor, row[5], row[2], row[0]) if row else None
    if row is None or role is None:
        raise NotFound().at(folder=row[2][-1], document=row[0]) if row else NotFound()
    if row[4] is not None:
        raise Gone
    (document, path, _, name, _, _, shares, title, type_, labels, indexed, indexed_at) = row[:12]
    (head, number, kind, parent, merged, created_at, message, reason, via, job, imported) = row[12:23]
    (content, size, count, email, author, agent, agent_name, host, owner_email, owner) = row[23:33]
    return DocumentText(
        id=document,
        location=locations.join(path, name),
        title=title,
        type=type_,
        labels=tuple(labels),
        content=content,
        commit=head,
        number=number,
        kind=kind,
        parents=tuple(p for p in (parent, merged) if p),
        author=who.made(
            imported,
            Person(email=email, name=author) if email else None,
            Agent(id=agent, name=agent_name, host=host, person=Person(email=owner_email, name=owner))
            if agent
            else None,
            job,
        ),
        committed_at=created_at,
        message=message,
        reason=reason,
        via=via,
        truncated=False,
        next_offset=None,
        total_bytes=size,
        start_line=1,
        end_line=count,
        total_lines=count,
        head_commit=head,
        current=True,
        deleted=False,
        indexed_commit=indexed,
        indexed_at=indexed_at,
        stale=indexed != head,
        fields={},
        role=role,
        abilities=access.abilities(role, shares=shares),
        drafted=row[33],
    )


def _earlier(actor: Actor, location: str | None, id: str | None, at: str) -> DocumentText:
    """The whole text of the commit ``at``; of a deleted document too."""
    document = access.document(actor, location=location, id=id, deleted=True)
    commit = commit_of(document, at, field="at")
    return DocumentText(
        id=document.pk,
        location=location_of(document),
        title=document.title,
        type=document.type,
        labels=tuple(document.labels),
        content=commit.blob.content,
        commit=commit.pk,
        number=commit.number,
        kind=commit.kind,
        parents=tuple(commit.parents),
        author=who.author(commit),
        committed_at=commit.created_at,
        message=commit.message,
        reason=commit.reason,
        via=commit.via,
        truncated=False,
        next_offset=None,
        total_bytes=commit.blob.size,
        start_line=1,
        end_line=commit.blob.lines,
        total_lines=commit.blob.lines,
        head_commit=document.head_id,
        current=commit.pk == document.head_id,
        deleted=document.deleted_at is not None,
        indexed_commit=document.indexed_commit_id,
        indexed_at=document.indexed_at,
        stale=document.indexed_commit_id != document.head_id,
        fields={},
        role=document.role,
        abilities=access.abilities(document.role, shares=document.shares),
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
