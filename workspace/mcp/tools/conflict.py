"""``conflict``: drafts that could not be merged, and settling them."""

import hashlib
import json
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from django.core import signing
from pydantic import BaseModel, ConfigDict, Field

from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.mcp import bounds, hunks, shapes, writes
from workspace.mcp.arguments import Arguments, CommitId, Cursor, Key, Message, Reason, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import conflicts as queries
from workspace.queries.conflicts import ConflictRow, ConflictView
from workspace.services import conflicts
from workspace.services.choices import DROP

VALID_S = 600
_SALT = "workspace.mcp.conflict"


type Word = Literal["mine", "theirs", "both", "base", "suggestion"]


class Words(BaseModel):
    """Other words in the place of a hunk."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    text: str


class Picked(BaseModel):
    """A choice for the hunk with this index."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    hunk: Annotated[int, Field(ge=0)]
    choice: Word | Words


class Settle(Arguments):
    ACTIONS: ClassVar = {
        "list": Takes(may=("location", "state", "cursor", "limit")),
        "show": Takes(needs=("conflict_id",), may=("cursor", "offset")),
        "resolve": Takes(
            needs=("conflict_id",),
            may=("choices", "content", "confirm_token", "expected_commit", "idempotency_key", "message", "reason"),
        ),
        "discard": Takes(needs=("conflict_id",), may=("reason",)),
    }

    action: Literal["list", "show", "resolve", "discard"]
    conflict_id: Annotated[str, Field(max_length=64)] | None = None
    choices: (
        Annotated[
            list[Word | Words | Picked],
            Field(
                max_length=20_000,
                description=(
                    "resolve: for each hunk in order mine (the draft), theirs, both, base, suggestion or "
                    '{"text": "…"}; or out of order {"hunk": 0, "choice": …}.'
                ),
            ),
        ]
        | None
    ) = None
    content: Annotated[str, Field(description="resolve: the whole text, in place of choices.")] | None = None
    confirm_token: (
        Annotated[
            str,
            Field(max_length=1000, description="resolve: from the answer that asked."),
        ]
        | None
    ) = None
    expected_commit: Annotated[CommitId, Field(description="resolve: head_commit of the conflict.")] | None = None
    location: Annotated[str, Field(description="list: only of this document or folder.")] | None = None
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
    hunks: list[hunks.HunkShape]
    next_cursor: str | None
    draft: Draft
    next: str


class HunkPart(TypedDict):
    """One side of one hunk from ``offset`` on, in characters; ``next_cursor`` is null at its end."""

    conflict_id: str
    current_head_commit: str
    hunk: int
    side: str
    text: str
    offset: int
    next_cursor: str | None
    next: str


