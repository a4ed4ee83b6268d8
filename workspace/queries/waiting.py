"""How much waits for somebody, in one query: every page says so."""

from dataclasses import dataclass
from typing import Final

from django.db.models import CharField, Value

from workspace.actor import Actor
from workspace.queries import access_requests, captures, conflicts

MOST: Final = 99
"""Of each kind, no more are counted."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Open conflicts that the actor may see, requests for access that they may decide, and captures that wait for
    their word; each counted up to ``MOST``."""

    conflicts: int = 0
    requests: int = 0
    proposed: int = 0


def counted(actor: Actor) -> Waiting:
    """What waits for the actor. One query."""
    kinds = {
        "conflicts": conflicts.to_settle(actor),
        "requests": access_requests.decidable(actor),
        "proposed": captures.to_approve(actor),
    }
    first, *others = (
        rows.order_by().values_list(Value(kind, output_field=CharField()), flat=True)[:MOST]
        for kind, rows in kinds.items()
    )
    found = list(first.union(*others, all=True))
    return Waiting(**{kind: found.count(kind) for kind in kinds})
