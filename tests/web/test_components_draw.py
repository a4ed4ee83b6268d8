"""The design system's parts, without a database."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from re import findall
from time import perf_counter

import pytest

from workspace.merge.diff import diff
from workspace.web import tree
from workspace.web.components import STATE_SHAPES, crumbs, mark, state, who
from workspace.web.diffs import rows, spanned
from workspace.web.marks import hue_of, mark_of
from workspace.web.times import age_words, day_words

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Somebody:
    kind: str
    label: str
    email: str = ""
    person_label: str = ""
    host: str = ""


ALICE = Somebody(kind="person", label="Alice", email="alice@example.org")
SCOUT = Somebody(kind="agent", label="scout", email="alice@example.org", person_label="Alice", host="claude-code")


def test_people_agents_and_jobs_differ_in_shape_and_an_agent_has_its_persons_hue() -> None:
    job = Somebody(kind="job", label="summarise")

    assert [mark_of(a).kind for a in (ALICE, SCOUT, job)] == ["person", "agent", "job"]
    assert mark_of(ALICE).hue == mark_of(SCOUT).hue == hue_of("ALICE@example.org")
    assert mark_of(ALICE).letter == "A"
    assert mark_of(SCOUT).letter == "C"
    assert "mark-agent" in mark(SCOUT)
    assert "for Alice" in who(SCOUT)


def test_a_name_without_a_letter_still_has_a_mark() -> None:
    assert mark_of(Somebody(kind="person", label="☂")).letter == "?"


def test_names_are_escaped() -> None:
    assert "<b>" not in who(Somebody(kind="person", label="<b>x</b>"))
    assert "<b>" not in crumbs("a/<b>x")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "just now"),
        (-3, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (86_400, "1 d ago"),
        (-7200, "in 2 h"),
    ],
)
def test_ages_in_words(seconds: int, words: str) -> None:
    assert age_words(NOW - timedelta(seconds=seconds), now=NOW) == words


def test_days_in_words() -> None:
    assert day_words(NOW, now=NOW) == "Today"
    assert day_words(NOW - timedelta(days=1), now=NOW) == "Yesterday"
    assert day_words(NOW - timedelta(days=3), now=NOW) == "Thursday, 26 November 2026"


def test_every_state_and_every_icon_has_a_shape_in_the_sprite() -> None:
    sprite = set(findall(r'<symbol id="([^"]+)"', (ROOT / "static/img/icons.svg").read_text()))
    named = set(STATE_SHAPES.values())
    for template in (ROOT / "templates").rglob("*.html"):
        named |= set(findall(r'\{% icon "([^"]+)"', template.read_text()))

    assert named <= sprite
    assert "conflict" in state("conflict")


def test_a_replaced_line_faces_its_old_one() -> None:
    hunk = rows(diff("a\nold word here\nc\n", "a\nnew word here\nc\nd\n"))[0]
    pairs = [(str(pair.left.html), str(pair.right.html)) for pair in hunk.pairs]

    assert ("<del>old</del> word here", "<ins>new</ins> word here") in pairs
    assert ("", "d") in pairs
    assert [line.sign for line in hunk.lines] == [" ", "−", "+", " ", "+"]


def test_spans_are_escaped_and_joined_over_blanks() -> None:
    assert spanned("<a> b c", [(0, 3), (4, 5)], "ins") == "<ins>&lt;a&gt; b</ins> c"
    assert spanned("abc", [], "ins") == "abc"


@dataclass(frozen=True, kw_only=True)
class Row:
    location: str
    title: str = ""
    unread: bool = False

    @property
    def name(self) -> str:
        return self.location.rpartition("/")[2]


def test_the_tree_opens_the_way_to_the_page() -> None:
    html = tree.whole(
        [Row(location=x) for x in ("a", "a/b", "c", "c/d")],
        [Row(location="a/b/x.md", title="X <1>", unread=True)],
        at="a/b",
        current="a/b/x.md",
    )

    assert html.count("<details") == 4
    assert html.count(" open") == 2
    assert "X &lt;1&gt;" in html
    assert 'aria-current="page"' in html
    assert 'class="dot"' in html


def test_a_tree_of_two_thousand_folders_is_drawn_in_little_time() -> None:
    folders = [Row(location=f"f{n // 50}/g{n % 50}") for n in range(1950)] + [Row(location=f"f{n}") for n in range(50)]
    began = perf_counter()
    html = tree.whole(folders, at="f3/g7", current="f3/g7")

    assert perf_counter() - began < 0.15
    assert html.count('class="node"') == 50 + 50
