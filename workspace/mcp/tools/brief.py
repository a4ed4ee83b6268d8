"""``brief_me``: what somebody should know who comes back."""

from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import briefs as reads
from workspace.queries.briefs import Approval, CapturedRow, ChangedRow
from workspace.queries.conflicts import Waiting
from workspace.services import briefs


class BriefMe(Arguments):
    location: Annotated[str, Field(description="Only what changed in this folder.")] | None = None
    ack_through: Annotated[str, Field(max_length=10_000, description="cursor.head of the brief before.")] | None = None


class ApprovalItem(TypedDict):
    kind: Literal["access-request", "capture"]
    id: str
    location: str
    by: shapes.Author
    said: str
    created_at: str


class ChangedItem(TypedDict):
    location: str
    id: str
    title: str
    summary: str
    commit: str
    commits: int
    message: str
    reason: str
    author: shapes.Author
    committed_at: str


class ContestedItem(TypedDict):
    """``why``: the draft is yours, against what you wrote, or you are an editor there."""

    kind: Literal["conflict"]
    id: str
    location: str
    why: Literal["yours", "against", "editor"]
    hunks: int
    author: shapes.Author
    message: str
    created_at: str


class CapturedItem(TypedDict):
    id: str
    folder: str
    host: str
    session: str
    author: shapes.Author
    created_at: str
    excerpt: str


class Cursor(TypedDict):
    since: str | None
    head: str


class BriefShape(TypedDict):
    """What others did since the brief that you acknowledged; ``left_out`` counts what was not told, by kind. Claims
    and waits are empty: none are kept."""

    claims: list[dict[str, Any]]
    waiting: list[dict[str, Any]]
    approvals: list[ApprovalItem]
    resolved_waits: list[dict[str, Any]]
    changed: list[ChangedItem]
    contested: list[ContestedItem]
    captures: list[CapturedItem]
    left_out: dict[str, int]
    cursor: Cursor


def brief_me(actor: Actor, given: BriefMe) -> Answer:
    if given.ack_through is not None:
        briefs.acknowledge(actor, ack_through=given.ack_through)
    found = reads.brief(actor, location=given.location)
    told = {
        "approvals": [(_approval(one), _approval_line(one)) for one in found.approvals],
        "contested": [(_contested(one), _contested_line(one)) for one in found.contested],
        "changed": [(_changed(one), _changed_line(one)) for one in found.changed],
        "captures": [(_captured(one), _captured_line(one)) for one in found.captures],
    }
    left_out = dict(found.left_out)
    data: dict[str, Any] = {"claims": [], "waiting": [], "resolved_waits": []}
    lines: list[str] = []
    room = bounds.ROWS
    for kind, pairs in told.items():
        kept = bounds.fitting([row for row, _ in pairs], most=max(room, 0)) if pairs else 0
        room -= sum(bounds.weight(row) for row, _ in pairs[:kept])
        data[kind] = [row for row, _ in pairs[:kept]]
        if len(pairs) > kept:
            left_out[kind] = left_out.get(kind, 0) + len(pairs) - kept
        if kept:
            lines += [f"{_TITLES[kind]}:", *(line for _, line in pairs[:kept])]
        if left_out.get(kind):
            lines.append(f"  and {left_out[kind]} more")
    data |= {"left_out": left_out, "cursor": {"since": found.since, "head": found.head}}
    if not lines:
        text = "Nothing waits for you, and nothing has changed near your work."
    else:
        text = fenced("\n".join(lines), source="what others did near your work")
    following = shapes.call("brief_me", **_again(given), ack_through=found.head)
    return Answer(text=f"{text}\nTo not be told this again: {following}", data=data)


def _again(given: BriefMe) -> dict[str, Any]:
    return {"location": given.location} if given.location else {}


_TITLES = {
    "approvals": "To be approved",
    "contested": "Contested",
    "changed": "Changed",
    "captures": "Captured sessions",
}


def _approval(one: Approval) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "id": one.id,
        "location": one.location,
        "by": shapes.author(one.by),
        "said": one.said,
        "created_at": iso(one.at),
    }


def _approval_line(one: Approval) -> str:
    what = "asks for access to" if one.kind == "access-request" else "proposes a capture for"
    said = f": {one_line(one.said)}" if one.said else ""
    return f"  {one.id} {shapes.by(one.by)} {what} {one_line(one.location)}, {stamp(one.at)}{said}"


def _contested(one: Waiting) -> dict[str, Any]:
    row = one.row
    return {
        "kind": "conflict",
        "id": row.id,
        "location": row.location,
        "why": one.why,
        "hunks": row.hunk_count,
        "author": shapes.author(row.author),
        "message": row.message[: reads.EXCERPT],
        "created_at": iso(row.created_at),
    }


def _contested_line(one: Waiting) -> str:
    row = one.row
    places = counted(row.hunk_count, "place")
    return f"  {row.id} {one_line(row.location)}: a draft by {shapes.by(row.author)} disagrees in {places}"


def _changed(one: ChangedRow) -> dict[str, Any]:
    return {
        "location": one.location,
        "id": one.id,
        "title": one.title,
        "summary": one.summary,
        "commit": one.commit,
        "commits": one.commits,
        "message": one.message,
        "reason": one.reason,
        "author": shapes.author(one.author),
        "committed_at": iso(one.committed_at),
    }


def _changed_line(one: ChangedRow) -> str:
    said = one.message or one.summary
    line = f"  {one_line(one.location)}@{one.commit[:12]} by {shapes.by(one.author)}, {stamp(one.committed_at)}"
    return f"{line}: {one_line(said)}" if said else line


def _captured(one: CapturedRow) -> dict[str, Any]:
    return {
        "id": one.id,
        "folder": one.folder,
        "host": one.host,
        "session": one.session,
        "author": shapes.author(one.author),
        "created_at": iso(one.created_at),
        "excerpt": one.excerpt,
    }


def _captured_line(one: CapturedRow) -> str:
    said = f": {one_line(one.excerpt)}" if one.excerpt else ""
    return f"  {one.id} in {one_line(one.folder)} by {shapes.by(one.author)}, {stamp(one.created_at)}{said}"


TOOL = Tool(
    name="brief_me",
    title="What to know before you start",
    description="What waits for you, is contested, and was changed and captured by others near your work.",
    arguments=BriefMe,
    shapes=(BriefShape,),
    quotes=True,
    run=brief_me,
)
