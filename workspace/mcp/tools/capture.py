"""``capture``: notes of a session, from which hand-offs are made."""

import hashlib
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments, Cursor, Takes, naming
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import captures as queries
from workspace.queries.captures import CaptureRow
from workspace.services import captures

EVENT = "tool"


class Capture(Arguments):
    ACTIONS: ClassVar = {
        "commit": Takes(needs=("folder", "content"), may=("session", "operation_id", "retention_days")),
        "list": Takes(may=("folder", "cursor", "limit")),
        "delete": Takes(needs=("capture_id",)),
    }

    action: Literal["commit", "list", "delete"]
    folder: Annotated[str, Field(description="The folder whose HANDOFF.md it goes into.")] | None = None
    content: (
        Annotated[
            str,
            Field(
                description=(
                    "commit: what was asked, decided, tried and rejected, changed, and is open; at most 16 KiB. "
                    "Secrets are taken out."
                )
            ),
        ]
        | None
    ) = None
    session: Annotated[str, Field(max_length=200, description="commit: the session's name or id.")] = ""
    operation_id: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=255,
                description="commit: makes a repeat safe; by default from the content.",
            ),
        ]
        | None
    ) = None
    retention_days: (
        Annotated[int, Field(ge=1, le=36_500, description="commit: erase it after so many days.")] | None
    ) = None
    capture_id: Annotated[str, Field(max_length=64, description="delete: with what was derived from it.")] | None = None
    limit: Annotated[int, Field(ge=1, le=bounds.PAGE_MOST)] = 20
    cursor: Cursor | None = None


class Captured(TypedDict):
    """``redactions``: how many secrets of which kind were taken out."""

    capture_id: str
    folder: str
    created_at: str
    redactions: dict[str, int]
    outcome: str


class CaptureItem(TypedDict):
    capture_id: str
    folder: str
    session: str
    host: str
    author: shapes.Author
    created_at: str
    age: str
    state: str
    excerpt: str


class CaptureList(TypedDict):
    captures: list[CaptureItem]
    next_cursor: str | None


class Erased(TypedDict):
    capture_id: str
    outcome: str


def capture(actor: Actor, given: Capture) -> Answer:
    match given.action:
        case "commit":
            with naming(location="folder"):
                return _commit(actor, given)
        case "list":
            with naming(location="folder"):
                return _list(actor, given)
        case "delete":
            captures.erase(actor, capture=given.capture_id or "")
            return Answer(
                text="Erased, and what was derived from it will be without it soon.",
                data={"capture_id": given.capture_id, "outcome": "erased"},
            )


def _commit(actor: Actor, given: Capture) -> Answer:
    folder, content = given.folder or "", given.content or ""
    made = captures.commit(
        actor,
        folder=folder,
        content=content,
        operation_id=given.operation_id or _own_identity(folder, given.session, content),
        host=actor.host,
        session=given.session,
        event=EVENT,
        retention_days=given.retention_days,
    )
    data: dict[str, Any] = {
        "capture_id": made.id,
        "folder": made.folder,
        "created_at": iso(made.created_at),
        "redactions": dict(made.redactions),
        "outcome": "replayed" if made.replayed else "saved",
    }
    secrets = sum(made.redactions.values())
    text = f"{'Saved before' if made.replayed else 'Saved'} as {made.id}. "
    text += f"{counted(secrets, 'secret')} taken out of it. " if secrets else ""
    text += f"A summary goes into {made.folder}/HANDOFF.md within seconds."
    return Answer(text=text, data=data)


def _own_identity(folder: str, session: str, content: str) -> str:
    """The same capture again is the same operation: a host that repeats a call makes no second one."""
    return "content:" + hashlib.sha256("\0".join((folder, session, content)).encode()).hexdigest()


def _list(actor: Actor, given: Capture) -> Answer:
    found = bounds.page(
        lambda limit: queries.listing(actor, folder=given.folder, limit=limit, cursor=given.cursor),
        _item,
        _line,
        limit=given.limit,
    )
    data = {"captures": found.rows, "next_cursor": found.cursor}
    if not found.rows:
        return Answer(text="No captures here.", data=data)
    text = fenced(found.text, source="captures, newest first")
    return Answer(text=text + bounds.more(cursor=found.cursor), data=data)


def _item(row: CaptureRow) -> dict[str, Any]:
    return {
        "capture_id": row.id,
        "folder": row.folder,
        "session": row.session,
        "host": row.host,
        "author": shapes.author(row.author),
        "created_at": iso(row.created_at),
        "age": age(row.created_at),
        "state": row.state,
        "excerpt": row.excerpt,
    }


def _line(row: CaptureRow) -> str:
    return (
        f"{row.id} in {one_line(row.folder)}, {row.state}, by {shapes.by(row.author)}, {stamp(row.created_at)}"
        + (f", session {one_line(row.session)}" if row.session else "")
        + (f": {one_line(row.excerpt)}" if row.excerpt else "")
    )


TOOL = Tool(
    name="capture",
    title="Save a session's hand-off",
    description=(
        "commit saves a note of this session in a folder; a cited summary of it appears in that folder's HANDOFF.md. "
        "list shows what was saved, delete erases one for good."
    ),
    arguments=Capture,
    shapes=(Captured, CaptureList, Erased),
    quotes=True,
    run=capture,
    writes=True,
    destroys=True,
    repeatable=True,
)
