"""``access_revoke``: take back a grant, decline a request, withdraw one's own; taking back is shown first."""

from typing import Any, ClassVar, Literal, TypedDict

from workspace.actor import Actor
from workspace.errors import AccessChange
from workspace.mcp import access
from workspace.mcp.access import RequestId, RequestShape, Subject, Token
from workspace.mcp.arguments import Arguments, Location, Reason, Takes, naming
from workspace.mcp.fence import one_line
from workspace.mcp.tool import Answer, Tool
from workspace.services import access_requests, sharing

NAME = "access_revoke"


class AccessRevoke(Arguments):
    ACTIONS: ClassVar = {
        "revoke": Takes(needs=("location", "subject"), may=("confirm_token",)),
        "decline": Takes(needs=("request_id",), may=("reason",)),
        "withdraw": Takes(needs=("request_id",)),
    }

    action: Literal["revoke", "decline", "withdraw"] = "revoke"
    location: Location | None = None
    subject: Subject | None = None
    request_id: RequestId | None = None
    confirm_token: Token | None = None
    reason: Reason = ""


class Revoked(TypedDict):
    outcome: str
    location: str
    subject: str


class Answered(RequestShape):
    outcome: str


def revoke(actor: Actor, given: AccessRevoke) -> Answer:
    match given.action:
        case "revoke":
            return _revoke(actor, given)
        case "decline":
            return _decline(actor, given)
        case "withdraw":
            assert given.request_id is not None
            done = access_requests.withdraw(actor, request=given.request_id)
            return _answered(done, "withdrawn")


def _revoke(actor: Actor, given: AccessRevoke) -> Answer:
    change: dict[str, Any] = {"location": given.location, "subject": given.subject}
    call = {"action": "revoke", **change}
    if given.confirm_token is None:
        found = sharing.preview_revoke(actor, **change)
        return access.preview(found, sharing.confirm_token(actor, change=call), tool=NAME, call=call)
    try:
        sharing.revoke(actor, **change, confirm_token=given.confirm_token)
    except AccessChange as refusal:
        return access.changed(refusal, tool=NAME, call=call)
    text = f"Taken back what {one_line(change['subject'])} was given at {one_line(change['location'])}."
    return Answer(text=text, data={"outcome": "revoked", **change})


def _decline(actor: Actor, given: AccessRevoke) -> Answer:
    assert given.request_id is not None
    with naming(request="request_id", answer="reason"):
        done = access_requests.decide(actor, request=given.request_id, approve=False, answer=given.reason)
    return _answered(done, "declined")


def _answered(done: access_requests.Asked, outcome: str) -> Answer:
    said = f"It was {done.state} already; nothing was changed." if done.again else f"{outcome.capitalize()}."
    return Answer(text=said, data={"outcome": "unchanged" if done.again else outcome, **access.asked(done)})


TOOL = Tool(
    name=NAME,
    title="Stop sharing, decline or withdraw a request",
    description=(
        "revoke: take back the role given at the place itself; what is inherited stays. It first changes nothing: it "
        "tells who would lose what and who keeps it by another grant, and gives a confirm_token; show the person, then "
        "call again with it. decline: refuse a request, with a reason. withdraw: take back a request of your person."
    ),
    arguments=AccessRevoke,
    shapes=(access.PreviewShape, Revoked, Answered),
    quotes=True,
    run=revoke,
    writes=True,
    destroys=True,
    repeatable=True,
)
