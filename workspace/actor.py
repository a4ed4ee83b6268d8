"""Who asks, and through what. Every service and query takes an actor first; there is no anonymous one."""

from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Self

from workspace import request

VIEW_AS = "view-as:"
"""How the agent of an actor begins by which somebody looks as another. No agent has such an id, so that no row can
name it as an author."""


class Role(IntEnum):
    """What somebody may do at a place. Roles are ordered: each may all that the lower ones may."""

    VIEWER = 1
    EDITOR = 2
    MANAGER = 3

    @property
    def label(self) -> str:
        """The name used on every surface: ``viewer``, ``editor``, ``manager``."""
        return self.name.lower()

    @classmethod
    def named(cls, name: str) -> Self | None:
        """The role called ``name``, or None."""
        return cls.__members__.get(name.upper()) if name == name.lower() else None


class Via(StrEnum):
    """The surface through which an actor acts; stored on every commit and receipt."""

    WEB = "web"
    REST = "rest"
    MCP = "mcp"
    HOOK = "hook"
    JOB = "job"
    ADMIN = "admin"
    COMMAND = "command"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A narrowing of an agent: at most ``role`` at and below one folder, or on one document.

    With neither folder nor document it caps the role everywhere.
    """

    role: Role
    folder: int | None = None
    document: str | None = None


@dataclass(frozen=True, kw_only=True)
class Actor:
    """A person, a person's agent, or a job with a name of its own.

    ``person`` is the person's id and None only for a job, whose reach is its ``scopes`` and nothing else. For an
    agent, ``scopes`` narrow the person's reach (an empty tuple leaves it whole). ``session`` is the host session
    that the agent named, if any. ``label`` is what history shows: a person's name, an agent's or a job's.
    ``request_id`` names the request in which the actor was made, and ``address`` is where that came from.
    """

    person: int | None
    label: str
    via: Via
    email: str = ""
    admin: bool = False
    agent: str | None = None
    agent_name: str = ""
    host: str = ""
    job: str = ""
    scopes: tuple[Scope, ...] = ()
    session: str = ""
    reason: str = ""
    request_id: str = field(default_factory=request.name, compare=False)
    address: str = field(default_factory=request.address, compare=False)

    @property
    def principal(self) -> str:
        """Stable key of who acts, as the scope of idempotency keys and cursors."""
        if self.agent:
            return f"agent:{self.agent}"
        return f"job:{self.job}" if self.person is None else f"person:{self.person}"

    @property
    def may_write(self) -> bool:
        """Whether it may write anywhere at all: not where its every scope only reads."""
        return not self.scopes or any(scope.role > Role.VIEWER for scope in self.scopes)

    @property
    def looks(self) -> bool:
        """Whether somebody only looks as this person (``queries.access.view_as``): it may not act at all."""
        return bool(self.agent) and str(self.agent).startswith(VIEW_AS)

    @classmethod
    def for_job(cls, name: str, *, scopes: tuple[Scope, ...], reason: str = "") -> Self:
        """A job as an actor: it reaches only what ``scopes`` name."""
        return cls(person=None, label=name, job=name, via=Via.JOB, scopes=scopes, reason=reason)

    def because(self, reason: str) -> Self:
        """The same actor with a reason that goes onto what it writes."""
        return replace(self, reason=reason)
