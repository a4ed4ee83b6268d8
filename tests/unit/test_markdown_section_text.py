"""One section as it is edited: its heading with it, and all around it untouched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cast import PLAN
from workspace.markdown import sections
from workspace.markdown.section_text import cut

lines = st.sampled_from(["# A", "## B", "### C", "text", "", "- item", "```", "# A #", "Title", "===", "a\r\n"])


def test_a_section_has_its_heading_and_what_is_under_it() -> None:
    held = cut(PLAN, "goals")
    assert held.section.startswith("## Goals\n\nWe want")
    assert held.section.endswith("within an hour.\n")
    assert held.after.startswith("\n## Risks")


def test_another_text_takes_its_place_and_nothing_else_moves() -> None:
    held = cut(PLAN, "goals")
    assert held.put("## Aims\n\nFew.\n\n\n") == held.before + "## Aims\n\nFew.\n" + held.after


def test_an_emptied_section_is_gone() -> None:
    assert cut(PLAN, "goals").put(" \n") == PLAN.replace(cut(PLAN, "goals").section + "\n", "")


def test_the_last_line_stays_without_an_end_where_it_had_none() -> None:
    assert cut("# A\n\nx", "a").put("# A\n\ny\n") == "# A\n\ny"


def test_line_ends_stay_those_of_the_document() -> None:
    text = PLAN.replace("\n", "\r\n")
    assert cut(text, "goals").put("## Goals\n\nFew.") == (
        cut(text, "goals").before + "## Goals\r\n\r\nFew.\r\n" + cut(text, "goals").after
    )


def test_no_such_section_is_told() -> None:
    with pytest.raises(sections.SectionError):
        cut(PLAN, "none")


@given(st.lists(lines).map("\n".join))
def test_putting_back_what_was_cut_changes_nothing(text: str) -> None:
    for section in sections.outline(text):
        held = cut(text, section.anchor)
        assert held.put(held.section) == text
        assert held.put(held.section.replace("\r\n", "\n")) == text
