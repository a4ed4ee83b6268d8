"""A person's choices made into one text."""

import pytest

from workspace.merge import ChoiceError, merge, resolve

BASE = "top\n\none\n\nmiddle\n\ntwo\n\nend\n"


@pytest.fixture
def merged():
    head = BASE.replace("one", "one by bob").replace("two", "two by bob")
    incoming = BASE.replace("one", "one by scout").replace("two", "two by scout")
    return merge(BASE, head, incoming)


def test_each_hunk_takes_its_own_choice(merged):
    assert resolve(merged, ["mine", "theirs"]) == BASE.replace("one", "one by scout").replace("two", "two by bob")


def test_both_puts_theirs_before_mine(merged):
    assert "one by bob\none by scout\n" in resolve(merged, ["both", "base"])


def test_base_takes_neither_change(merged):
    assert resolve(merged, ["base", "base"]) == BASE


def test_other_words_take_the_place_of_the_hunk(merged):
    text = resolve(merged, [{"text": "one by both"}, {"text": ""}])
    assert text == BASE.replace("one", "one by both").replace("two\n", "")


def test_other_words_get_the_line_ending_of_the_document():
    merged = merge("a\r\nx\r\nc\r\n", "a\r\ny\r\nc\r\n", "a\r\nz\r\nc\r\n")
    assert resolve(merged, [{"text": "p\nq"}]) == "a\r\np\r\nq\r\nc\r\n"


@pytest.mark.parametrize("choices", [[], ["mine"], ["mine"] * 3, "mine", {"text": "x"}])
def test_a_wrong_number_of_choices_is_refused(merged, choices):
    with pytest.raises(ChoiceError, match=r"one choice per hunk \(2\)") as refused:
        resolve(merged, choices)
    assert refused.value.index is None


@pytest.mark.parametrize(
    "choice", ["yours", "", None, 1, {}, {"text": 1}, {"text": "x", "also": "y"}, {"side": "mine"}, ["mine"]]
)
def test_an_unknown_choice_is_refused_by_its_index(merged, choice):
    with pytest.raises(ChoiceError, match=r'Choice 1 is .*Allowed: "mine", "theirs", "both", "base"') as refused:
        resolve(merged, ["mine", choice])
    assert refused.value.index == 1
    assert isinstance(refused.value, ValueError)
