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

from django.db import connection, transaction
from tqdm import tqdm

from workspace.access import person_actor
from workspace.actor import Role, Via
from workspace.locations import twin_key
from workspace.management.bench import tokens as token_checks
from workspace.management.bench.client import Client, server
from workspace.management.bench.figures import Figure, interleaved, ratio
from workspace.models import Blob, Folder, Grant, Group, Membership, Nesting, Person, Reach
from workspace.models.chunks import lexemes
from workspace.services import agents, index, texts

DOCUMENTS, FOLDERS, GROUPS, GRANTS, PEOPLE = 100_000, 2_000, 200, 5_000, 400
TEXTS = 500
"""Different texts; each stands in as many documents."""
BOUND = 1.3
SEARCHES, LISTS = 11, 60
"""Rounds of each."""
WHO = ("administrator", "who reads nearly all", "who reads little")
SEED = 20261130

FILL = """
INSERT INTO workspace_document (id, folder_id, name, twin_key, head_id, number, title, type, labels, summary,
                                updated_at, indexed_commit_id, indexed_at)
SELECT 'doc_' || lpad(n::text, 26, '0'), (%(folders)s::bigint[])[1 + n %% cardinality(%(folders)s::bigint[])],
       text.name || ' ' || n || '.md', encode(sha256(n::text::bytea), 'hex'), encode(sha256(('c' || n)::bytea), 'hex'),
       1, text.title, text.type, '{}', text.summary, now() - make_interval(secs => n * 7 %% 100003),
       encode(sha256(('c' || n)::bytea), 'hex'), now()
  FROM generate_series(%(first)s::int, %(last)s::int) AS n JOIN bench_text text ON text.id = n / 2000 * 10 + n %% 10;
INSERT INTO workspace_commit (id, document_id, number, blob_id, kind, location, author_id, job, via, session, message,
                              reason, imported_author, created_at, decisions)
SELECT document.head_id, document.id, 1, text.hash, 'create', document.name, %(author)s, '', 'command', '', '', '', '',
       document.updated_at, '[]'
  FROM generate_series(%(first)s::int, %(last)s::int) AS n JOIN bench_text text ON text.id = n / 2000 * 10 + n %% 10
  JOIN workspace_document document ON document.id = 'doc_' || lpad(n::text, 26, '0');
INSERT INTO workspace_chunk (document_id, commit_id, ordinal, heading, start_line, end_line, text, terms, length)
SELECT document.id, document.head_id, part.ordinal, part.heading, 1, 9, part.text, part.terms::tsvector, part.length
  FROM generate_series(%(first)s::int, %(last)s::int) AS n JOIN bench_part part ON part.id = n / 2000 * 10 + n %% 10
  JOIN workspace_document document ON document.id = 'doc_' || lpad(n::text, 26, '0');
"""


def run() -> list[Figure]:
    """All figures of the benchmark."""
    chance = random.Random(SEED)
    admin = Person.objects.create_superuser("admin@example.org", None)
    people = [Person(email=f"p{n}@example.org") for n in range(PEOPLE)]
    people = Person.objects.bulk_create(people)
    folders = _folders(admin)
    words = _texts(chance)
    _documents(folders, admin)
    _grants(chance, folders, people)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    tokens = [agents.create(person_actor(one, via=Via.COMMAND), name="bench").token for one in (admin, *people[:2])]
    inside = Folder.objects.visible_to(Reach(person_actor(people[1], via=Via.REST))).order_by("-pk")[0].path
    with server() as port:
        found = _compare([Client(port, token) for token in tokens], inside, words)
    return found + token_checks.figures()


def _folders(owner: Person) -> list[Folder]:
    """A tree of folders: 20 at the top, then 6 in each as far as they go."""
    made: list[Folder] = []
    level: list[Folder] = []
    while len(made) < FOLDERS:
        parents: Sequence[Folder | None] = level or [None] * 20
        rows = []
        for n in range(len(parents) * (6 if level else 1)):
            parent = parents[n // 6] if level else None
            name = f"f{len(made) + n}"
            path = f"{parent.path}/{name}" if parent else name
            rows.append(Folder(parent=parent, name=name, twin_key=twin_key(name), path=path, created_by=owner))
        level = Folder.objects.bulk_create(rows[: FOLDERS - len(made)])
        for folder in level:
            folder.lineage = [*(folder.parent.lineage if folder.parent else ()), folder.pk]
        Folder.objects.bulk_update(level, ["lineage"], batch_size=1000)
        made += level
    return made


def _texts(chance: random.Random) -> list[str]:
    """The texts that documents hold, cut into passages by the product's own indexer; gives the words, by rank."""
    words = [
        f"{a}{b}{c}" for a in ("ka", "lo", "mi", "ru", "te") for b in ("ban", "dor", "fil", "gus") for c in "abcdefg"
    ]
    words += [f"{word}{n}" for n in range(20) for word in words[:140]]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    blobs: list[Blob] = []
    rows: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    for n in range(TEXTS):
        title = " ".join(chance.choices(words, weights, k=3))
        prose = [" ".join(chance.choices(words, weights, k=60)) for _ in range(3)]
        text = texts.check(f"# {title}\n\n{prose[0]}.\n\n## Part\n\n{prose[1]}.\n\n{prose[2]}.\n")
        facts = texts.facts(text.content, name=f"{n}.md")
        blobs.append(Blob(hash=text.hash, content=text.content, size=text.size, lines=text.lines))
        rows.append((n, text.hash, title, title, "note" if n % 7 else "decision", facts["summary"]))
        for ordinal, entry in enumerate(index.split(text.content, title, title)):
            parts.append((n, ordinal, entry.heading, entry.text, lexemes(entry.terms), entry.terms.total()))
    Blob.objects.bulk_create(blobs)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE bench_text (id int, hash text, name text, title text, type text, summary text)"
        )
        cursor.execute(
            "CREATE TEMP TABLE bench_part (id int, ordinal int, heading text, text text, terms text, length int)"
        )
        cursor.executemany("INSERT INTO bench_text VALUES (%s, %s, %s, %s, %s, %s)", rows)
        cursor.executemany("INSERT INTO bench_part VALUES (%s, %s, %s, %s, %s, %s)", parts)
    return words


def _documents(folders: Sequence[Folder], owner: Person) -> None:
    values: dict[str, Any] = {"folders": [folder.pk for folder in folders], "author": owner.pk}
    for first in tqdm(range(0, DOCUMENTS, 5_000), desc="filling", leave=False, disable=None):
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in FILL.split(";\n")[:-1]:
                cursor.execute(statement, {**values, "first": first, "last": first + 4_999})


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
