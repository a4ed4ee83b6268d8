"""What a program was allowed before, and what a new agent can be called: for the page that asks a person."""

from dataclasses import dataclass
from datetime import datetime
from itertools import count

from workspace.actor import Actor, Role
from workspace.models import Agent, Connection
from workspace.queries.agents import EVERYWHERE, scopes_of

NAME = 100
"""Characters of an agent's name, where a program proposes it."""
REMEMBERED = 20


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """An agent that an OAuth client was before, with what was allowed to it. ``places`` are those that the person
    still sees; without any, ``narrowed`` says whether it was held to places all the same."""

    id: str
    name: str
    places: tuple[str, ...]
    narrowed: bool
    read_only: bool
    manages: bool
    consented_at: datetime
    last_seen_at: datetime | None
    expires_at: datetime | None


def remembered(actor: Actor, *, client_id: str) -> tuple[Remembered, ...]:
    """The person's agents that an OAuth client was before and that were not revoked, the last consent first.

    One that expired or signed out is among them: consent makes it good again. Two queries.
    """
    rows = list(
        Agent.objects.filter(person=actor.person, revoked_at=None, connection__client_id=client_id)
        .select_related("connection")
        .order_by("-connection__consented_at")[:REMEMBERED]
    )
    scopes = scopes_of(actor, [row.pk for row in rows])
    return tuple(
        Remembered(
            id=row.pk,
            name=row.name,
            places=tuple(scope.place for scope in scopes[row.pk] if scope.place not in ("", EVERYWHERE)),
            narrowed=any(scope.place != EVERYWHERE for scope in scopes[row.pk]),
            read_only=bool(scopes[row.pk]) and all(scope.role is Role.VIEWER for scope in scopes[row.pk]),
            manages=not scopes[row.pk] or any(scope.role is Role.MANAGER for scope in scopes[row.pk]),
            consented_at=row.connection.consented_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
        )
        for row in rows
    )


def free_name(person: int, wanted: str) -> str:
    """``wanted`` as a name that no agent of the person has: as it is, else with a number, ``Claude Code (2)``.

    What cannot be printed, such as marks that turn the direction of writing, is left out of it.
    """
    base = plain(wanted) or "Agent"
    taken = set(
        Agent.objects.filter(person=person, revoked_at=None, name__startswith=base).values_list("name", flat=True)
    )
    numbered = (f"{base} ({n})" for n in count(2))
    return base if base not in taken else next(name for name in numbered if name not in taken)


def plain(text: str) -> str:
    """``text`` on one line, of printable characters, cut to a name's length."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:NAME]


def agent_name(grant_id: str) -> str:
    """What the agent of a grant is called; "" where the grant is unknown."""
    return Connection.objects.filter(grant_id=grant_id).values_list("agent__name", flat=True).first() or ""
