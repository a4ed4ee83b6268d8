"""A workspace of many documents of ordinary shape: a tree of folders, and texts cut by the product's own indexer."""

import random
from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from tqdm import tqdm

from workspace.locations import twin_key
from workspace.models import Blob, Folder, Person
from workspace.models.chunks import lexemes
from workspace.services import index
from workspace.services import texts as made_texts

TEXTS = 500
"""Different texts; each stands in as many documents."""
AT_ONCE = 5_000

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


def folders(owner: Person, number: int) -> list[Folder]:
    """A tree of folders: 20 at the top, then 6 in each as far as they go."""
    made: list[Folder] = []
    level: list[Folder] = []
    while len(made) < number:
        parents: Sequence[Folder | None] = level or [None] * 20
        rows = []
        for n in range(len(parents) * (6 if level else 1)):
            parent = parents[n // 6] if level else None
            name = f"f{len(made) + n}"
            path = f"{parent.path}/{name}" if parent else name
            rows.append(Folder(parent=parent, name=name, twin_key=twin_key(name), path=path, created_by=owner))
        level = Folder.objects.bulk_create(rows[: number - len(made)])
        for folder in level:
            folder.lineage = [*(folder.parent.lineage if folder.parent else ()), folder.pk]
        Folder.objects.bulk_update(level, ["lineage"], batch_size=1000)
        made += level
    return made


def texts(chance: random.Random) -> list[str]:
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
        text = made_texts.check(f"# {title}\n\n{prose[0]}.\n\n## Part\n\n{prose[1]}.\n\n{prose[2]}.\n")
        facts = made_texts.facts(text.content, name=f"{n}.md")
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


def documents(places: Sequence[Folder], owner: Person, number: int) -> None:
    """``number`` documents of the texts, in ``places`` in turn; at most 100,000."""
    values: dict[str, Any] = {"folders": [folder.pk for folder in places], "author": owner.pk}
    for first in tqdm(range(0, number, AT_ONCE), desc="filling", leave=False, disable=None):
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in FILL.split(";\n")[:-1]:
                cursor.execute(statement, {**values, "first": first, "last": min(first + AT_ONCE, number) - 1})
