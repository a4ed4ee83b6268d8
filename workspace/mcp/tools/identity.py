"""``identity``: who the caller is, and what it reaches."""

from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.mcp import bounds
from workspace.mcp.arguments import Arguments, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.tool import Answer, Tool
from workspace.queries import agents, folders


class Identity(Arguments):
    ACTIONS: ClassVar = {"self": Takes(), "tree": Takes(may=("offset",))}

    action: Literal["self", "tree"]
    offset: Annotated[int, Field(ge=0, description="tree: next_offset of the answer before.")] = 0


class Person(TypedDict):
    label: str
    email: str


class Agent(TypedDict):
    id: str
    name: str
    host: str


class Self(TypedDict):
    """``scopes`` (such as editor@product/launch) narrow what the person reaches; none means all of it."""

    person: Person
    agent: Agent | None
    scopes: list[str]
    may_write: bool


class Node(TypedDict):
    location: str
    depth: int
    role: str | None


class Tree(TypedDict):
    folders: list[Node]
    total: int
    next_offset: int | None


def identity(actor: Actor, given: Identity) -> Answer:
    match given.action:
        case "self":
            return _self(actor)
        case "tree":
            return _tree(actor, given.offset)


def _self(actor: Actor) -> Answer:
    found = agents.identity(actor)
    data = {
        "person": {"label": found.name, "email": found.email},
        "agent": {"id": found.agent_id, "name": found.agent_name, "host": found.host} if found.agent_id else None,
        "scopes": list(found.scopes),
        "may_write": actor.may_write,
    }
    lines = [f"You act for {one_line(found.name)} <{found.email}>."]
    if found.agent_id:
        lines.append(f"You are the agent {one_line(found.agent_name)} ({found.agent_id}).")
    if found.scopes:
        lines.append(f"You reach at most: {one_line(', '.join(found.scopes), limit=2_000)}.")
    else:
        lines.append("You reach whatever this person reaches.")
    if not actor.may_write:
        lines.append("You may only read.")
    return Answer(text="\n".join(lines), data=data)


def _tree(actor: Actor, offset: int) -> Answer:
    nodes = folders.tree(actor)
    if offset and offset >= len(nodes):
        raise Invalid("offset", f"is past the end. It holds {counted(len(nodes), 'folder')}.")
    rows: list[dict[str, Any]] = [
        {"location": node.location, "depth": node.depth, "role": node.role.label if node.role else None}
        for node in nodes[offset:]
    ]
    shown = rows[: bounds.fitting(rows)]
    end = offset + len(shown)
    next_offset = end if end < len(nodes) else None
    if not shown:
        text = "You can see no folder yet. Ask somebody to share one, or make one with doc_create action folder."
    else:
        lines = [f"{row['location']}/  {row['role'] or 'passage only'}" for row in shown]
        text = fenced("\n".join(lines), source=f"{len(shown)} of {counted(len(nodes), 'folder')}, with your role")
    data = {"folders": shown, "total": len(nodes), "next_offset": next_offset}
    return Answer(text=text + bounds.more(offset=next_offset), data=data)


TOOL = Tool(
    name="identity",
    title="Who am I here",
    description=(
        "self: the person you act for, your agent and its scopes. tree: all folders that you can see, with your role."
    ),
    arguments=Identity,
    shapes=(Self, Tree),
    run=identity,
)
