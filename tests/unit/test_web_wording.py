"""Marking what a text changed, word by word."""

import re
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from workspace.merge.hunks import Decision, Kind, Rule
from workspace.web.rules import RULES
from workspace.web.settled import KINDS, by_itself
from workspace.web.wording import against

TEXTS = st.text(st.sampled_from("ab <&\n-é한"), max_size=60)


def test_a_changed_phrase_is_one_change() -> None:
    assert against("We want a thousand teams.\n", "We want nine hundred teams.\n") == (
        "We want <del>a thousand</del><ins>nine hundred</ins> teams."
    )


def test_a_paragraph_that_is_only_filled_anew_is_unmarked() -> None:
    assert against("one two three\nfour\n", "one two\nthree four\n") == "one two\nthree four"


def test_parting_a_paragraph_is_kept_as_it_is() -> None:
    assert against("one. two.", "one.\n\ntwo.").replace("<ins>", "").replace("</ins>", "") == "one.\n\ntwo."


def test_markup_of_a_text_is_text() -> None:
    assert against("a", "a <b>") == "a<ins> &lt;b&gt;</ins>"


@given(TEXTS, TEXTS)
def test_without_the_marks_it_is_the_text(base: str, text: str) -> None:
    shown = re.sub(r"<del>.*?</del>|</?ins>", "", str(against(base, text)), flags=re.DOTALL)
    whole = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert whole == text.rstrip("\n")


def test_every_kind_and_every_rule_has_words() -> None:
    assert set(KINDS) == set(get_args(Kind.__value__))
    assert set(RULES) == set(get_args(Rule.__value__))


def test_decisions_are_told_rule_by_rule_with_their_lines() -> None:
    found = by_itself(
        [
            Decision(rule="sentences", lines=(4, 5)),
            Decision(rule="union", lines=None),
            Decision(rule="sentences", lines=(9, 9)),
        ]
    )
    assert [(rule.words, rule.lines) for rule in found] == [
        ("different sentences of one paragraph", "lines 4-5, 9"),
        ("both added to one list or table, and both additions are kept", ""),
    ]
