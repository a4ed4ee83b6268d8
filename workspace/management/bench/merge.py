"""``bench merge``: how long a merge takes, where it is easy and where somebody made it hard."""

import random
import statistics
import time
import tracemalloc
from collections.abc import Iterator

from workspace.management.bench.figures import Figure
from workspace.management.bench.texts import MIB, edited, entries_between, page, rows_changed
from workspace.merge import merge

ROUNDS = 200


def run() -> list[Figure]:
    """All figures of the benchmark; pure, with no workspace at all."""
    return [*_common(), *_prose(), *_large()]


def _common() -> Iterator[Figure]:
    """Two edits far apart in a page of some 4 KB: what nearly every merge is."""
    base = page(random.Random(1), paragraphs=40)
    head = base.replace(base[:20], base[:20].upper(), 1)
    incoming = base + "\nA closing line.\n"
    times = sorted(_milliseconds(base, head, incoming) for _ in range(ROUNDS))
    yield Figure(name="merge of 4 KB, edits apart", value=statistics.median(times), unit="ms", bound=1)


def _prose() -> Iterator[Figure]:
    """Pages on which two writers met: reworded sentences, entries at one place, rows, ticks, moved items."""
    times = []
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        base = page(chance, paragraphs=chance.randint(10, 150))
        times.append(_milliseconds(base, edited(base, chance), edited(base, chance)))
    times.sort()
    yield Figure(name="merge of pages that two edited", value=statistics.median(times), unit="ms", bound=5)
    yield Figure(name="  the slowest in a hundred", value=times[int(len(times) * 0.99)], unit="ms", bound=100)


def _large() -> Iterator[Figure]:
    chance = random.Random(7)
    base = page(chance, paragraphs=6_000)[:MIB]
    equal = "the same\n" * 10_000
    line = "word " * (MIB // 5)
    entries = "# Log\n\n- begun\n"
    cases: dict[str, tuple[str, ...]] = {
        "1 MiB against 1 MiB": (base, edited(base, chance, changes=600), edited(base, chance, changes=600)),
        "10,000 equal lines": (equal, equal + "one\n", "other\n" + equal + "two\n"),
        "one line of 1 MiB": (line, line + "one", "other " + line + "two"),
        "5,000 entries on each side": (
            entries,
            entries + "".join(f"- scout did step {n} of the import\n" for n in range(5_000)),
            entries + "".join(f"- rover did step {n} of the export\n" for n in range(5_000)),
        ),
        "20,000 rows that both changed": rows_changed(20_000),
        "8,000 entries between 8,000 others": entries_between(8_000),
        "4,000 disputes": tuple(
            "".join(f"## Part\n\nText {n} {word}.\n\n" for n in range(4_000)) for word in ("was", "is", "will be")
        ),
    }
    for name, texts in cases.items():
        yield Figure(name=f"merge of {name}", value=_milliseconds(*texts) / 1000, unit="s", bound=2)
    tracemalloc.start()
    merge(*cases["1 MiB against 1 MiB"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield Figure(name="memory of 1 MiB against 1 MiB", value=peak / 1e6, unit="MB", bound=200)


def _milliseconds(base: str, head: str, incoming: str) -> float:
    begun = time.perf_counter()
    merge(base, head, incoming)
    return 1000 * (time.perf_counter() - begun)
