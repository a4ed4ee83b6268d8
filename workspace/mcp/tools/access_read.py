"""``access_read``: who can read a place and why, and requests for access."""

from typing import Any, ClassVar, Literal, TypedDict

from workspace.actor import Actor
from workspace.mcp import access, bounds
from workspace.mcp.arguments import Arguments, Cursor, Location, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.tool import Answer, Tool
from workspace.queries import access as queries
from workspace.queries import access_requests
from workspace.queries.access import Holder


class AccessRead(Arguments):
    ACTIONS: ClassVar = {
        "who": Takes(needs=("location",), may=("cursor",)),
        "requests": Takes(may=("location", "cursor")),
        "mine": Takes(may=("cursor",)),
    }

    action: Literal["who", "requests", "mine"] = "who"
    location: Location | None = None
    cursor: Cursor | None = None


class Way(TypedDict):
    """A grant that gives somebody their role. ``chain``: the groups by which it reaches them, from the one it was
    given to down to the one they are in."""

    role: str
    location: str
    inherited: bool
    chain: list[str]


class Reader(TypedDict):
    email: str
    label: str
    role: str
    administrator: bool
    through: list[Way]


class Who(TypedDict):
    location: str
    readers: list[Reader]
    next_cursor: str | None


class Requests(TypedDict):
    requests: list[access.RequestRowShape]
    next_cursor: str | None


def read(actor: Actor, given: AccessRead) -> Answer:
    match given.action:
        case "who":
            return _who(actor, given.location or "", given.cursor)
        case "requests":
            return _requests(actor, given)
        case "mine":
            return _mine(actor, given.cursor)


def _who(actor: Actor, location: str, cursor: str | None) -> Answer:
    found = bounds.page(
        lambda limit: queries.who(actor, location=location, limit=limit, cursor=cursor),
        _reader,
        _line,
        limit=bounds.PAGE,
    )
    place = one_line(location)
    text = fenced(found.text, source=f"{counted(len(found.rows), 'person')} who can read {place}, with their role")
    text = text.replace(" persons who", " people who", 1)
    data = {"location": location, "readers": found.rows, "next_cursor": found.cursor}
    return Answer(text=text + bounds.more(cursor=found.cursor), data=data)


def _reader(found: Holder) -> dict[str, Any]:
    return {
        "email": found.email,
        "label": found.label,
        "role": found.role.label,
        "administrator": found.administrator,
        "through": [
            {
                "role": way.role.label,
                "location": way.location,
                "inherited": bool(way.inherited_from),
                "chain": list(way.chain),
            }
            for way in found.through
        ],
    }


def _line(found: Holder) -> str:
    ways = ["as administrator"] if found.administrator else []
    for way in found.through:
        chain = f" through {access.names(way.chain)}" if way.chain else ""
        ways.append(f"{way.role.label}{chain}, given at {way.location}")
    return one_line(f"{found.label} <{found.email}>  {found.role.label}: {'; '.join(ways)}", limit=1_000)


def _requests(actor: Actor, given: AccessRead) -> Answer:
    found = bounds.page(
        lambda limit: access_requests.to_decide(actor, location=given.location, limit=limit, cursor=given.cursor),
        access.request_row,
        access.request_line,
        limit=bounds.PAGE,
    )
    if not found.rows:
        text = "No request for access waits for you."
    else:
        text = fenced(found.text, source=f"{counted(len(found.rows), 'request')} for you to decide, oldest first")
        text += "\nTo answer one: access_grant with action approve, or access_revoke with action decline."
    data = {"requests": found.rows, "next_cursor": found.cursor}
    return Answer(text=text + bounds.more(cursor=found.cursor), data=data)


def _mine(actor: Actor, cursor: str | None) -> Answer:
    found = bounds.page(
        lambda limit: access_requests.mine(actor, limit=limit, cursor=cursor),
        access.request_row,
        access.request_line,
        limit=bounds.PAGE,
    )
    if not found.rows:
        text = "Your person has asked for nothing. To ask: access_grant with action request."
    else:
        text = fenced(found.text, source=f"{counted(len(found.rows), 'request')} of your person, newest first")
    data = {"requests": found.rows, "next_cursor": found.cursor}
    return Answer(text=text + bounds.more(cursor=found.cursor), data=data)


TOOL = Tool(
    name="access_read",
    title="Who can read what, and requests for access",
    description=(
        "who: everybody who can read a place, with role, and by which grant, here or above, through which groups. "
        "requests: those that you may decide. mine: those of your person, and what came of them."
    ),
    arguments=AccessRead,
    shapes=(Who, Requests),
    quotes=True,
    run=read,
)
