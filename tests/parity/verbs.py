"""The verbs that every surface has, and how its answers are read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from tests.cast import Cast
from tests.parity.outcomes import Ok, Outcome, Refusal
from workspace.services import agents

Choice = str | Mapping[str, str]
OUTCOMES = ("saved", "merged", "unchanged", "replayed")


class Surface(Protocol):
    """The verbs. ``key`` makes a repeat one request; ``base`` is the commit that was read, ``merge`` whether both
    texts should be kept where they fit."""

    name: ClassVar[str]

    def create(self, location: str, content: str, *, key: str | None = None) -> Outcome: ...

    def read(self, location: str, *, at: str | None = None) -> Outcome: ...

    def replace(
        self, location: str, content: str, *, base: str | None, key: str | None = None, merge: bool = True
    ) -> Outcome: ...

    def edit(
        self, location: str, old: str, new: str, *, base: str | None = None, key: str | None = None, merge: bool = True
    ) -> Outcome: ...

    def append(self, location: str, content: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def section(
        self, location: str, section: str, content: str, *, base: str | None = None, key: str | None = None
    ) -> Outcome: ...

    def move(self, location: str, to: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def deciding(self, location: str) -> str:
        """What a deletion is decided upon, as the surface shows it before."""
        ...

    def delete(self, location: str, decision: str, *, key: str | None = None) -> Outcome: ...

    def undelete(self, location: str, *, key: str | None = None) -> Outcome: ...

    def restore(self, location: str, commit: str, *, base: str | None = None, key: str | None = None) -> Outcome: ...

    def resolve(self, conflict: str, choices: Sequence[Choice], *, base: str, key: str | None = None) -> Outcome: ...

    def discard(self, conflict: str) -> Outcome: ...

    def folder(self, location: str, *, key: str | None = None) -> Outcome: ...

    def share(self, location: str, subject: str, role: str) -> Outcome: ...

    def unshare(self, location: str, subject: str) -> Outcome: ...

    def readers(self, location: str) -> Outcome:
        """Who can read it: ``(address, role, the places and groups of each grant)``."""
        ...

    def ask(self, location: str, role: str, reason: str = "") -> Outcome:
        """Asks for access; the value is the request's id."""
        ...

    def waiting(self) -> Outcome:
        """Ids of the requests that wait for the person."""
        ...

    def approve(self, request: str, role: str) -> Outcome: ...

    def decline(self, request: str, answer: str) -> Outcome: ...

    def withdraw(self, request: str) -> Outcome: ...

    def capture(self, folder: str, content: str, *, key: str) -> Outcome: ...

    def search(self, words: str, *, within: str | None = None) -> Outcome: ...

    def list(self, location: str, *, cursor: str | None = None) -> Outcome: ...


class Unsupported(Exception):
    """The surface has no such verb (yet), so no outcome that could differ."""


def token_of(cast: Cast, person: str, surface: str) -> str:
    return agents.create(cast.person(person), name=f"{person} over {surface}").token


def refused(data: Mapping[str, Any], aliases: Mapping[str, str]) -> Refusal:
    named = {re.split(r"[.\[]", error["field"])[0] for error in data.get("errors", ())}
    return Refusal(code=data["code"], fields=frozenset(aliases.get(name, name) for name in named))


def value_of(found: Outcome, get: Any) -> Outcome:
    return Ok(commit=found.commit, value=get(found.value)) if isinstance(found, Ok) else found
