"""The handoff page grows without touching what people wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.digest.handoff import EXPLANATION, generated, weave
from workspace.digest.summary import SECTIONS, TITLES, SummaryLine
from workspace.markdown import lines as text_lines
from workspace.markdown import sections


def line(section: str, text: str, source: str = "cap_1") -> SummaryLine:
    return SummaryLine(section=section, text=text, source=source)


MOVE = line("asked", "Move the launch.")
FLAG = line("decided", "Keep the flag.")
TELL = line("open", "Tell the printers.")
NEWER = line("decided", "Support is trained.", "cap_2")


def test_an_empty_page_gets_a_title_an_explanation_and_the_sections_that_have_lines() -> None:
    assert weave("", [], [MOVE, FLAG, TELL], "launch") == (
        f"# Handoff: launch\n\n{EXPLANATION}\n\n"
        "## Asked\n\n- Move the launch. ([cap_1](/captures/cap_1))\n\n"
        "## Decided\n\n- Keep the flag. ([cap_1](/captures/cap_1))\n\n"
        "## Open\n\n- Tell the printers. ([cap_1](/captures/cap_1))\n"
    )


def test_generated_lines_are_those_of_the_page() -> None:
    assert generated([FLAG]) == ["- Keep the flag. ([cap_1](/captures/cap_1))"]


def test_nothing_to_say_changes_nothing() -> None:
    assert weave("", [], [], "launch") == ""
    assert weave("Bob was here", [], [], "launch") == "Bob was here"


def test_new_lines_come_at_the_end_of_their_list() -> None:
    page = weave("", [], [FLAG, TELL], "launch")
    woven = weave(page, generated([FLAG, TELL]), [NEWER, FLAG, TELL], "launch")
    assert woven == page.replace(
        "cap_1))\n\n## Open", "cap_1))\n- Support is trained. ([cap_2](/captures/cap_2))\n\n## Open"
    )


def test_the_page_is_the_same_however_often_it_was_woven_meanwhile() -> None:
    at_once = weave("", [], [NEWER, FLAG, TELL], "launch")
    step = weave("", [], [FLAG, TELL], "launch")
    assert weave(step, generated([FLAG, TELL]), [NEWER, FLAG, TELL], "launch") == at_once


def test_a_missing_section_comes_in_order_and_after_what_people_wrote() -> None:
    page = "Intro by Bob.\n\n## Open\n\n- Bob's point\n\n## Bob's notes\n\nText"
    woven = weave(page, [], [FLAG, TELL, MOVE], "launch")
    titles = [section.title for section in sections.outline(woven)]
    assert titles == ["Asked", "Decided", "Open", "Bob's notes"]
    assert "- Bob's point\n- Tell the printers. ([cap_1](/captures/cap_1))\n\n## Bob's notes\n\nText" in woven
    last = weave("# Page\n\n## Asked\n\nBob's text", [], [TELL], "launch")
    assert last == "# Page\n\n## Asked\n\nBob's text\n\n## Open\n\n- Tell the printers. ([cap_1](/captures/cap_1))\n"


def test_a_line_that_is_no_longer_wanted_goes_and_nothing_else() -> None:
    page = weave("", [], [MOVE, FLAG, TELL], "launch") + "Bob: keep this.\n"
    woven = weave(page, generated([MOVE, FLAG, TELL]), [MOVE, TELL], "launch")
    assert woven == page.replace("- Keep the flag. ([cap_1](/captures/cap_1))\n", "")


def test_an_edited_line_is_the_persons() -> None:
    page = weave("", [], [FLAG, TELL], "launch").replace("Keep the flag.", "Keep the flag till May.")
    assert weave(page, generated([FLAG, TELL]), [FLAG, TELL], "launch") == page
    assert weave(page, generated([FLAG, TELL]), [TELL], "launch") == page


def test_a_deleted_line_stays_deleted_until_a_capture_says_something_new() -> None:
    page = weave("", [], [FLAG, TELL], "launch").replace("- Keep the flag. ([cap_1](/captures/cap_1))\n", "")
    assert weave(page, generated([FLAG, TELL]), [FLAG, TELL], "launch") == page
    again = line("decided", "Keep the flag.", "cap_2")
    assert "cap_2" in weave(page, generated([FLAG, TELL]), [again, FLAG, TELL], "launch")


def test_a_line_that_was_never_woven_is_not_taken_away() -> None:
    mine = "## Decided\n\n- Keep the flag. ([cap_1](/captures/cap_1))\n"
    assert weave(mine, [], [], "launch") == mine
    assert weave(mine, [], [FLAG], "launch") == mine


def test_a_section_of_the_second_level_is_taken_before_others_of_its_name() -> None:
    page = "# Notes\n\n### Open\n\n- Bob's\n\n## Open\n\n- Carol's\n"
    assert weave(page, [], [TELL], "launch") == page + "- Tell the printers. ([cap_1](/captures/cap_1))\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_ends_of_the_page_are_used(end: str) -> None:
    page = "## Decided\n\n- Bob's\n\nText".replace("\n", end)
    woven = weave(page, [], [FLAG, TELL], "launch")
    assert text_lines.normalise(woven).replace("\n", end) == woven
    assert "- Bob's" + end + "- Keep the flag." in woven


@pytest.mark.parametrize("tail", ["```\nopen fence", "~~~~\nx\n```\n", "<!-- open comment", "<script>\nopen"])
def test_what_nobody_closed_does_not_swallow_the_lines(tail: str) -> None:
    for page in (f"Text\n\n{tail}", f"## Asked\n\n{tail}", f"# Page\n\n- a\n\n{tail}"):
        woven = weave(page, [], [MOVE, FLAG], "launch")
        assert {"Asked", "Decided"} <= {section.title for section in sections.outline(woven)}
        assert woven.rstrip("\n").endswith(tail.rstrip("\n"))
        assert weave(woven, generated([MOVE, FLAG]), [MOVE, FLAG], "launch") == woven


@pytest.mark.parametrize(
    "text",
    [
        "# heading",
        "> quote",
        "- item",
        "1. first",
        "2) second",
        "[ ] task",
        "***",
        "```",
        "---",
        "a\nb",
        "| a |",
        "====",
    ],
)
def test_no_text_becomes_another_block(text: str) -> None:
    woven = weave("", [], [line("decided", text), TELL], "launch")
    assert [section.title for section in sections.outline(woven)] == ["Handoff: launch", "Decided", "Open"]
    assert text_lines.count(woven) == 11
    assert generated([line("decided", text)])[0] in woven.split("\n")


PAGE_LINE = st.sampled_from(
    [
        "## Asked",
        "## Decided",
        "# Open",
        "Open\n====",
        "- mine",
        "  - nested",
        "text",
        "",
        "```",
        "<div>",
        "<!--",
        "-->",
        "1. a",
        "> q",
        "* other",
        "\t",
        "## Notes",
        *generated([MOVE, FLAG, NEWER]),
    ]
)
LINES = st.lists(
    st.builds(
        line,
        st.sampled_from(SECTIONS),
        st.sampled_from(["Move the launch.", "Keep the flag.", "# x", "Tell `them` [all", "漢字"]),
        st.sampled_from(["cap_1", "cap_2"]),
    ),
    max_size=6,
)


@LAW
@given(
    st.lists(PAGE_LINE, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    LINES,
    LINES,
)
def test_weaving_adds_and_takes_generated_lines_only(
    page_lines: list[str], end: str, final: bool, before: list[SummaryLine], after: list[SummaryLine]
) -> None:
    page = end.join(page_lines) + (end if final and page_lines else "")
    previous, wanted = generated(before), generated(after)
    woven = weave(page, previous, after, "launch")
    assert weave(woven, previous, after, "launch") == woven
    assert weave(woven, wanted, after, "launch") == woven
    gone = set(previous) - set(wanted)
    kept = [each for each in text_lines.split(page) if text_lines.bare(each) not in gone]
    # What is left of the page is in the new one, in order, byte for byte but for a line end at its very end.
    rest = iter(text_lines.split(woven))
    if "".join(kept).strip():
        for index, each in enumerate(kept):
            last = index == len(kept) - 1
            assert any(other == each or (last and text_lines.bare(other) == each) for other in rest), each
    standing = {text_lines.bare(each) for each in text_lines.split(woven)}
    assert not standing & gone
    assert {each for each in wanted if each not in previous} <= standing
    headings = {f"## {title}" for title in TITLES.values()}
    added = standing - {text_lines.bare(each) for each in kept} - headings - set(wanted)
    assert added <= {"", "# Handoff: launch", EXPLANATION}
