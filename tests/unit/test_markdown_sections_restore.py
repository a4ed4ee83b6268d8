"""One section of an earlier text, put back into a later one."""

import pytest

from workspace.markdown.sections import SectionError, restore

OLD = "# Plan\n\nIntro.\n\n## Goals\n\nA thousand teams.\n\n### Later\n\nMore.\n\n## Risks\n\nNone.\n"


def test_the_section_is_as_it_was_and_the_rest_stays():
    now = OLD.replace("A thousand", "Two thousand").replace("More.", "Less.").replace("None.", "Many.")
    assert restore(now, OLD, "Goals") == OLD.replace("None.", "Many.")
    assert restore(now, OLD, "Later") == now.replace("Less.", "More.")


def test_a_section_that_is_gone_comes_back_where_it_stood():
    goals = "## Goals\n\nA thousand teams.\n\n### Later\n\nMore.\n\n"
    assert restore(OLD.replace(goals, ""), OLD, "Goals") == OLD
    assert restore(OLD.replace("### Later\n\nMore.\n\n", ""), OLD, "Later") == OLD
    assert restore(OLD.replace("## Risks\n\nNone.\n", ""), OLD, "Risks") == OLD
    assert restore("Another text", OLD, "Risks") == "Another text\n\n## Risks\n\nNone.\n"
    assert restore("", OLD, "Risks") == "## Risks\n\nNone.\n"


def test_what_follows_keeps_its_own_line_endings():
    now = "# Plan\r\n\r\n## Goals\r\n\r\nOther.\r\n"
    assert restore(now, "## Goals\n\nOne.\n", "Goals") == now + "\r\n## Goals\r\n\r\nOne.\r\n"
    assert restore(now, OLD.replace("### Later\n\nMore.\n\n", ""), "Goals") == now.replace("Other", "A thousand teams")


def test_no_such_section_and_several_are_told():
    with pytest.raises(SectionError, match="no section"):
        restore(OLD, OLD, "Nowhere")
    with pytest.raises(SectionError, match="2 sections"):
        restore(OLD + "\n## Risks\n\nAgain.\n", OLD, "Risks")
