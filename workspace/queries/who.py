"""Who did something, in the one shape that every surface shows."""

from dataclasses import dataclass
from typing import Literal, Protocol

from workspace.models import Agent, Person

RELATED = ("author", "agent__person")
"""What ``select_related`` must load for ``who`` to need no query."""


@dataclass(frozen=True, kw_only=True)
class Who:
    """A person, an agent (with the person it acts for and its host), or a job. ``label`` is the name to show."""

    kind: Literal["person", "agent", "job"]
    label: str
    email: str = ""
    person_label: str = ""
    agent_id: str = ""
    host: str = ""


class Authored(Protocol):
    """A row that says who made it: a commit, a capture, a conflict."""

    author: Person | None
    agent: Agent | None


def of(person: Person | None, agent: Agent | None, job: str = "") -> Who:
    """The Who of a row's author columns."""
    if agent is not None:
        owner = agent.person
        return Who(
            kind="agent",
            label=agent.name,
            email=owner.email,
            person_label=owner.label,
            agent_id=agent.pk,
            host=agent.host,
        )
    if person is not None:
        return Who(kind="person", label=person.label, email=person.email, person_label=person.label)
    return Who(kind="job", label=job or "job")


def made(imported_author: str, person: Person | None, agent: Agent | None, job: str) -> Who:
    """As ``of``; what an import brought keeps the author it had there (``Name <address>``)."""
    if imported_author:
        name, _, rest = imported_author.partition(" <")
        return Who(kind="person", label=name, email=rest.rstrip(">"), person_label=name)
    return of(person, agent, job)


def author(row: Authored) -> Who:
    """The Who of a row with ``author``, ``agent`` and perhaps ``job`` and ``imported_author``."""
    return made(getattr(row, "imported_author", ""), row.author, row.agent, getattr(row, "job", ""))
