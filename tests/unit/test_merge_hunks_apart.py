"""Places that can be settled apart are hunks of their own, and each says where it lies in all three texts."""

import pytest

from workspace.merge import Hunk, merge, resolve
from workspace.merge.lines import split

PARAGRAPHS = "".join(f"Paragraph {n} says it as it was.\n\n" for n in range(4))
ITEMS = "".join(f"- item {n} says it as it was\n" for n in range(4))
ROWS = "| a | b |\n|---|---|\n" + "".join(f"| {n} | as it was |\n" for n in range(4))


def sides(base: str) -> tuple[str, str, str]:
    return base, base.replace("as it was", "as they say"), base.replace("as it was", "as I say")


@pytest.mark.parametrize("base", [PARAGRAPHS, ITEMS, ROWS], ids=["paragraphs", "items", "rows"])
def test_neighbouring_blocks_that_both_sides_reworded_are_settled_one_by_one(base: str) -> None:
    merged = merge(*sides(base))
    assert len(merged.hunks) == 4
    got = resolve(merged, ["mine", "theirs", "base", "mine"])
    said = [line.partition("as ")[2].split(" |")[0].rstrip(".\n") for line in got.splitlines() if "as " in line]
    assert said == ["I say", "they say", "it was", "I say"]


@pytest.mark.parametrize("base", [PARAGRAPHS, ITEMS, ROWS], ids=["paragraphs", "items", "rows"])
def test_all_of_one_side_is_that_side(base: str) -> None:
    _, theirs, mine = sides(base)
    merged = merge(base, theirs, mine)
    for choice, text in (("mine", mine), ("theirs", theirs), ("base", base)):
        assert resolve(merged, [choice] * len(merged.hunks)) == text


def test_lines_of_code_stay_together() -> None:
    code = "```py\n" + "".join(f"x{n} = as it was\n" for n in range(4)) + "```\n"
    assert len(merge(*sides(code)).hunks) == 1


@pytest.mark.parametrize("base", [PARAGRAPHS, ITEMS, ROWS], ids=["paragraphs", "items", "rows"])
def test_a_hunk_says_which_lines_it_is_about(base: str) -> None:
    texts = sides(base)

    def spans(hunk: Hunk) -> list[str]:
        lines = zip(texts, (hunk.base_lines, hunk.theirs_lines, hunk.mine_lines), strict=True)
        return ["".join(split(text)[span[0] - 1 : span[1]]) if span else "" for text, span in lines]

    for hunk in merge(*texts).hunks:
        assert spans(hunk) == [hunk.base, hunk.theirs, hunk.mine]
