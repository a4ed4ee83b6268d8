"""``conflict``: drafts that could not be merged, and settling them."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from workspace.actor import Actor
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments, CommitId, Cursor, Key, Message, Reason, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import conflicts as queries
from workspace.queries.conflicts import ConflictRow, ConflictView
from workspace.services import conflicts


class Words(BaseModel):
    """Other words in the place of a hunk."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    text: str


class Settle(Arguments):
    ACTIONS: ClassVar = {
        "list": Takes(may=("location", "state", "cursor", "limit")),
        "show": Takes(needs=("conflict_id",), may=("cursor", "offset")),
        "resolve": Takes(
            needs=("conflict_id",),
            may=("choices", "content", "expected_commit", "idempotency_key", "message", "reason"),
        ),
        "discard": Takes(needs=("conflict_id",), may=("reason",)),
    }

    action: Literal["list", "show", "resolve", "discard"]
    conflict_id: Annotated[str, Field(max_length=64)] | None = None
    choices: (
        Annotated[
            list[Literal["mine", "theirs", "both", "base"] | Words],
            Field(
                max_length=10_000,
                description='resolve: for each hunk in order mine (the draft), theirs, both, base or {"text": "…"}.',
            ),
        ]
        | None
    ) = None
    content: Annotated[str, Field(description="resolve: the whole text, in place of choices.")] | None = None
    expected_commit: (
        Annotated[CommitId, Field(description="resolve: the head that you decided upon, head_commit of the conflict.")]
        | None
    ) = None
    location: Annotated[str, Field(description="list: only of this document or below this folder.")] | None = None
    state: Annotated[Literal["open", "resolved", "discarded"], Field(description="list: by default open.")] = "open"
    offset: Annotated[int, Field(ge=0, description="show: next_offset of the draft, in characters.")] = 0
    limit: Annotated[int, Field(ge=1, le=bounds.PAGE_MOST)] = 20
    cursor: Cursor | None = None
    idempotency_key: Key | None = None
    message: Message = ""
    reason: Reason = ""


class ConflictItem(TypedDict):
    conflict_id: str
    location: str
    state: str
    author: shapes.Author
    created_at: str
    age: str
    base_commit: str
    head_commit: str
    hunk_count: int
    message: str


class ConflictList(TypedDict):
    conflicts: list[ConflictItem]
    next_cursor: str | None


class Draft(TypedDict):
    text: str
    next_offset: int | None


class ConflictShown(TypedDict):
    """``draft`` is what its author wanted to write; ``hunks`` are where it and the document disagree now."""

    conflict: ConflictItem
    current_head_commit: str
    may_resolve: bool
    hunks: list[shapes.HunkShape]
    next_cursor: str | None
    draft: Draft


class Discarded(TypedDict):
    conflict_id: str
    state: str


def settle(actor: Actor, given: Settle) -> Answer:
    match given.action:
        case "list":
            return _list(actor, given)
        case "show":
            return _show(actor, given)
        case "resolve":
            return _resolve(actor, given)
        case "discard":
            conflicts.discard(actor, conflict=given.conflict_id or "", reason=given.reason)
            return Answer(
                text="Discarded: the draft is set aside and the document stays as it is.",
                data={"conflict_id": given.conflict_id, "state": "discarded"},
            )


def _item(row: ConflictRow) -> dict[str, Any]:
    return {
        "conflict_id": row.id,
        "location": row.location,
        "state": row.state,
        "author": shapes.author(row.author),
        "created_at": iso(row.created_at),
        "age": age(row.created_at),
        "base_commit": row.base_commit,
        "head_commit": row.head_commit,
        "hunk_count": row.hunk_count,
        "message": bounds.cut(row.message, 500).text,
    }


def _line(row: ConflictRow) -> str:
    note = f": {one_line(row.message)}" if row.message else ""
    return (
        f"{row.id} {row.state}, {one_line(row.location)}, {counted(row.hunk_count, 'hunk')}, "
        f"by {shapes.by(row.author)}, {stamp(row.created_at)}{note}"
    )


