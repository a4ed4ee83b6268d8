"""Structured content that several tools share, and its lines of text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NotRequired, TypedDict
from urllib.parse import quote

from workspace.access import Abilities
from workspace.mcp import bounds
from workspace.mcp.errors import Refused
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import NOTICE, Answer
from workspace.merge import Hunk
from workspace.queries import citations
from workspace.queries.history import CommitRow
from workspace.queries.who import Who
from workspace.services.outcomes import Conflict, Outcome, Replayed, Written, name_of

SCHEME = "baton://"


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


class WriteShape(TypedDict):
    """What a write came to."""

    location: str
    id: str
    commit: str
    parents: list[str]
    outcome: str
    citation: str
    web_url: str
    created_folders: list[str]


class CommitShape(TypedDict):
    """One commit, without its text."""

    commit: str
    location: str
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


class HunkShape(TypedDict):
    """A place that both sides changed. A side that ends in … was cut; ``cut`` says so."""

    index: int
    kind: str
    heading: str | None
    base: str
    theirs: str
    mine: str
    cut: NotRequired[bool]


class ConflictShape(TypedDict):
    """Not written, because the document had moved on; the draft is kept whole under ``conflict_id``."""

    code: str
    detail: str
    next: str
    notice: str
    location: str
    conflict_id: str | None
    base_commit: str
    head_commit: str
    hunks: list[HunkShape]
    hunk_count: int
    merged_preview: str
    preview_cut: bool


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


def written(outcome: Written) -> dict[str, Any]:
    return {
        "location": outcome.location,
        "id": outcome.document,
        "commit": outcome.commit,
        "parents": list(outcome.parents),
        "outcome": name_of(outcome),
        "citation": citations.citation(outcome.location, outcome.commit),
        "web_url": citations.web_url(outcome.location),
        "created_folders": list(outcome.created_folders),
    }


_SAYS: Mapping[str, str] = {
    "saved": "Saved",
    "merged": "Merged: others had written meanwhile, and both texts are in it. Saved",
    "unchanged": "Nothing differs, so no commit was made. It stands",
    "replayed": "Replayed: this key was used before, so nothing was written again. It was saved",
}


def write_answer(outcome: Outcome) -> Answer:
    """The answer of any tool that writes a document."""
    if isinstance(outcome, Conflict):
        return conflict_answer(outcome)
    text = f"{_SAYS[name_of(outcome)]} as {citations.citation(outcome.location, outcome.commit)}"
    if isinstance(outcome, Replayed) and outcome.first != "saved":
        text += f" ({outcome.first} then)"
    if outcome.created_folders:
        text += f"\nFolders made: {', '.join(outcome.created_folders)}"
    text += f"\nexpected_commit for the next write: {outcome.commit}"
    return Answer(text=text, data=written(outcome))


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
        "citation": citations.citation(row.location, row.id),
        "web_url": citations.web_url(row.location, at=row.id),
    }


def commit_line(row: CommitRow) -> str:
    text = f"#{row.number} {row.id[:12]} {row.kind} by {by(row.author)}, {stamp(row.created_at)}"
    note = " — ".join(one_line(part) for part in (row.message, row.reason) if part)
    return f"{text}: {note}" if note else text


def side(text: str) -> tuple[str, bool]:
    part = bounds.cut(text, bounds.SIDE)
    return (f"{part.text}…", True) if part.left else (text, False)


def hunk(index: int, of: Hunk) -> dict[str, Any]:
    sides = {name: side(text) for name, text in (("base", of.base), ("theirs", of.theirs), ("mine", of.mine))}
    shape: dict[str, Any] = {
        "index": index,
        "kind": of.kind,
        "heading": of.heading,
        **{name: text for name, (text, _) in sides.items()},
    }
    return shape | ({"cut": True} if any(was_cut for _, was_cut in sides.values()) else {})


def hunk_text(shape: Mapping[str, Any]) -> str:
    """A hunk for the model, as diff3 writes it."""
    where = f" under “{one_line(shape['heading'])}”" if shape["heading"] else ""
    parts = [f"Hunk {shape['index']}, {shape['kind']}{where}"]
    for name, label in (("theirs", "theirs (in the document now)"), ("base", "base (before both)"), ("mine", "mine")):
        parts.append(f"--- {label}\n{shape[name]}" + ("" if shape[name].endswith("\n") else "\n"))
    return "\n".join(parts)


def conflict_answer(outcome: Conflict) -> Answer:
    """The answer to a write that was not made because the head had moved. It names the exact next call."""
    shapes = [hunk(index, of) for index, of in enumerate(outcome.hunks)]
    shown = shapes[: bounds.fitting(shapes)]
    preview = bounds.cut(outcome.merged_preview, bounds.ROWS)
    happened, advice = _conflict_words(outcome)
    form = Refused(code="CONFLICT", happened=happened, advice=advice)
    data = {
        **form.structured,
        "notice": NOTICE,
        "location": outcome.location,
        "conflict_id": outcome.conflict,
        "base_commit": outcome.base_commit,
        "head_commit": outcome.head_commit,
        "hunks": shown,
        "hunk_count": len(shapes),
        "merged_preview": preview.text,
        "preview_cut": bool(preview.left),
    }
    return Answer(text="\n\n".join([form.text, *conflict_parts(shown, len(shapes))]), data=data, error=True)


def conflict_parts(shown: Sequence[Mapping[str, Any]], total: int) -> list[str]:
    """Hunks as text, fenced, with what was left out."""
    if not shown:
        return []
    parts = [fenced("\n".join(hunk_text(shape) for shape in shown), source=f"{len(shown)} of {counted(total, 'hunk')}")]
    if len(shown) < total:
        parts.append("The other hunks: conflict with action show.")
    return parts


def _conflict_words(outcome: Conflict) -> tuple[str, str]:
    if outcome.conflict is None:
        return (
            f"{one_line(outcome.location)} has changed since {outcome.base_commit[:12]}, so nothing was done",
            f"read it again and repeat the call with expected_commit {outcome.head_commit}",
        )
    if not outcome.hunks:
        return (
            f"{one_line(outcome.location)} has changed since {outcome.base_commit[:12]}; nothing was written, "
            f"and your draft is kept as {outcome.conflict}. Both changes fit together",
            "repeat the same call with on_conflict merge (and a new idempotency_key if you sent one), or call "
            + call("conflict", action="discard", conflict_id=outcome.conflict),
        )
    count = len(outcome.hunks)
    places = "one place" if count == 1 else f"{count} places"
    return (
        f"somebody else changed the same text of {one_line(outcome.location)} in {places}; nothing was written, "
        f"and your draft is kept whole as {outcome.conflict}",
        "call "
        + call(
            "conflict",
            action="resolve",
            conflict_id=outcome.conflict,
            expected_commit=outcome.head_commit,
            choices=["mine"] * min(count, 3) + ["…"] * (count > 3),
        )
        + ', with one of "mine", "theirs", "both", "base" or {"text": "…"} for each hunk in order, '
        "or with content (the whole text) in place of choices",
    )
