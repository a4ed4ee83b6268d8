"""``bench merge``: how long a merge takes, where it is easy and where somebody made it hard."""

import random
import statistics
import time
import tracemalloc
from collections.abc import Iterator

from workspace.management.bench.figures import Figure
from workspace.merge import merge

MIB = 1_048_576
ROUNDS = 200
VOCABULARY = "the plan import export job queue index commit reader writer merge launch team agent night limit".split(
    " "
)


def run() -> list[Figure]:
    """All figures of the benchmark; pure, with no workspace at all."""
    return [*_common(), *_prose(), *_large()]


def _common() -> Iterator[Figure]:
    """Two edits far apart in a page of some 4 KB: what nearly every merge is."""
    page = _page(random.Random(1), paragraphs=40)
    head = page.replace(page[:20], page[:20].upper(), 1)
    incoming = page + "\nA closing line.\n"
    times = sorted(_milliseconds(page, head, incoming) for _ in range(ROUNDS))
    yield Figure(name="merge of 4 KB, edits apart", value=statistics.median(times), unit="ms", bound=1)


def _prose() -> Iterator[Figure]:
    """Pages on which two writers met: reworded sentences, entries at one place, rows, ticks, moved items."""
    times = []
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        page = _page(chance, paragraphs=chance.randint(10, 150))
        times.append(_milliseconds(page, _edited(page, chance), _edited(page, chance)))
    times.sort()
    yield Figure(name="merge of pages that two edited", value=statistics.median(times), unit="ms", bound=5)
    yield Figure(name="  the slowest in a hundred", value=times[int(len(times) * 0.99)], unit="ms", bound=100)


def _large() -> Iterator[Figure]:
    chance = random.Random(7)
    page = _page(chance, paragraphs=6_000)[:MIB]
    equal = "the same\n" * 10_000
    line = "word " * (MIB // 5)
    entries = "# Log\n\n- begun\n"
    cases = {
        "1 MiB against 1 MiB": (page, _edited(page, chance, changes=600), _edited(page, chance, changes=600)),
        "10,000 equal lines": (equal, equal + "one\n", "other\n" + equal + "two\n"),
        "one line of 1 MiB": (line, line + "one", "other " + line + "two"),
        "5,000 entries on each side": (
            entries,
            entries + "".join(f"- scout did step {n} of the import\n" for n in range(5_000)),
            entries + "".join(f"- rover did step {n} of the export\n" for n in range(5_000)),
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


def _sentence(chance: random.Random) -> str:
    words = chance.choices(VOCABULARY, k=chance.randint(5, 14))
    return " ".join(words).capitalize() + f" {chance.randint(1, 999)}."


def _page(chance: random.Random, *, paragraphs: int) -> str:
    """Headings, prose, lists and tables, as handoff documents have them."""
    parts = []
    for n in range(paragraphs):
        match n % 8:
            case 0:
                parts.append(f"## Part {n}")
            case 3 | 5:
                parts.append("\n".join(f"- {_sentence(chance)}" for _ in range(4)))
            case 6:
                rows = "\n".join(f"| {word} | {chance.randint(1, 99)} |" for word in chance.sample(VOCABULARY, 3))
                parts.append(f"| what | how many |\n|---|---|\n{rows}")
            case _:
                parts.append(" ".join(_sentence(chance) for _ in range(3)))
    return "\n\n".join(parts) + "\n"


def _edited(page: str, chance: random.Random, *, changes: int = 6) -> str:
    lines = page.split("\n")
    for _ in range(changes):
        at = chance.randrange(len(lines))
        match chance.choice(("reword", "add", "take out", "move")):
            case "reword":
                lines[at] = lines[at].replace(chance.choice(VOCABULARY), chance.choice(VOCABULARY), 1)
            case "add":
                lines.insert(at, f"- {_sentence(chance)}")
            case "take out":
                del lines[at]
            case "move":
                lines.insert(chance.randrange(len(lines)), lines.pop(at))
    return "\n".join(lines)