class DropPreview(TypedDict):
    """Nothing was written: the text, whole or in the place of a hunk, leaves out lines that a side added."""

    resolved: bool
    conflict_id: str
    detail: str
    confirm_token: str
    expires_in_s: int
    next: str


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
                text="Discarded: the draft is set aside, kept for a time, and the document stays as it is.",
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
    if given.cursor is not None and (at := hunks.SideAt.of(given.cursor)):
        return _part(at, found)
    listing = ("conflict", found.row.id, found.current_commit)
    first = bounds.position(actor, given.cursor, of=listing)
    rows = [
        hunks.hunk(first + n, of, head=found.current_commit) for n, of in enumerate(found.hunks[first : first + 500])
    ]
    shown = rows[: bounds.fitting(rows)]
    end = first + len(shown)
    cursor = bounds.cursor_at(actor, end, of=listing) if end < len(found.hunks) else None
    part = bounds.cut(found.mine[given.offset :], bounds.ROWS // 2)
    draft = {"text": part.text, "next_offset": given.offset + len(part.text) if part.left else None}
    following = _following(found, cursor)
    data = {
        "conflict": _item(found.row),
        "current_head_commit": found.current_commit,
        "may_resolve": found.may_resolve,
        "hunks": shown,
        "next_cursor": cursor,
        "draft": draft,
        "next": following,
    }
    return Answer(text=_shown_text(found, shown, draft, following), data=data)


def _part(at: hunks.SideAt, found: ConflictView) -> Answer:
    """One side of a hunk, of which a list of hunks has only the beginning."""
    if at.head != found.current_commit:
        again = shapes.call("conflict", action="show", conflict_id=found.row.id)
        raise Invalid("cursor", f"is of hunks upon a commit that is no longer the head. See them as they are: {again}")
    whole = getattr(found.hunks[at.hunk], at.side) if at.hunk < len(found.hunks) else None
    if whole is None:
        raise Invalid("cursor", "is not one that this conflict gave you. Leave it out to see its hunks.")
    part = bounds.cut(whole[at.offset :], bounds.TEXT)
    cursor = str(replace(at, offset=at.offset + len(part.text))) if part.left else None
    following = _following(found, cursor)
    data = {
        "conflict_id": found.row.id,
        "current_head_commit": found.current_commit,
        "hunk": at.hunk,
        "side": at.side,
        "text": part.text,
        "offset": at.offset,
        "next_cursor": cursor,
        "next": following,
    }
    text = fenced(part.text, source=f"{at.side} of hunk {at.hunk} of {found.row.id}, from character {at.offset}")
    return Answer(text=f"{text}\n{shapes.NEXT}{following}" if following else text, data=data)


def _following(found: ConflictView, cursor: str | None) -> str:
    """The exact next call; empty where the caller can do nothing."""
    if cursor:
        return shapes.call("conflict", action="show", conflict_id=found.row.id, cursor=cursor)
    if found.may_resolve:
        return hunks.resolving(found.row.id, found.current_commit, hunks=len(found.hunks))
    return shapes.call("read", location=found.row.location) if found.row.resolution else ""


def _shown_text(found: ConflictView, shown: list[dict[str, Any]], draft: dict[str, Any], following: str) -> str:
    lines = [_line(found.row), f"The document's newest commit is {found.current_commit}."]
    if found.row.resolution:
        lines.append(f"It was settled by commit {found.row.resolution}.")
    lines.append(fenced(draft["text"], source=f"the draft of {found.row.id}"))
    if draft["next_offset"] is not None:
        lines.append(f"More of the draft: the same call with offset {draft['next_offset']}")
    if shown:
        lines.append(
            fenced(
                "\n".join(map(hunks.hunk_text, shown)),
                source=f"{len(shown)} of {counted(len(found.hunks), 'hunk')}",
            )
        )
    else:
        lines.append("Nothing disagrees: the draft and the document fit together now.")
    if rest := hunks.the_rest(found.row.id, shown):
        lines.append(rest)
    if found.may_resolve and shown:
        lines.append(hunks.CHOICES)
    if following:
        lines.append(f"{shapes.NEXT}{following}")
    return "\n".join(lines)


def _resolve(actor: Actor, given: Settle) -> Answer:
    bound = _bound(actor, given)
    if given.confirm_token is not None:
        _check(given.confirm_token, bound)
    try:
        outcome = conflicts.resolve(
            actor,
            conflict=given.conflict_id or "",
            expected_commit=given.expected_commit,
            choices=None if given.choices is None else [_choice(choice) for choice in given.choices],
            content=given.content,
            confirm_drop=given.confirm_token is not None,
            idempotency_key=given.idempotency_key,
            message=given.message,
            reason=given.reason,
        )
    except Invalid as refusal:
        if any(error.field == DROP for error in refusal.errors):
            return _asked(given, refusal, bound)
        raise
    return writes.write_answer(outcome)


def _choice(given: str | Words | Picked) -> str | dict[str, Any]:
    match given:
        case Words():
            return {"text": given.text}
        case Picked():
            return {"hunk": given.hunk, "choice": _choice(given.choice)}
        case _:
            return given


def _asked(given: Settle, refusal: Invalid, bound: list[str]) -> Answer:
    """What the text would drop, and the token that says that this is meant."""
    token = signing.dumps(bound, salt=_SALT)
    dropped = refusal.errors[0].message.removeprefix("is needed: ").partition(" Put them in,")[0]
    following = f"the same call with {json.dumps({'confirm_token': token})}"
    text = [
        "Nothing was written yet. Look at what your text would leave out:",
        fenced(dropped, source=f"what your text drops of {given.conflict_id}"),
        "Put those lines into your text and call again. If they are to go, within 10 minutes:",
        f"{shapes.NEXT}{following}",
    ]
    data = {
        "resolved": False,
        "conflict_id": given.conflict_id,
        "detail": f"Nothing was written yet: {dropped}",
        "confirm_token": token,
        "expires_in_s": VALID_S,
        "next": following,
    }
    return Answer(text="\n".join(text), data=data)


def _bound(actor: Actor, given: Settle) -> list[str]:
    settled = given.model_dump_json(include={"choices", "content"})
    digest = hashlib.sha256(settled.encode()).hexdigest()
    return [actor.principal, given.conflict_id or "", given.expected_commit or "", digest]


def _check(token: str, bound: list[str]) -> None:
    """Raises ``Invalid`` for a token that was not given for this very text."""
    try:
        held = signing.loads(token, salt=_SALT, max_age=VALID_S)
    except signing.BadSignature:
        held = None
    if held != bound:
        raise Invalid(
            "confirm_token", "is older than 10 minutes, or not one that was given for this text. Call again without it."
        )


TOOL = Tool(
    name="conflict",
    title="Settle a conflict",
    description=(
        "Drafts that could not be merged are kept whole until somebody settles them. list and show them; resolve by a "
        "choice for each hunk or by the whole text (a commit with two parents); discard sets the draft aside. Each "
        "answer ends with the exact next call."
    ),
    arguments=Settle,
    shapes=(ConflictList, ConflictShown, HunkPart, writes.WriteShape, writes.ConflictShape, DropPreview, Discarded),
    quotes=True,
    run=settle,
    writes=True,
)
