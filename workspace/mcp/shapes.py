"""Structured content that several tools share, and its lines of text."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NotRequired, TypedDict
from urllib.parse import quote

from workspace.access import Abilities
from workspace.mcp import bounds
from workspace.mcp.fence import one_line
from workspace.mcp.times import age, iso, stamp
from workspace.merge import Decision
from workspace.queries import citations, decisions
from workspace.queries.history import CommitRow
from workspace.queries.who import Who

SCHEME = "baton://"
NEXT = "Next call: "
"""Begins the last line of an answer that is to be followed by another call; a script may obey it."""
DECISIONS_MOST = 50


class Author(TypedDict):
    kind: str
    label: str
    email: NotRequired[str]
    person: NotRequired[str]
    agent_id: NotRequired[str]
    host: NotRequired[str]


class CanDo(TypedDict):
    role: str
    read: bool
    edit: bool
    create: bool
    delete: bool
    share: bool
    manage: bool


class DecisionShape(TypedDict):
    """Something that a merge settled beyond lines; ``lines`` are the first and last of it, null where none is left."""

    rule: str
    lines: list[int] | None


class CommitShape(TypedDict):
    """One commit, without its text. location is where the document was then; null where you may not know."""

    commit: str
    location: str | None
    number: int
    kind: str
    parents: list[str]
    author: Author
    committed_at: str
    age: str
    message: str
    reason: str
    citation: str
    web_url: str
    decisions: NotRequired[list[DecisionShape]]


def call(tool: str, **arguments: Any) -> str:
    """The exact next call, for the text of an answer."""
    return f"{tool} with {json.dumps(arguments, ensure_ascii=False)}"


def uri(location: str) -> str:
    """The address of a document as an MCP resource."""
    return SCHEME + quote(location)


def author(who: Who) -> dict[str, str]:
    shape = {
        "kind": who.kind,
        "label": who.label,
        "email": who.email,
        "person": who.person_label,
        "agent_id": who.agent_id,
        "host": who.host,
    }
    return {name: value for name, value in shape.items() if value or name in ("kind", "label")}


def by(who: Who) -> str:
    """A person, a person's agent or a job, on one line."""
    match who.kind:
        case "agent":
            return one_line(f"{who.label} (agent of {who.person_label})")
        case "job":
            return one_line(f"{who.label} (background job)")
        case _:
            return one_line(who.label)


def can_do(abilities: Abilities) -> dict[str, Any]:
    return asdict(abilities)


def commit(row: CommitRow) -> dict[str, Any]:
    return {
        "commit": row.id,
        "location": row.location,
        "number": row.number,
        "kind": row.kind,
        "parents": list(row.parents),
        "author": author(row.author),
        "committed_at": iso(row.created_at),
        "age": age(row.created_at),
        "message": bounds.cut(row.message, 500).text,
        "reason": bounds.cut(row.reason, 500).text,
        "citation": citations.citation(row.now, row.id),
        "web_url": citations.web_url(row.now, at=row.id),
        **({"decisions": decisions.stored(row.decisions[:DECISIONS_MOST])} if row.decisions else {}),
    }


def commit_line(row: CommitRow) -> str:
    text = f"#{row.number} {row.id[:12]} {row.kind} by {by(row.author)}, {stamp(row.created_at)}"
    note = " — ".join(one_line(part) for part in (row.message, row.reason) if part)
    return f"{text}: {note}" if note else text


def side(text: str) -> tuple[str, int]:
    """One side of a hunk, and where it goes on, in characters; 0 where that is all of it."""
    part = bounds.cut(text, bounds.SIDE)
    return (f"{part.text}…", len(part.text)) if part.left else (text, 0)


def span(lines: Sequence[int]) -> str:
    """``L4`` or ``L4-L6``."""
    return f"L{lines[0]}" if lines[0] == lines[1] else f"L{lines[0]}-L{lines[1]}"


def decided(found: Sequence[Decision]) -> str:
    """What a merge settled beyond lines, on one line; nothing where that is nothing."""
    if not found:
        return ""
    named = [f"{one.rule} {span(one.lines)}" if one.lines else one.rule for one in found[:DECISIONS_MOST]]
    more = f" and {len(found) - DECISIONS_MOST} more" if len(found) > DECISIONS_MOST else ""
    return f"Decided by the merge beyond lines: {', '.join(named)}{more}"
