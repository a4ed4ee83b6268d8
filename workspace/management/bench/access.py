"""``bench access``: what the permission filter costs, and the check of a token.

100,000 documents in 2,000 folders, 200 groups in one another, 5,000 grants. Everything is asked over REST, and the tree
over MCP, in turn by somebody who was granted nearly all of it through groups, folder by folder, by somebody who was
granted little, and by an administrator, who sees all of it without any filter. Runs in a workspace of its own (a
temporary data folder), which the command made.
"""

import random
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db import connection

from workspace.access import person_actor
from workspace.actor import Role, Via
from workspace.management.bench import corpus
from workspace.management.bench import tokens as token_checks
from workspace.management.bench.client import Client, server
from workspace.management.bench.figures import Figure, interleaved, ratio
from workspace.models import Folder, Grant, Group, Membership, Nesting, Person, Reach
from workspace.services import agents

DOCUMENTS, FOLDERS, GROUPS, GRANTS, PEOPLE = 100_000, 2_000, 200, 5_000, 400
BOUND = 1.3
SEARCHES, LISTS = 11, 60
"""Rounds of each."""
WHO = ("administrator", "who reads nearly all", "who reads little")
SEED = 20261130


def run() -> list[Figure]:
    """All figures of the benchmark."""
    chance = random.Random(SEED)
    admin = Person.objects.create_superuser("admin@example.org", None)
    people = [Person(email=f"p{n}@example.org") for n in range(PEOPLE)]
    people = Person.objects.bulk_create(people)
    folders = corpus.folders(admin, FOLDERS)
    words = corpus.texts(chance)
    corpus.documents(folders, admin, DOCUMENTS)
    _grants(chance, folders, people)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    tokens = [agents.create(person_actor(one, via=Via.COMMAND), name="bench").token for one in (admin, *people[:2])]
    inside = Folder.objects.visible_to(Reach(person_actor(people[1], via=Via.REST))).order_by("-pk")[0].path
    with server() as port:
        found = _compare([Client(port, token) for token in tokens], inside, words)
    return found + token_checks.figures()


def _grants(chance: random.Random, folders: Sequence[Folder], people: Sequence[Person]) -> None:
    """Groups three in each, six deep. The first person is in groups that were given nearly every folder, one by one;
    the second in one that was given three."""
    groups = Group.objects.bulk_create([Group(name=f"group {n}") for n in range(GROUPS)])
    little = groups[-1]  # in no other
    pairs = {(groups[(n - 1) // 3], groups[n]) for n in range(1, GROUPS - 1)}
    Nesting.objects.bulk_create([Nesting(outer=outer, inner=inner) for outer, inner in pairs])
    direct = [groups[n] for n in range(GROUPS - 60, GROUPS, 4)]
    inside = _with_outer(direct, {inner: outer for outer, inner in pairs})
    others = [group for group in groups if group not in inside and group != little]
    members = {(group, people[0]) for group in direct} | {(little, people[1])}
    members |= {(chance.choice(groups), person) for person in people[2:] for _ in range(3)}
    Membership.objects.bulk_create([Membership(group=group, person=person) for group, person in members])
    given: dict[tuple[Any, Any], Grant] = {}

    def give(place: Folder | str, subject: Group | Person) -> None:
        at = {"folder": place} if isinstance(place, Folder) else {"document_id": place}
        to = {"group": subject} if isinstance(subject, Group) else {"person": subject}
        given[place, subject] = Grant(**at, **to, role=chance.choice((Role.VIEWER, Role.EDITOR)))

    for folder in folders[20:]:
        give(folder, chance.choice(others if chance.random() < 0.02 else inside))
    for folder in chance.sample(folders[200:], 3):
        give(folder, little)
    while len(given) < GRANTS:
        n = len(given)
        subject = chance.choice(others) if n % 2 else chance.choice(people[2:])
        give(chance.choice(folders) if n % 5 else f"doc_{chance.randrange(DOCUMENTS):026}", subject)
    Grant.objects.bulk_create(given.values(), batch_size=1000)


def _with_outer(groups: Sequence[Group], outer: dict[Group, Group]) -> list[Group]:
    found: dict[Group, None] = {}
    for group in groups:
        at: Group | None = group
        while at is not None:
            found[at] = None
            at = outer.get(at)
    return list(found)


def _get(path: str) -> Callable[[Client], object]:
    return lambda client: client.ok("GET", f"/api/v1/{path}")


def _compare(clients: Sequence[Client], inside: str, words: Sequence[str]) -> list[Figure]:
    """Each question by everybody in turn, in one run; the median of the rounds' ratios. ``inside`` is a folder that
    all may read."""
    questions: dict[str, Callable[[Client], object]] = {
        "search, a rare word": _get(f"search?q={words[2500]}"),
        "search, a common word": _get(f"search?q={words[3]}"),
        "search, three words": _get(f"search?q={words[40]}+{words[300]}+{words[9]}"),
        "list all documents": _get("documents?recursive=true&limit=50"),
        "list all of a type": _get("documents?recursive=true&type=decision&limit=50"),
        "list a folder": _get(f"documents?location={inside}&limit=50"),
        "list the folders at the top": _get("folders?limit=50"),
        "list the folders in one": _get(f"folders?parent={inside.rpartition('/')[0]}&limit=50"),
        "tree of folders": lambda client: client.tool("identity", {"action": "tree"}),
    }
    figures = []
    for name, ask in questions.items():
        times = interleaved(
            {who: partial(ask, client) for who, client in zip(WHO, clients, strict=True)},
            rounds=SEARCHES if name.startswith("search") else LISTS,
            warm=3,
        )
        against = f"administrator {statistics.median(times[WHO[0]]):.1f} ms"
        figures += [
            Figure(name=f"{name}, {who}", value=ratio(times, who, WHO[0]), unit="x", bound=BOUND, against=against)
            for who in WHO[1:]
        ]
    return figures
