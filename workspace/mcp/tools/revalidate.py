"""``revalidate``: whether what was cited still stands."""

from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp.arguments import Arguments
from workspace.mcp.fence import one_line
from workspace.mcp.tool import Answer, Tool
from workspace.queries import revalidation
from workspace.queries.revalidation import Standing


class Revalidate(Arguments):
    citations: Annotated[
        list[str],
        Field(min_length=1, max_length=revalidation.MOST, description="location@commit#L3-L9"),
    ]


class StandingItem(TypedDict):
    citation: str
    state: Literal["unchanged", "changed", "moved", "deleted", "not found"]
    location: str | None
    head_commit: str | None
    now: str | None


class StandingList(TypedDict):
    """In the order asked. ``now`` cites the same words in the newest version, where they still stand."""

    citations: list[StandingItem]


def revalidate(actor: Actor, given: Revalidate) -> Answer:
    found = revalidation.revalidate(actor, citations=given.citations)
    return Answer(text="\n".join(map(_line, found)), data={"citations": [_item(one) for one in found]})


def _item(found: Standing) -> dict[str, Any]:
    return {
        "citation": found.citation,
        "state": found.state,
        "location": found.location or None,
        "head_commit": found.head_commit or None,
        "now": found.now or None,
    }


def _line(found: Standing) -> str:
    line = f"{found.state}: {one_line(found.citation, limit=600)}"
    if found.now and found.now != found.citation:
        return f"{line}; now {one_line(found.now, limit=600)}"
    return f"{line}; the newest is {one_line(found.location)}@{found.head_commit}" if found.state == "changed" else line


TOOL = Tool(
    name="revalidate",
    title="Revalidate citations",
    description="Whether the words of each citation still stand in the newest version, and where.",
    arguments=Revalidate,
    shapes=(StandingList,),
    run=revalidate,
)