def _list(actor: Actor, given: Settle) -> Answer:
    found = bounds.page(
        lambda limit: queries.listing(
            actor, state=given.state, location=given.location, limit=limit, cursor=given.cursor
        ),
        _item,
        _line,
        limit=given.limit,
    )
    data = {"conflicts": found.rows, "next_cursor": found.cursor}
    if not found.rows:
        return Answer(text=f"No {given.state} conflicts that you may see.", data=data)
    text = fenced(found.text, source=f"{given.state} conflicts")
    text += f"\nTo see one: {shapes.call('conflict', action='show', conflict_id=found.rows[0]['conflict_id'])}"
    return Answer(text=text + bounds.more(cursor=found.cursor), data=data)


def _show(actor: Actor, given: Settle) -> Answer:
    found = queries.show(actor, id=given.conflict_id or "")
    listing = ("conflict", found.row.id, found.current_commit)
    first = bounds.position(actor, given.cursor, of=listing)
    hunks = [shapes.hunk(first + n, of) for n, of in enumerate(found.hunks[first : first + 500])]
    shown = hunks[: bounds.fitting(hunks)]
    end = first + len(shown)
    cursor = bounds.cursor_at(actor, end, of=listing) if end < len(found.hunks) else None
    part = bounds.cut(found.mine[given.offset :], bounds.ROWS // 2)
    draft = {"text": part.text, "next_offset": given.offset + len(part.text) if part.left else None}
    data = {
        "conflict": _item(found.row),
        "current_head_commit": found.current_commit,
        "may_resolve": found.may_resolve,
        "hunks": shown,
        "next_cursor": cursor,
        "draft": draft,
    }
    return Answer(text=_shown_text(found, shown, cursor, draft), data=data)


def _shown_text(found: ConflictView, shown: list[dict[str, Any]], cursor: str | None, draft: dict[str, Any]) -> str:
    lines = [_line(found.row), f"The document's newest commit is {found.current_commit}."]
    if shown:
        lines.append(
            fenced(
                "\n".join(map(shapes.hunk_text, shown)), source=f"{len(shown)} of {counted(len(found.hunks), 'hunk')}"
            )
        )
    else:
        lines.append("Nothing disagrees: the draft and the document fit together now.")
    if cursor:
        lines.append(f'More hunks: the same call with "cursor": "{cursor}"')
    lines.append(fenced(draft["text"], source=f"the draft of {found.row.id}"))
    if draft["next_offset"] is not None:
        lines.append(f"More of the draft: the same call with offset {draft['next_offset']}")
    if found.may_resolve:
        resolve = shapes.call(
            "conflict",
            action="resolve",
            conflict_id=found.row.id,
            expected_commit=found.current_commit,
            choices=["both"] * min(len(found.hunks), 3) + ["…"] * (len(found.hunks) > 3),
        )
        lines.append(f"To settle it: {resolve}, one choice for each hunk, or content in place of choices.")
    return "\n".join(lines)


def _resolve(actor: Actor, given: Settle) -> Answer:
    choices: list[str | Mapping[str, str]] | None = None
    if given.choices is not None:
        choices = [choice if isinstance(choice, str) else {"text": choice.text} for choice in given.choices]
    return shapes.write_answer(
        conflicts.resolve(
            actor,
            conflict=given.conflict_id or "",
            expected_commit=given.expected_commit,
            choices=choices,
            content=given.content,
            idempotency_key=given.idempotency_key,
            message=given.message,
            reason=given.reason,
        )
    )


TOOL = Tool(
    name="conflict",
    title="Settle a conflict",
    description=(
        "Drafts that could not be merged are kept whole until somebody settles them. list and show them; resolve by a "
        "choice for each hunk or by the whole text (a commit with two parents); discard sets the draft aside."
    ),
    arguments=Settle,
    shapes=(ConflictList, ConflictShown, shapes.WriteShape, shapes.ConflictShape, Discarded),
    quotes=True,
    run=settle,
    writes=True,
)
