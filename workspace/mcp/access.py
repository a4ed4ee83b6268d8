"""What the access tools share: previews with their token, requests, and how both are told."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from pydantic import Field

from workspace.errors import AccessChange
from workspace.mcp import bounds, shapes
from workspace.mcp.errors import Refused
from workspace.mcp.fence import fenced, one_line
from workspace.mcp.times import iso, stamp
from workspace.mcp.tool import NOTICE, Answer
from workspace.queries.access_requests import RequestRow
from workspace.services import previews
from workspace.services.access_requests import Asked
from workspace.services.confirmations import SECONDS
from workspace.services.previews import Preview

ASK = "Nothing was changed yet. Show the person what would, and call again with the token only if they agree."
"""Stands in the structured content too: some hosts give the model nothing else."""

Subject = Annotated[str, Field(max_length=400, description="An email address, or group:NAME.")]
RequestId = Annotated[str, Field(max_length=64, description="From access_read with action requests or mine.")]
Token = Annotated[
    str,
    Field(max_length=2000, description="From the first call; valid for 10 minutes."),
]


class Change(TypedDict):
    """A person's role in effect before and after; null where they have none."""

    email: str
    label: str
    role_before: str | None
    role_after: str | None


class People(TypedDict):
    gain: int
    lose: int
    keep: int


class PreviewShape(TypedDict):
    """Nothing was changed; this is what the call with ``confirm_token`` would change."""

    changed: bool
    detail: str
    summary: str
    location: str
    subject: str
    role: str | None
    role_before: str | None
    gains: list[Change]
    loses: list[Change]
    keeps: list[Change]
    people: People
    more: int
    documents: int
    folders: int
    future: bool
    changes: bool
    confirm_token: str
    expires_in_s: int
    next: str


class RequestShape(TypedDict):
    """A request for access as it stands. ``granted`` is the role that came of it."""

    request_id: str
    location: str
    role: str
    reason: str
    state: str
    granted: str | None
    answer: str
    created_at: str


class RequestRowShape(RequestShape):
    """As in a list: who asked, and who would get the role."""

    by: shapes.Author
    email: str
    decided_at: str | None
    decided_by: str


def preview(found: Preview, token: str, *, tool: str, call: Mapping[str, Any]) -> Answer:
    """The answer of a first call: what the same ``call`` would change with the token."""
    data = _data(found, token, tool=tool, call=call)
    place, whom = one_line(found.location), one_line(found.subject)
    for_what = f"{whom} as {found.role}" if found.role else f"what {whom} was given"
    text = [f"Nothing was changed yet. This is what it would change at {place} for {for_what}:", *_told(data)]
    return Answer(text="\n".join(text), data=data)


def changed(refusal: AccessChange, *, tool: str, call: Mapping[str, Any]) -> Answer:
    """The answer where the token does not confirm what the call would change now: nothing was done, look again."""
    found = previews.restored(refusal.preview or {})
    data = _data(found, refusal.confirm_token, tool=tool, call=call)
    form = Refused(
        code=refusal.code,
        happened="the token is older than 10 minutes, of another call, or what was shown has changed since, so nothing "
        "was done",
        advice="look at what it would change now, and call again with the new confirm_token if the person agrees",
    )
    told = {**form.structured, "notice": NOTICE, **{k: v for k, v in data.items() if k not in ("detail", "next")}}
    return Answer(text="\n".join([form.text, *_told(data)]), data=told, error=True)


def _data(found: Preview, token: str, *, tool: str, call: Mapping[str, Any]) -> dict[str, Any]:
    told, left = found.data(), 0
    for name in ("gains", "loses", "keeps"):
        shown = told[name][: bounds.fitting(told[name], most=bounds.SIDE)]
        left += len(told[name]) - len(shown) if name != "keeps" else 0
        told[name] = shown
    return {
        "changed": False,
        "detail": ASK,
        "summary": " ".join(previews.sentences(found)),
        **told,
        "more": told["more"] + left,
        "confirm_token": token,
        "expires_in_s": SECONDS,
        "next": shapes.call(tool, **call, confirm_token=token),
    }


def _told(data: Mapping[str, Any]) -> list[str]:
    """A preview for the model: names are what people call themselves, so they stand in the fence."""
    lines = [data["summary"]]
    lines += [
        f"{one['label']} <{one['email']}>: {one['role_before'] or 'nothing'} -> {one['role_after'] or 'nothing'}"
        for one in (*data["gains"], *data["loses"])
    ]
    if data["more"]:
        lines.append(f"and {data['more']:,} more")
    return [
        fenced("\n".join(one_line(line) for line in lines), source="what would change"),
        f"To do it, within 10 minutes and only if the person agrees: {data['next']}",
    ]


def asked(found: Asked) -> dict[str, Any]:
    """A request as ``RequestShape``."""
    return {
        "request_id": found.id,
        "location": found.location,
        "role": found.role,
        "reason": found.reason,
        "state": found.state,
        "granted": found.granted or None,
        "answer": found.answer,
        "created_at": iso(found.created_at),
    }


def request_row(found: RequestRow) -> dict[str, Any]:
    """A request of a list as ``RequestRowShape``."""
    return {
        "request_id": found.id,
        "location": found.location,
        "role": found.role.label,
        "reason": found.reason,
        "state": found.state,
        "granted": found.granted.label if found.granted else None,
        "answer": found.answer,
        "created_at": iso(found.created_at),
        "by": shapes.author(found.by),
        "email": found.email,
        "decided_at": iso(found.decided_at) if found.decided_at else None,
        "decided_by": found.decided_by,
    }


def request_line(found: RequestRow) -> str:
    """A request on one line, for a fence."""
    said = f"{found.id}  {shapes.by(found.by)} <{found.email}> asks to be {found.role.label} of {found.location}"
    said += f", {stamp(found.created_at)}"
    if found.state != "open":
        said += f"; {found.state}{f' as {found.granted.label}' if found.granted else ''}"
    notes = [f"reason: {found.reason}" if found.reason else "", f"answer: {found.answer}" if found.answer else ""]
    return " — ".join([said, *(one_line(note, limit=500) for note in notes if note)])


def names(chain: Sequence[str]) -> str:
    """Groups from the one that somebody is in up to the one that was given the role."""
    return " in ".join(reversed(chain))
