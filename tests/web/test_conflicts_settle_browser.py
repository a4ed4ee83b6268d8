"""Settling a conflict in Chromium: by keys, without script, together with somebody else, on every width."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.cast import PLAN, Cast
from tests.web.browser import CONTRAST, LOCATION, Enter, enter, sign_in
from workspace.queries import documents
from workspace.services import documents as services

__all__ = ["enter"]

LIST = "\n## Steps\n\nShip the sensor and the stand on Monday, then write to every pilot who asked for it in spring.\n"
BASE = PLAN + LIST
THEIRS = (
    BASE.replace("a thousand", "nine hundred").replace("a progress bar", "a queue").replace("on Monday", "on Tuesday")
)
MINE = BASE.replace("a thousand", "two thousand").replace("a progress bar", "a pause").replace("in spring", "in autumn")
LATE = "The launch is late. Everybody knows their part.\n"
LOST = "Nobody works on Mondays, and whoever is on call has to be told on Friday."


@pytest.fixture
def conflict(enter: Enter, committed_cast: Cast) -> str:
    """Three places: two sentences that scout and bob changed differently, and one where their words are apart."""
    cast = committed_cast
    first = documents.read(cast.bob, location=LOCATION).commit
    services.edit(cast.bob, location=LOCATION, content=BASE, expected_commit=first)
    base = documents.read(cast.bob, location=LOCATION).commit
    services.edit(cast.scout, location=LOCATION, content=THEIRS, expected_commit=base, message="As counted")
    kept = services.edit(cast.bob, location=LOCATION, content=MINE, expected_commit=base, message="As hoped")
    return f"/conflicts/{kept.conflict}"  # type: ignore[union-attr]


def text(cast: Cast) -> str:
    return documents.read(cast.bob, location=LOCATION).content


def opened(page: Page, conflict: str) -> Page:
    page.goto(conflict)
    expect(page.locator("#result [data-spans]")).to_be_visible()
    expect(page.locator("[data-current]")).to_have_count(1)  # the script has a place in hand, so it hears keys
    return page


def test_a_conflict_is_settled_by_keys_alone(enter: Enter, committed_cast: Cast, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    expect(page.locator("[data-progress]")).to_have_text("0 of 3 decided")
    page.keyboard.press("1")
    expect(page.locator("#place-2")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#place-3")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#place-2")).to_be_focused()
    page.keyboard.press("3")
    page.keyboard.press("5")
    expect(page.locator("[data-progress]")).to_have_text("All decided")
    expect(page.locator("#result")).to_contain_text("on Tuesday, then write to every pilot who asked for it in autumn")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/d/{LOCATION}")
    saved = text(committed_cast)
    assert "two thousand" in saved
    assert saved.index("a queue") < saved.index("a pause")
    assert "on Tuesday" in saved
    assert "in autumn" in saved


def test_choices_are_taken_back_one_by_one(enter: Enter, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    page.keyboard.press("1")
    page.keyboard.press("k")
    page.keyboard.press("2")
    page.keyboard.press("e")
    own = page.locator("#text-0")
    expect(own).to_be_focused()
    expect(own).to_have_value("We want nine hundred teams in the first month. Support answers within an hour.\n")
    own.press("Control+Home")
    page.keyboard.type("j and 1 are words here. ")
    page.keyboard.press("Escape")
    expect(page.locator("#place-1")).to_be_focused()
    expect(page.locator("#result")).to_contain_text("j and 1 are words here. We want nine hundred")
    for left in ("text", "text", "theirs", "mine"):  # first what was typed, then that it was
        expect(page.locator("#place-1 :checked")).to_have_value(left)
        page.keyboard.press("u")
    expect(page.locator("#place-1 :checked")).to_have_count(0)
    expect(page.locator("[data-undo]")).to_be_disabled()
    expect(page.locator("[data-progress]")).to_have_text("0 of 3 decided")


def test_an_answer_to_older_choices_does_not_make_the_browser_forget_newer_ones(enter: Enter, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    held: list[Route] = []
    page.route("**/preview", lambda route: held.append(route) if len(held) < 2 else route.continue_())
    with page.expect_request("**/preview"):
        page.keyboard.press("2")
    page.keyboard.press("2")
    expect(page.locator("[data-progress]")).to_have_text("2 of 3 decided")
    with page.expect_request("**/preview"):  # the newer choices wait for the answer to the older ones
        held[0].continue_()
    # Neither they nor the farewell of the page reach the server.
    page.route("**/choices", lambda route: route.abort())
    page.evaluate("navigator.sendBeacon = () => true")
    page.reload()
    expect(page.locator("[data-progress]")).to_have_text("2 of 3 decided")


def test_choices_survive_a_reload_and_another_device(enter: Enter, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    page.keyboard.press("2")
    page.keyboard.press("e")
    page.locator("#text-1").fill("A line of mine.")
    page.reload()
    other = opened(enter("bob"), conflict)
    for tab in (page, other):
        expect(tab.locator("[data-progress]")).to_have_text("2 of 3 decided")
        expect(tab.locator("#place-1 :checked")).to_have_value("theirs")
        expect(tab.locator("#text-1")).to_have_value("A line of mine.")


def test_somebody_else_at_it_is_seen_and_what_they_saved_is_told(
    enter: Enter, committed_cast: Cast, conflict: str
) -> None:
    bob, alice = opened(enter("bob"), conflict), opened(enter("alice"), conflict)
    expect(alice.locator("[data-presence]")).to_contain_text("Bob is settling this too")
    for key in "111":
        bob.keyboard.press(key)
    bob.get_by_role("button", name="Save the result").click()
    bob.wait_for_url(f"**/d/{LOCATION}")
    alice.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(alice.locator("[data-presence]")).to_contain_text("This is resolved already")


def test_saving_leads_to_what_is_undecided(enter: Enter, committed_cast: Cast, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.get_by_role("button", name="Save the result").click()
    expect(page.locator("#place-2")).to_be_focused()
    assert text(committed_cast) == THEIRS


def test_a_moved_document_keeps_what_fits(enter: Enter, committed_cast: Cast, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    for key in "111":
        page.keyboard.press(key)
    head = documents.read(committed_cast.alice, location=LOCATION).commit
    later = THEIRS.replace("nine hundred", "eight hundred")
    services.edit(committed_cast.alice, location=LOCATION, content=later, expected_commit=head)
    page.get_by_role("button", name="Save the result").click()
    expect(page.get_by_role("alert")).to_contain_text("The document changed while you decided")
    expect(page.locator("[data-progress]")).to_have_text("2 of 3 decided")
    expect(page.locator("[data-current]")).to_have_count(1)
    page.keyboard.press("2")
    page.get_by_role("button", name="Save the result").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    assert "eight hundred" in text(committed_cast)
    assert "a pause" in text(committed_cast)


def test_it_is_a_plain_form_without_script(enter: Enter, committed_cast: Cast, conflict: str) -> None:
    page = enter("bob", java_script_enabled=False)
    page.goto(conflict)
    page.locator("#place-1 input[value=mine]").check()
    page.get_by_role("button", name="Save the result").click()
    expect(page.get_by_role("alert")).to_contain_text("Still to be decided: 2, 3.")
    page.locator("#place-2 input[value=text]").check()
    page.locator("#text-1").fill("The import is quick.")
    page.locator("#place-3 input[value=suggestion]").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#result")).to_contain_text("The import is quick.")
    expect(page.locator("#place-3 input[value=suggestion]")).to_be_checked()
    page.get_by_role("button", name="Save the result").click()
    expect(page.locator("article")).to_contain_text("two thousand teams")
    assert "The import is quick.\n" in text(committed_cast)


@pytest.fixture
def grown(enter: Enter, committed_cast: Cast) -> str:
    """Scout changed what bob changes, and put a line after it."""
    cast = committed_cast
    base = documents.read(cast.bob, location=LOCATION).commit
    theirs = PLAN.replace("second", "third").replace("their part.\n", f"their part.\n{LOST}\n")
    services.edit(cast.scout, location=LOCATION, content=theirs, expected_commit=base)
    kept = services.edit(cast.bob, location=LOCATION, content=PLAN.replace("second", "fourth"), expected_commit=base)
    return f"/conflicts/{kept.conflict}"  # type: ignore[union-attr]


def test_words_that_leave_out_a_line_are_confirmed_by_keys_alone(
    enter: Enter, committed_cast: Cast, grown: str
) -> None:
    page = opened(enter("bob"), grown)
    page.keyboard.press("e")
    page.locator("#text-0").fill(LATE)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text(LOST)
    expect(page.locator("#text-0")).to_have_value(LATE)
    expect(page.get_by_role("checkbox")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/d/{LOCATION}")
    assert LATE in text(committed_cast)
    assert LOST not in text(committed_cast)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_asked_without_script_fits_every_width_and_is_legible(
    enter: Enter, committed_cast: Cast, grown: str, scheme: str
) -> None:
    page = enter("bob", java_script_enabled=False, color_scheme=scheme)
    page.goto(grown)
    page.locator("#place-1 input[value=text]").check()
    page.locator("#text-0").fill(LATE)
    page.get_by_role("button", name="Save the result").click()
    expect(page.get_by_role("alert").get_by_role("listitem")).to_have_text([LOST])
    expect(page.locator("#text-0")).to_have_value(LATE)
    for width in (320, 360, 720, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert page.evaluate(CONTRAST) == []
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Save the result").click()
    expect(page.locator("article")).to_contain_text("The launch is late.")


def test_the_help_lists_the_keys(enter: Enter, conflict: str) -> None:
    page = opened(enter("bob"), conflict)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("own words, take back")
    page.keyboard.press("1")
    expect(page.locator("[data-progress]")).to_have_text("0 of 3 decided")


ASKEW = """() => {
  const middle = (selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return (top + bottom) / 2;
  };
  return Math.abs(middle(".settle-bar [data-progress]") - middle(".settle-bar progress"));
}"""
"""Pixels by which the words of the progress stand beside its bar."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_width_and_is_legible(enter: Enter, conflict: str, scheme: str) -> None:
    page = enter("bob", color_scheme=scheme, reduced_motion="reduce")
    for width in (320, 360, 720, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        opened(page, conflict)
        page.keyboard.press("1")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate(ASKEW) < 2, width
        page.goto("/conflicts")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    opened(page, conflict)
    assert page.evaluate(CONTRAST) == []


def test_choices_outlive_the_session_and_are_saved_after_signing_in_again(
    enter: Enter, committed_cast: Cast, conflict: str
) -> None:
    page = opened(enter("bob"), conflict)
    page.keyboard.press("1")
    page.context.clear_cookies(name="session")
    page.keyboard.press("1")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.locator("#result")).not_to_contain_text("Password")
    page.keyboard.press("1")
    other = page.context.new_page()
    sign_in(other, "bob")
    expect(page.locator("[data-signed-out]")).to_be_hidden()
    expect(page.locator("#result")).to_contain_text("two thousand")
    page.get_by_role("button", name="Save the result").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    assert "a pause" in text(committed_cast)


