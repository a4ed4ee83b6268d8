"""Where in the result lie the hunks that somebody chose for, and what the merge settled itself."""

from workspace.merge import decided, merge, places, resolve

SHOP = "The shop opens early on Monday. The crates arrive at dawn. Our van leaves late on Friday."
BASE = f"# Plan\n\nOne is here.\n\n- a\n- b\n\n{SHOP}\n\nFour is here.\n"
HEAD = BASE.replace("One is", "One was").replace("- b\n", "- b\n- c\n").replace("early", "at seven")
MINE = BASE.replace("One is", "One will be").replace("- b\n", "- b\n- d\n").replace("late", "before noon")


def lines_of(text: str, first: int, last: int) -> list[str]:
    return text.splitlines()[first - 1 : last]


def test_decisions_beside_a_conflict_have_the_lines_that_the_choice_gives_them() -> None:
    merged = merge(BASE, HEAD, MINE)
    assert len(merged.hunks) == 1
    assert [decision.lines for decision in merged.decisions] == [None, None]
    for choice in ("mine", "both", {"text": ""}, {"text": "x\n\ny"}):
        text = resolve(merged, [choice])
        of_list, of_paragraph = (decision.lines or (0, 0) for decision in decided(merged, [choice]))
        assert {"- c", "- d"} <= set(lines_of(text, *of_list))
        both = SHOP.replace("early", "at seven").replace("late", "before noon")
        assert both in lines_of(text, *of_paragraph)


def test_a_hunk_lies_where_its_choice_is() -> None:
    merged = merge(BASE, HEAD, MINE)
    assert places(merged, ["mine"]) == ((3, 3),)
    assert places(merged, ["both"]) == ((3, 4),)
    assert places(merged, [{"text": ""}]) == (None,)


def test_a_clean_merge_says_the_same_without_choices() -> None:
    merged = merge(BASE, HEAD.replace("One was", "One is"), MINE)
    assert merged.text is not None
    assert decided(merged, []) == merged.decisions
