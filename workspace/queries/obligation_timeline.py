"""One session in full: its prompts with what they were given, and its captures with what became of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workspace.access import location_of
from workspace.actor import Actor
from workspace.models import Receipt, ReceiptKind
from workspace.models.receipts import UNAVAILABLE
from workspace.queries import obligation_facts, obligation_stages, obligations, pages
from workspace.queries.obligation_stages import Handoff, Stage
from workspace.queries.obligations import Session
from workspace.queries.pages import Page

PROMPTS: Final = 25
CAPTURES: Final = 50
ORDER: Final = ("-at", "pk")


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A version of a document that was given to a prompt, or would have been. ``lines`` are first and last ones, none
    where it was cited as a whole. ``characters`` is None for what was recorded before they were counted."""

    location: str
    commit: str
    lines: tuple[tuple[int, int], ...]
    characters: int | None
    deleted: bool


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt: its length, how much it may be given, and what it was given of what the reader sees.

    ``outcome`` is attached, withheld, none (nothing was found), failed (there was no time) or waiting (the host has
    not said), since ``settled``; ``reason`` says why.
    """

    id: str
    at: datetime
    characters: int | None
    budget: int | None
    used: int | None
    cited: tuple[Cited, ...]
    outcome: str
    settled: datetime
    reason: str
    operation: str


@dataclass(frozen=True, kw_only=True)
class SessionView:
    """A session with its stages, a page of its prompts, and at most ``CAPTURES`` of what was captured between them."""

    session: Session
    stages: tuple[Stage, ...]
    prompts: Page[Prompt]
    handoffs: tuple[Handoff, ...]


def show(actor: Actor, *, id: str, limit: int | None = None, cursor: str | None = None) -> SessionView:
    """The session that the prompt's receipt or the capture with ``id`` is of. Raises ``NotFound``, ``Invalid``."""
    session = obligations.session(actor, id=id)
    asked = obligation_facts.of(obligation_facts.stages(actor), session.identity, "operation").filter(
        kind=ReceiptKind.INVOKED
    )
    kept = obligation_facts.of(obligation_facts.captures(actor), session.identity, "pk")
    limit = pages.check_limit(limit or PROMPTS)
    name = f"obligation:{session.identity}"
    if cursor is not None:
        asked = asked.filter(pages.after(actor, name, ORDER, cursor))
        kept = kept.filter(created_at__lt=pages.decode(actor, name, cursor)[0])
    rows = list(asked.order_by(*ORDER)[: limit + 1])
    if len(rows) > limit:
        kept = kept.filter(created_at__gte=rows[limit - 1].at)
    told = _told(actor, rows)
    handoffs = tuple(obligation_stages.of_captures(actor, kept.order_by("-created_at", "pk")[:CAPTURES]).values())
    return SessionView(
        session=session,
        stages=obligation_stages.of_sessions(actor, [session])[0],
        prompts=pages.cut(
            actor, rows, lambda row: _prompt(row, told[row.operation]), listing=name, order=ORDER, limit=limit
        ),
        handoffs=handoffs,
    )


def _told(actor: Actor, asked: Sequence[Receipt]) -> Mapping[str, list[Receipt]]:
    """What followed each prompt, by its operation, oldest first. Those of one session have one person and agent."""
    told: Mapping[str, list[Receipt]] = defaultdict(list)
    if not asked:
        return told
    whose = {
        "operation__in": [row.operation for row in asked],
        "person": asked[0].person_id,
        "agent": asked[0].agent_id,
    }
    followed = obligation_facts.stages(actor).filter(**whose).exclude(kind=ReceiptKind.INVOKED)
    found = obligation_stages.found(actor).filter(**whose).select_related("document__folder")
    for row in sorted([*followed, *found], key=lambda row: (row.at, row.pk)):
        told[row.operation].append(row)
    return told


def _prompt(asked: Receipt, told: Sequence[Receipt]) -> Prompt:
    cited = tuple(_cited(row) for row in told if row.document_id)
    counts = [one.characters for one in cited if one.characters is not None]
    outcome, settled, reason = _outcome(asked, told)
    return Prompt(
        id=asked.pk,
        at=asked.at,
        characters=asked.data.get("characters"),
        budget=asked.data.get("budget"),
        used=sum(counts) if counts or not cited else None,
        cited=cited,
        outcome=outcome,
        settled=settled,
        reason=reason,
        operation=asked.operation,
    )


def _outcome(asked: Receipt, told: Sequence[Receipt]) -> tuple[str, datetime, str]:
    last = {row.kind: row for row in told if not row.document_id}
    if row := last.get(ReceiptKind.ATTACHED):
        return "attached", row.at, row.reason
    if row := last.get(ReceiptKind.WITHHELD):
        return "withheld", row.at, row.reason or "the host gave no reason"
    if row := last.get(ReceiptKind.RETRIEVED):
        return ("failed" if row.reason == UNAVAILABLE else "none"), row.at, row.reason
    return "waiting", asked.at, "the host has not said"


def _cited(row: Receipt) -> Cited:
    assert row.document is not None
    assert row.commit_id is not None
    return Cited(
        location=location_of(row.document),
        commit=row.commit_id,
        lines=tuple((first, last) for first, last in row.data.get("lines", ())),
        characters=row.data.get("characters"),
        deleted=row.document.deleted_at is not None,
    )
