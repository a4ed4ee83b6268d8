"""``bench history``: who wrote which sentence of a document with 10,000 commits, and the difference of large texts.

Runs in a workspace of its own (a temporary data folder), which the command made.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.management.bench import rows
from workspace.management.bench.figures import Figure, interleaved
from workspace.management.bench.texts import MIB, edited, page
from workspace.merge import diff
from workspace.models import Commit, Document, Person
from workspace.queries import history
from workspace.services import authorship, documents

COMMITS = 10_000
PLACE = "bench/history/long.md"
ROUNDS = 20


def run() -> list[Figure]:
    """All figures of the benchmark."""
    owner = person_actor(Person.objects.create_superuser("bench@example.org", None), via=Via.COMMAND)
    return [*_blame(owner), *_diff()]


def _blame(owner: Actor) -> Iterator[Figure]:
    chance = random.Random(3)
    text = page(chance, paragraphs=60)
    document = documents.create(owner, location=PLACE, content=text).document
    rows.lengthen(document, COMMITS, following=partial(next, _editions(text, chance)))

    def read() -> object:
        return history.blame(owner, location=PLACE, most=5_000)

    def step() -> None:
        nonlocal text
        text = edited(text, chance, changes=3)
        documents.edit(owner, location=PLACE, content=text, expected_commit=_head().head_id)

    times = interleaved({"cold": read}, rounds=ROUNDS, warm=0)["cold"]
    yield Figure(name="blame of 10,000 commits, none kept", value=max(times), unit="ms", bound=300)
    asked = [_commit(chance.randint(1, COMMITS)) for _ in range(ROUNDS)]
    yield Figure(name="  of an old commit, none kept", value=max(_old(owner, asked)), unit="ms", bound=300)
    yield Figure(name="  made once, in jobs", value=_seconds(_keep), unit="s")
    times = interleaved({"kept": read}, rounds=ROUNDS)["kept"]
    yield Figure(name="blame of 10,000 commits", value=max(times), unit="ms", bound=300)
    asked = [_commit(n) for n in (99, 199, 5_099, 9_899, *(chance.randint(1, COMMITS) for _ in range(ROUNDS)))]
    yield Figure(name="  of an old commit", value=max(_old(owner, asked)), unit="ms", bound=300)
    for _ in range(5):
        step()
    times = interleaved({"behind": read}, rounds=ROUNDS)["behind"]
    yield Figure(name="  five commits after what was kept", value=max(times), unit="ms", bound=300)
    step()
    yield Figure(name="  kept up, each write", value=1000 * _seconds(_keep) / 6, unit="ms")


def _old(owner: Actor, asked: Iterable[str]) -> list[float]:
    """Milliseconds of the blame of each of the commits ``asked`` for."""
    return [1000 * _seconds(partial(history.blame, owner, location=PLACE, at=at, most=5_000)) for at in asked]


def _commit(number: int) -> str:
    return Commit.objects.get(document=_head(), number=number).pk


def _keep() -> None:
    while True:
        row = _head()
        made = authorship.make(row.pk, row.head_id)
        authorship.record(row.pk, made)
        if made.commit == row.head_id:
            return


def _head() -> Document:
    return Document.objects.get(name="long.md")


def _editions(text: str, chance: random.Random) -> Iterator[str]:
    while True:
        text = edited(text, chance, changes=3)
        yield text


def _diff() -> Iterator[Figure]:
    chance = random.Random(7)
    old = page(chance, paragraphs=6_000)[:MIB]
    lines = old.split("\n")
    cases = {
        "1 MiB, 600 edits": (old, edited(old, chance, changes=600)),
        "1 MiB, another text": (old, page(chance, paragraphs=6_000)[:MIB]),
        "1 MiB, every line moved": (old, "\n".join(chance.sample(lines, len(lines)))),
    }
    for name, (before, after) in cases.items():
        times = [_seconds(partial(diff.compare, before, after, most=10_000)) for _ in range(3)]
        yield Figure(name=f"diff of {name}", value=statistics.median(times), unit="s", bound=1)


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