def test_words_run_in_their_own_direction_and_long_ones_show_what_differs(
    enter: Enter, committed_cast: Cast, conflict: str
) -> None:
    bob = committed_cast.bob
    base = "# خطة\n\nيبدأ الإطلاق في الثاني.\n\n## Long\n\n" + "as it was said " * 1500 + "once.\n"
    first = services.create(bob, location="product/launch/ar.md", content=base).commit
    theirs = base.replace("الثاني", "الثالث").replace("once", "twice")
    services.edit(bob, location="product/launch/ar.md", content=theirs, expected_commit=first)
    mine = base.replace("الثاني", "الرابع").replace("once", "often")
    kept = services.edit(bob, location="product/launch/ar.md", content=mine, expected_commit=first)
    page = opened(enter("bob", viewport={"width": 1280, "height": 800}), f"/conflicts/{kept.conflict}")  # type: ignore[union-attr]
    # The first letter stands at the right edge of its box.
    ends = """(text) => { const range = document.createRange(); range.selectNodeContents(text);
        return text.getBoundingClientRect().right - range.getClientRects()[0].right; }"""
    assert page.locator("#place-1 .hunk-text").first.evaluate(ends) < 4
    text = page.locator("#place-2 .hunk-text").first
    box, changed = text.bounding_box(), text.locator("ins").bounding_box()
    assert box is not None
    assert changed is not None
    assert box["y"] <= changed["y"] <= box["y"] + box["height"] <= box["y"] + 800 * 0.6 + 1
