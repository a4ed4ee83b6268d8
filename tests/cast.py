"""The cast of every test: alice owns, bob edits, carol reads, mallory is a stranger; scout is alice's agent, rover
is bob's. ``product/launch`` is the place they work in."""

from dataclasses import dataclass

import pytest

from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.models import Person
from workspace.services import agents, bearer, documents, folders, sharing

PLAN = """# Launch plan

The launch is on the second of March. Everybody knows their part.

## Goals

We want a thousand teams in the first month. Support answers within an hour.

## Risks

The import is slow for large folders. The mitigation is a progress bar.
"""
PASSWORD = "correct horse battery"


@dataclass(frozen=True, kw_only=True)
class Cast:
    """People, their agents, and an actor for each."""

    people: dict[str, Person]
    tokens: dict[str, str]

    def person(self, name: str, via: Via = Via.REST) -> Actor:
        return person_actor(self.people[name], via=via)

    def agent(self, name: str, via: Via = Via.MCP) -> Actor:
        return bearer.authenticate(self.tokens[name], via=via)

    @property
    def alice(self) -> Actor:
        return self.person("alice")

    @property
    def bob(self) -> Actor:
        return self.person("bob")

    @property
    def carol(self) -> Actor:
        return self.person("carol")

    @property
    def mallory(self) -> Actor:
        return self.person("mallory")

    @property
    def scout(self) -> Actor:
        return self.agent("scout")

    @property
    def rover(self) -> Actor:
        return self.agent("rover")


def make_cast() -> Cast:
    """The cast in the database, with ``product/launch`` shared as their parts say."""
    people = {
        name: Person.objects.create_user(f"{name}@example.org", PASSWORD, name=name.capitalize())
        for name in ("alice", "bob", "carol", "mallory")
    }
    alice = person_actor(people["alice"], via=Via.REST)
    folders.create(alice, location="product/launch")
    sharing.grant(alice, location="product/launch", subject="bob@example.org", role="editor")
    sharing.grant(alice, location="product/launch", subject="carol@example.org", role="viewer")
    tokens = {
        name: agents.create(person_actor(people[owner], via=Via.REST), name=name, host=host).token
        for name, owner, host in (("scout", "alice", "claude-code"), ("rover", "bob", "codex"))
    }
    return Cast(people=people, tokens=tokens)


@pytest.fixture
def cast(db: None) -> Cast:
    """The cast inside the test's own transaction."""
    return make_cast()


@pytest.fixture
def committed_cast(transactional_db: None) -> Cast:
    """The cast, committed: for tests with threads or a live server."""
    return make_cast()


@pytest.fixture
def plan(cast: Cast) -> str:
    """The first commit of ``product/launch/plan.md``."""
    return documents.create(cast.alice, location="product/launch/plan.md", content=PLAN).commit
