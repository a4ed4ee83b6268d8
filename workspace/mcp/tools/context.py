"""``context``: what a hook gives a model before it answers, for hosts that call tools instead."""

import json
from typing import Annotated, Any, Final, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp import shapes
from workspace.mcp.arguments import Arguments
from workspace.mcp.times import iso
from workspace.mcp.tool import Answer, Tool
from workspace.queries import citations
from workspace.queries.contexts import Found
from workspace.services import contexts

HOOK_EVENT: Final = "UserPromptSubmit"


class Context(Arguments):
    prompt: Annotated[str, Field(max_length=contexts.MOST_PROMPT)]
    location: str | None = None
    budget_chars: Annotated[int, Field(ge=0, le=contexts.MOST_BUDGET)] = contexts.BUDGET_CHARS
    deadline_ms: Annotated[int, Field(ge=1, le=contexts.MOST_DEADLINE_MS)] = contexts.DEADLINE_MS
    session: Annotated[str, Field(max_length=200)] = ""
    hook: bool = False


class CitationItem(TypedDict):
    citation: str
    location: str
    commit: str
    lines: list[int] | None
    author: shapes.Author
    committed_at: str
    indexed_at: str | None
    stale: bool
    web_url: str


class Budget(TypedDict):
    asked: int
    used: int


class ContextShape(TypedDict):
    """``why`` says for an empty text: nothing to say, or unavailable. ``partial``: the time was over."""

    text: str
    citations: list[CitationItem]
    budget: Budget
    left_out: int
    partial: bool
    receipt: str
    why: str


def context(actor: Actor, given: Context) -> Answer:
    """The text of the answer is the context itself and nothing beside it: a host may attach it as it is. A hook that
    calls a tool takes nothing but a hook's answer, and stops the prompt at any other where it has to hold."""
    found = contexts.prepare(
        actor,
        prompt=given.prompt,
        location=given.location,
        budget_chars=given.budget_chars,
        deadline_ms=given.deadline_ms,
        session=given.session,
    )
    if found.text:
        # A tool's answer is in the model's context when it is given.
        contexts.report(actor, receipt=found.receipt, stage="attached")
    data: dict[str, Any] = {
        "text": found.text,
        "citations": [_citation(one) for one in found.citations],
        "budget": {"asked": found.asked, "used": found.used},
        "left_out": found.left_out,
        "partial": found.partial,
        "receipt": found.receipt,
        "why": found.why,
    }
    return Answer(text=_for_hook(found) if given.hook else found.text, data=data)


def _for_hook(found: contexts.Context) -> str:
    """What a hook's program would print: the context, or that there is none, or that the prompt has to wait."""
    if found.unavailable:
        return json.dumps({"decision": "block", "reason": f"Baton: memory was unavailable ({found.why})."})
    told = found.text or "Baton: nothing to say about this prompt."
    return json.dumps({"hookSpecificOutput": {"hookEventName": HOOK_EVENT, "additionalContext": told}})


def _citation(found: Found) -> dict[str, Any]:
    return {
        "citation": found.citation,
        "location": found.location,
        "commit": found.commit,
        "lines": list(found.lines) if found.lines else None,
        "author": shapes.author(found.by),
        "committed_at": iso(found.at),
        "indexed_at": iso(found.indexed_at) if found.indexed_at else None,
        "stale": found.stale,
        "web_url": citations.web_url(found.location, at=found.commit, lines=found.lines),
    }


TOOL = Tool(
    name="context",
    title="Context for a prompt",
    description="What to know before you answer: how the folder you work in stands, and what answers, cited.",
    arguments=Context,
    shapes=(ContextShape,),
    quotes=True,
    run=context,
)
