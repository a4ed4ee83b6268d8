"""``access_grant``: share, ask for access, approve a request; what changes access is shown first."""

from typing import Any, ClassVar, Literal, TypedDict

from workspace.actor import Actor
from workspace.errors import AccessChange
from workspace.mcp import access, shapes
from workspace.mcp.access import RequestId, RequestShape, Subject, Token
from workspace.mcp.arguments import Arguments, Location, Reason, Takes, naming
from workspace.mcp.fence import one_line
from workspace.mcp.tool import Answer, Tool
from workspace.services import access_requests, sharing

NAME = "access_grant"


class AccessGrant(Arguments):
    ACTIONS: ClassVar = {
        "grant": Takes(needs=("location", "subject", "role"), may=("confirm_token",)),
        "request": Takes(needs=("location", "role"), may=("reason",)),
        "approve": Takes(needs=("request_id",), may=("role", "confirm_token", "reason")),
    }

    action: Literal["grant", "request", "approve"] = "grant"
    location: Location | None = None
    subject: Subject | None = None
    role: Literal["viewer", "editor", "manager"] | None = None
    request_id: RequestId | None = None
    confirm_token: Token | None = None
    reason: Reason = ""


class Granted(TypedDict):
    outcome: str
    location: str
    subject: str
    role: str


class Answered(RequestShape):
    outcome: str


def grant(actor: Actor, given: AccessGrant) -> Answer:
    match given.action:
        case "grant":
            return _grant(actor, given)
        case "request":
            return _request(actor, given)
        case "approve":
            return _approve(actor, given)


def _grant(actor: Actor, given: AccessGrant) -> Answer:
    change: dict[str, Any] = {"location": given.location, "subject": given.subject, "role": given.role}
    call = {"action": "grant", **change}
    if given.confirm_token is None:
        found = sharing.preview(actor, **change)
        return access.preview(found, sharing.confirm_token(actor, change=call), tool=NAME, call=call)
    try:
        made = sharing.grant(actor, **change, confirm_token=given.confirm_token)
    except AccessChange as refusal:
        return access.changed(refusal, tool=NAME, call=call)
    undo = shapes.call("access_revoke", location=made.location, subject=made.subject)
    text = f"{one_line(made.subject)} is {made.role} of {one_line(made.location)} now. To take it back: {undo}."
    data = {"outcome": "granted", "location": made.location, "subject": made.subject, "role": made.role}
    return Answer(text=text, data=data)


def _request(actor: Actor, given: AccessGrant) -> Answer:
    assert given.location is not None
    assert given.role is not None
    made = access_requests.ask(actor, location=given.location, role=given.role, reason=given.reason)
    text = (
        f"Your person asks to be {made.role} of {one_line(made.location)}: request {made.id}, {made.state}. Whoever "
        "shares that place decides; if there is no such place, nobody sees it. Nothing is readable before that. "
        "access_read with action mine tells what comes of it."
    )
    return Answer(text=text, data={"outcome": "asked", **access.asked(made)})


def _approve(actor: Actor, given: AccessGrant) -> Answer:
    assert given.request_id is not None
    call: dict[str, Any] = {"action": "approve", "request_id": given.request_id}
    call |= {"role": given.role} if given.role else {}
    with naming(request="request_id", answer="reason"):
        if given.confirm_token is None:
            found = access_requests.preview(actor, request=given.request_id, role=given.role)
            change = access_requests.change(actor, request=given.request_id, role=given.role)
            return access.preview(found, sharing.confirm_token(actor, change=change), tool=NAME, call=call)
        try:
            done = access_requests.decide(
                actor,
                request=given.request_id,
                approve=True,
                role=given.role,
                answer=given.reason,
                confirm_token=given.confirm_token,
            )
        except AccessChange as refusal:
            return access.changed(refusal, tool=NAME, call=call)
    said = f"It was {done.state} already; nothing was changed." if done.again else f"Approved, as {done.granted}."
    return Answer(text=said, data={"outcome": "unchanged" if done.again else "approved", **access.asked(done)})


TOOL = Tool(
    name=NAME,
    title="Share, ask for access, approve a request",
    description=(
        "grant: give a person or group a role at a place and all that is or comes below it. approve: give what a "
        "request asks for, or less. Both first change nothing: they tell who would gain what and give a confirm_token; "
        "show the person, then call again with it. request: ask for access for your person, also after NOT_FOUND."
    ),
    arguments=AccessGrant,
    shapes=(access.PreviewShape, Granted, Answered),
    quotes=True,
    run=grant,
    writes=True,
    repeatable=True,
)
