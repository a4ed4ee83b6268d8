"""History in Chromium: who wrote a sentence by a click and by key, changes by keys, and what fits a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.cast import Cast
from tests.web.browser import CONTRAST, LOCATION, Enter, enter
from workspace.queries import documents
from workspace.services import documents as services

__all__ = ["enter"]


@pytest.fixture
def told(enter: Enter, committed_cast: Cast) -> str:
    """A history with an agent's edit and a merge; the first version of it."""
    cast = committed_cast
    first = documents.read(cast.bob, location=LOCATION).commit
    services.substitute(
        cast.rover,
        location=LOCATION,
        old_string="a thousand teams",
        new_string="two thousand teams",
        message="Aim higher",
        reason="The pilot went well",
    )
    base = services.append(cast.alice, location=LOCATION, content="\n- one item of the list").commit
    services.append(cast.bob, location=LOCATION, content="- bob adds a desk", message="Add a desk")
    text = documents.read(cast.bob, location=LOCATION, at=base).content
    services.edit(
        cast.scout,
        location=LOCATION,
        content=text.replace("March. Everybody", "March.\nEverybody") + "- scout adds a chair\n",
        expected_commit=base,
        on_conflict="merge",
        message="Add a chair",
    )
    return first


def test_a_click_into_a_sentence_tells_who_wrote_it_and_why(enter: Enter, told: str) -> None:
    page = enter("carol")
    page.goto(f"/d/{LOCATION}")
    page.wait_for_load_state("networkidle")
    words = page.get_by_text("Support answers within an hour")
    words.click(position={"x": 120, "y": 8})
    who = page.locator("#who")
    expect(who.locator(".who-quote")).to_contain_text("two thousand teams")
    expect(who).to_contain_text("The pilot went well")
    who.get_by_role("button", name="Next").click()
    expect(who.locator(".who-quote")).to_have_text("Support answers within an hour.")
    expect(who).not_to_contain_text("The pilot went well")
    page.keyboard.press("Escape")
    expect(who).to_be_hidden()


@pytest.mark.parametrize(
    ("beside", "quoted"),
    [
        ("S", "Support answers within an hour."),
        ("wi", "Support answers within an hour."),
        ("hour", "Support answers within an hour."),
        ("month", "We want two thousand teams in the first month."),
        ("first", "We want two thousand teams in the first month."),
    ],
)
def test_a_click_is_about_the_sentence_under_it(enter: Enter, told: str, beside: str, quoted: str) -> None:
    page = enter("carol")
    page.goto(f"/d/{LOCATION}")
    page.wait_for_load_state("networkidle")
    # The last letter of these words, on its right half.
    at = page.get_by_text("Support answers within an hour").evaluate(
        """(block, words) => {
          const text = [...block.childNodes].find((node) => node.data?.includes(words));
          const end = text.data.indexOf(words) + words.length;
          const range = document.createRange();
          range.setStart(text, end - 1);
          range.setEnd(text, end);
          const box = range.getBoundingClientRect();
          return [box.right - box.width / 4, box.top + box.height / 2];
        }""",
        beside,
    )
    page.mouse.click(*at)
    expect(page.locator("#who .who-quote")).to_have_text(quoted)


def test_the_key_w_tells_of_the_sentence_at_the_top_and_the_keyboard_goes_on(enter: Enter, told: str) -> None:
    page = enter("carol")
    page.goto(f"/d/{LOCATION}")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("w")
    who = page.locator("#who")
    expect(who.locator(".who-quote")).to_have_text("# Launch plan")
    who.get_by_role("button", name="Next").press("Enter")
    expect(who.locator(".who-quote")).to_contain_text("The launch is on the second of March.")


def test_changes_are_gone_through_by_j_and_k(enter: Enter, told: str) -> None:
    page = enter("carol")
    page.goto(f"/diff/{LOCATION}?from={told}")
    said = page.locator("[data-change-words]")
    page.keyboard.press("j")
    expect(said).to_have_text(re.compile(r"1 of \d"))
    expect(page.locator("[data-change]").first).to_be_focused()
    page.keyboard.press("k")
    expect(said).to_have_text(re.compile(r"1 of \d"))


def addresses(first: str) -> tuple[str, ...]:
    return (
        f"/history/{LOCATION}",
        f"/diff/{LOCATION}?from={first}&view=side",
        f"/diff/{LOCATION}?from={first}&view=inline",
        f"/blame/{LOCATION}?view=sentence",
        f"/restore-section/{LOCATION}?commit={first}",
    )


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_no_page_of_the_history_scrolls_sideways(enter: Enter, told: str, width: int) -> None:
    page = enter("alice", viewport={"width": width, "height": 800})
    for address in addresses(told):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.goto(f"/d/{LOCATION}")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("w")
    expect(page.locator("#who")).to_be_visible()
    box = page.evaluate("(({ left, right }) => [left, right])(document.querySelector('#who').getBoundingClientRect())")
    assert box[0] >= 0
    assert box[1] <= page.evaluate("document.documentElement.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_history_has_the_contrast_of_aa(enter: Enter, told: str, scheme: str) -> None:
    page = enter("alice", color_scheme=scheme, reduced_motion="reduce")
    for address in addresses(told):
        page.goto(address)
        assert page.evaluate(CONTRAST) == [], address
    page.goto(f"/d/{LOCATION}")
    page.keyboard.press("w")
    expect(page.locator("#who")).to_be_visible()
    assert page.evaluate(CONTRAST) == []


def test_a_phone_shows_who_wrote_each_line_and_which_page_it_is_on(enter: Enter, told: str) -> None:
    page = enter("alice", viewport={"width": 360, "height": 740})
    page.goto(f"/blame/{LOCATION}")
    expect(page.locator(".blame-who .mark").first).to_be_visible()
    page.goto(f"/diff/{LOCATION}?from={told}&view=inline")
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.95)
    page.goto(f"/history/{LOCATION}")
    heads = [head.bounding_box() for head in page.locator(".pick-head span").all()]
    picks = [pick.bounding_box() for pick in page.locator(".moment").first.locator(".pick label").all()]
    for head, pick in zip(heads, picks, strict=True):
        assert head
        assert pick
        assert abs(head["x"] + head["width"] / 2 - pick["x"] - pick["width"] / 2) < 6


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("diff/product/launch/ar.md?view=side", ".diff td.ins:not(.ln)"),
        ("diff/product/launch/ar.md?view=inline", ".diff td.ins:not(.ln, .sg)"),
        ("blame/product/launch/ar.md", ".source #L3 td:last-child"),
        ("blame/product/launch/ar.md?view=sentence", ".said-text >> nth=1"),
    ],
)
def test_words_run_in_their_own_direction(enter: Enter, committed_cast: Cast, address: str, text: str) -> None:
    cast = committed_cast
    base = "# Plan\n\nيبدأ الإطلاق في الثاني.\n"
    first = services.create(cast.bob, location="product/launch/ar.md", content=base).commit
    services.edit(
        cast.alice,
        location="product/launch/ar.md",
        content=base.replace("يبدأ الإطلاق في الثاني", "ينتهي كل شيء غدا"),
        expected_commit=first,
    )
    page = enter("bob", viewport={"width": 1280, "height": 800})
    page.goto(f"/{address}")
    # The first letter stands at the right edge of its box, but for the padding.
    away = """(box) => { const words = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode();
        const range = document.createRange(); range.setStart(words, 0); range.setEnd(words, 1);
        return box.getBoundingClientRect().right - range.getBoundingClientRect().right; }"""
    assert page.locator(text).first.evaluate(away) < 24
