"""Markdown as the words that a reader sees."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown.plain import MAX_CHARACTERS, plain
from workspace.queries.snippets import LENGTH, cut

CAPTURE = "cap_01k9s4m2n8x0qz7d5r3t6v1w4y"


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("## Price\n\nOne plan, for *all*.", "Price: One plan, for all."),
        ("Who pays?\n=========\nWe do.", "Who pays? We do."),
        ("- one\n- **two**\n  1. three\n\nAfter.", "one; two; three; After."),
        ("- [x] done\n- [ ] to do", "done; to do"),
        ("> Quoted\n> twice", "Quoted twice"),
        ("| Plan | Price |\n|---|--:|\n| Solo | `9` |\n| Team | 29 |", "Plan · Price; Solo · 9; Team · 29"),
        ("| Solo | [9](/x) |\n| A \\| B | 29 |", "Solo · 9; A | B · 29"),
        (
            'See [the plan](/d/a.md "t"), ![a chart](/c.png) and <https://x.org/>.',
            "See the plan, a chart and https://x.org/.",
        ),
        ("See [the plan][1] and [that].", "See the plan and [that]."),
        (
            "It was <b>bold</b>,<br>then not.\n\n<div>\nIn a box\n</div>\n<!-- not this -->",
            "It was bold,then not. In a box",
        ),
        ("Run:\n\n```sh\nrm -rf *\n```\n", "Run: rm -rf *"),
        ("snake_case_name, 2 * 3, \\*star\\*, a &amp; b", "snake_case_name, 2 * 3, *star*, a & b"),
        ("---\nstatus: approved\nlabels: [a, b]\n---\n# T\n", "status: approved; labels: a, b; T"),
        ("Said so.[^1]\n\n[^1]: By Bob.\n", "Said so. By Bob."),
        (f"- Kept one queue. ([{CAPTURE}](/captures/{CAPTURE}))\n- Next", "Kept one queue. Next"),
        (f"See [this one](/captures/{CAPTURE}) (really).", "See this one (really)."),
        ("main() and ()", "main() and ()"),
        ("", ""),
        ("***", ""),
    ],
)
def test_marks_go_and_words_stay(markdown: str, words: str) -> None:
    assert plain(markdown) == words


@LAW
@given(st.lists(st.sampled_from(["# a", "- b c", "| d |", "`e`", "*f*", "[g](h)", "\n", " ", "***", "<i>", "k"])))
def test_it_is_one_line_of_words_that_stood_in_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    found = plain(text)

    assert found == " ".join(found.split())
    left = iter(text)
    assert all(letter in left for letter in found if letter.isalpha())


@pytest.mark.parametrize("piece", ["[", "*a ", "![](", "`", "<a ", "|a|\n", "> ", "&#", "[a][", "- ", "_"])
def test_no_passage_takes_long(piece: str) -> None:
    began = time.perf_counter()
    plain(piece * MAX_CHARACTERS)

    assert time.perf_counter() - began < 1


def test_a_snippet_is_plain_and_its_marks_stand_on_what_was_found() -> None:
    text = (
        "## Price\n\n"
        + "Filler of **words**. " * 30
        + "\n\n| Plan | A [thousand](/x) teams |\n|---|---|\n| Solo | 9 |\n"
    )
    snippet, marks = cut(text, {"thousand", "team"})

    assert "**" not in snippet
    assert "|" not in snippet
    assert [snippet[a:b] for a, b in marks] == ["thousand", "teams"]
    assert snippet.startswith("…")
    assert len(snippet) <= LENGTH


def test_a_passage_of_marks_alone_is_shown_as_it_was_typed() -> None:
    assert cut("* * *\n", set()) == ("* * *", ())
