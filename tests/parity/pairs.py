"""What is hidden from an actor, beside what never was; clients that ask for both; and in what two answers differ."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from django.test import Client
from hypothesis import HealthCheck, Phase, settings

from tests.parity.answers import Answer
from tests.parity.world import World
from workspace.actor import Actor
from workspace.models import Agent, Capture, Commit, Conflict, Job, Receipt

CALLED = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
NUMBERS = {"group": "8765432109", "person": "8765432108"}
"""Of what there is none. ``make`` begins counting where numbers have as many digits."""
CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass
class Pair:
    """What is hidden from an actor, and twice what never was: beside it, and below what never was either."""

    world: World
    actor: Actor

    @cached_property
    def hidden(self) -> dict[str, str]:
        world, chance = self.world, random.Random(self.world.chance.random())
        unread = [d for d in world.documents if not world.reads(self.actor, d) and ("name", d.pk) in world.tokens]
        known = world.known(self.actor, deleted=True)
        # One in another: below what never was, whoever may make a folder at the top may make everything.
        nested = [f for f in world.folders if f.pk not in known and f.deleted_at is None and f.parent_id]
        folder = chance.choice(nested)
        document = chance.choice([d for d in unread if d.deleted_at is None])
        lost = chance.choice([d for d in unread if d.deleted_at is not None])
        conflict = chance.choice(list(Conflict.objects.filter(document__in=[d.pk for d in unread])))
        seen = {f.pk for f in world.folders if world.role(self.actor, f)}
        return {
            "top": world.vault,
            "folder": folder.path,
            "document": f"{document.folder.path}/{document.name}",
            "lost": f"{lost.folder.path}/{lost.name}",
            "id": document.pk,
            "commit": Commit.objects.filter(document=document).order_by("number")[0].pk,
            "conflict": conflict.pk,
            "capture": chance.choice(list(Capture.objects.exclude(folder__in=seen))).pk,
            "job": Job.objects.filter(document=document).earliest("pk").pk,
            "receipt": Receipt.objects.filter(kind="invoked")
            .exclude(person=self.actor.person)
            .exclude(folder__in=seen)
            .earliest("pk")
            .pk,
            "agent": Agent.objects.exclude(person=self.actor.person).earliest("pk").pk,
            **world.given,
        }

    @cached_property
    def own(self) -> dict[str, str]:
        world = self.world
        document = next(d for d in world.documents if d.folder.path == world.mine and d.name.startswith("own"))
        return {
            "mine": world.mine,
            "own": f"{world.mine}/{document.name}",
            "own_commit": Commit.objects.get(document=document, number=1).pk,
        }

    @cached_property
    def twins(self) -> dict[str, str]:
        """For each token and id that is hidden, one of the same form that nothing has."""
        hidden = self.world.secrets(self.actor)
        places = " ".join(self.hidden.values())
        found = {token: self.world.fresh() for token in sorted(hidden) if token in places and len(token) == 9}
        ids = ("id", "conflict", "capture", "proposal", "job", "agent", "request", "invitation", "receipt", "binding")
        for name in ids:
            value = self.hidden[name]
            found[value] = value[:4] + "".join(self.world.chance.choice(CROCKFORD) for _ in value[4:])
        commit = "".join(self.world.chance.choice("0123456789abcdef") for _ in range(64))
        return found | {self.hidden["commit"]: commit, self.hidden["commit"][:8]: commit[:8]}

    @cached_property
    def absent(self) -> tuple[dict[str, str], dict[str, str]]:
        """Beside what is hidden, and below what never was."""
        beside, nowhere = {}, {}
        for name, value in self.hidden.items():
            if value.isdecimal():
                beside[name] = nowhere[name] = NUMBERS[name]
                continue
            above, slash, last = value.rpartition("/")
            beside[name] = above + slash + self._twin(last)
            nowhere[name] = self._twin(value)
        return beside, nowhere

    def _twin(self, value: str) -> str:
        for token, twin in self.twins.items():
            value = value.replace(token, twin)
        return value

    def every(self, *, beside: bool = False) -> Iterator[dict[str, str]]:
        """All that stands for what is asked for; ``beside`` leaves out what is below what never was."""
        for things in (self.hidden, *self.absent[: 1 if beside else 2]):
            above, _, name = things["folder"].rpartition("/")
            yield {**things, **self.own, "folder above": above or things["top"], "folder name": name}

    def tokens(self, asked: object) -> list[tuple[str, str]]:
        """What stands for the same in what was asked for, each time."""
        numbers = [(self.hidden[name], other) for name, other in NUMBERS.items() if f"{{{name}}}" in str(asked)]
        return numbers + sorted(self.twins.items(), key=lambda pair: -len(pair[0]))


def signed_in(world: World) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(world.caller, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.get("/help/connect")
    return client


def with_token(world: World) -> Client:
    return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {world.token}"})


def differences(answers: list[Answer], secrets: Mapping[str, str]) -> Iterator[str]:
    """In what the answers differ from each other, and what secrets they hold."""
    first = answers[0]
    for other in answers[1:]:
        for part in ("status", "headers", "cookies", "body", "statements"):
            one, another = getattr(first, part), getattr(other, part)
            if one != another:
                yield f"{part}: {_where(one, another)}"
    yield from leaks(first, secrets)


def _where(one: Any, another: Any) -> str:
    if isinstance(one, tuple) and isinstance(another, tuple):
        rest = [(a, b) for a, b in zip_longest(one, another) if a != b]
        return f"{len(one)} and {len(another)}, first {rest[0][0]!r} and {rest[0][1]!r}"
    if isinstance(one, str) and isinstance(another, str):
        at = next(
            (n for n, (a, b) in enumerate(zip(one, another, strict=False)) if a != b), min(len(one), len(another))
        )
        return f"{one[max(at - 60, 0) : at + 160]!r} and {another[max(at - 60, 0) : at + 160]!r}"
    return f"{one} and {another}"


def leaks(answer: Answer, secrets: Mapping[str, str]) -> Iterator[str]:
    if answer.status >= 500:
        yield f"broke: {answer.body[:300]}"
    yield from (f"tells of {secret}" for token, secret in secrets.items() if token in answer.whole)
