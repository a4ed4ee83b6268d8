"""No text makes a merge slow. Limits are in seconds of processor time and far above what is usual."""

import itertools
import random
import time

import pytest

from workspace.management.bench.texts import MIB, entries_between, rows_changed
from workspace.merge import merge, merge_text
from workspace.merge.authorship import advance, begin
from workspace.merge.diff import diff


def seconds(function, *args) -> float:
    begun = time.process_time()
    function(*args)
    return time.process_time() - begun


def noise(seed: int, lines: int, words: list[str]) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(words) + "\n" for _ in range(lines))


def prose(lines: int) -> list[str]:
    chance = random.Random(7)
    return [" ".join(str(chance.randrange(2000)) for _ in range(18)) + "\n" for _ in range(lines)]


def edited(lines: list[str], seed: int) -> str:
    chance, lines = random.Random(seed), list(lines)
    for _ in range(200):
        at = chance.randrange(len(lines))
        lines[at : at + chance.randrange(3)] = [f"{chance.random()}\n" for _ in range(chance.randrange(3))]
    return "".join(lines)


def shuffled(lines: list[str], seed: int) -> str:
    return "".join(random.Random(seed).sample(lines, len(lines)))


EQUAL = "same\n" * 10_000
LONG = "x" * MIB
PROSE = prose(12_000)
PART = "The queue is swept every minute.\n\n"
TINY = [f"{n}\n" for n in range(60_000)]
TEXTS = {
    "equal lines": (EQUAL, EQUAL + "same\n" * 9, EQUAL[5:] + "y\n"),
    "one long line": (LONG, LONG + "y", LONG[:-1]),
    "empty lines": ("\n" * MIB, "\n" * (MIB - 5) + "x\n", "y\n" + "\n" * MIB),
    "a mebibyte of prose": ("".join(PROSE), edited(PROSE, 1), edited(PROSE, 2)),
    "a mebibyte in another order": ("".join(PROSE), shuffled(PROSE, 1), shuffled(PROSE, 2)),
    "noise of two lines": tuple(noise(seed, 20_000, ["a", "b"]) for seed in (1, 2, 3)),
    "noise of many lines": tuple(noise(seed, 20_000, [str(n) for n in range(500)]) for seed in (1, 2, 3)),
    "one sentence many times": (
        PART * 30_000,
        PART.replace("swept", "read") * 30_000,
        PART.replace("minute", "hour") * 30_000,
    ),
    "tiny lines in another order": ("".join(TINY), "".join(reversed(TINY)), shuffled(TINY, 3)),
    "headings alike, with other text": tuple(
        "".join(f"## Part\n\ntext {n} {word}\n\n" for n in range(20_000)) for word in ("was", "is", "will be")
    ),
    "items nested deep": tuple(
        "".join("  " * (n % 300) + f"- {word} {n}\n" for n in range(6_000)) for word in ("item", "entry", "thing")
    ),
    "rows changed on both sides": rows_changed(20_000),
    "entries put in between all others": entries_between(8_000),
    "a mebibyte without a space": (LONG, "y" + LONG, LONG[: MIB // 2] + "z" + LONG[MIB // 2 :]),
    "a repeated pattern": ("a\nb\nc\n" * 20_000, "b\nc\na\n" * 20_000, "a\nc\n" * 30_000),
}


def test_disputes_too_many_to_settle_are_one_where_next_to_nothing_is_between_them():
    base, head, incoming = ("".join(f"{word} {n}.\n\n" for n in range(6_000)) for word in ("Was", "Is", "Will be"))
    apart = "The same.\n" * 4
    (hunk,) = merge(base, head, incoming).hunks
    assert (hunk.base, hunk.theirs, hunk.mine) == (base[:-1], head[:-1], incoming[:-1])
    first, second = merge(base + apart + "x\n", head + apart + "y\n", incoming + apart + "z\n").hunks
    assert (second.base, second.theirs, second.mine) == ("x\n", "y\n", "z\n")
    assert first.base_lines == (1, 11_999)


@pytest.mark.parametrize("name", TEXTS)
def test_a_merge_takes_less_than_two_seconds(name):
    assert seconds(merge_text, *TEXTS[name]) < 2


@pytest.mark.parametrize("name", TEXTS)
def test_a_diff_takes_less_than_two_seconds(name):
    assert seconds(diff, *TEXTS[name][:2]) < 2


def test_words_are_compared_only_as_far_as_time_allows():
    old, new = noise(1, 3000, ["alpha ", "beta "]), noise(2, 3000, ["alpha ", "beta "])
    page = [" ".join(text.split()) + "\n" for text in (old, new)]
    assert seconds(diff, page[0] * 30, page[1] * 30) < 2


def carried(texts: list[str]) -> None:
    runs = begin(texts[0], "0")
    for n, (old, new) in enumerate(itertools.pairwise(texts), 1):
        runs = advance(runs, old, new, str(n))


def test_the_authorship_of_a_long_history_takes_less_than_five_seconds():
    lines, history = PROSE[:1000], []
    for n in range(300):
        lines = [*lines[: n * 3], f"line of {n}\n", *lines[n * 3 + 1 :]]
        history.append("".join(lines))
    assert seconds(carried, history) < 5


def test_the_authorship_of_texts_made_to_be_slow_takes_seconds_at_most():
    equal, long = "the same\n" * 10_000, "word " * (MIB // 5)
    assert seconds(carried, [equal, "one\n" + equal + "two\n"]) < 3
    assert seconds(carried, [long, "one " + long + "two"]) < 10
    assert seconds(carried, ["".join(PROSE), "".join(reversed(PROSE))]) < 10
