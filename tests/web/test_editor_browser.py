"""The editor in Chromium: nothing typed is lost, and others may save meanwhile."""

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.cast import PLAN, Cast
from tests.web.browser import LOCATION, Enter, enter, sign_in
from workspace.models import Commit, Conflict
from workspace.queries import documents
from workspace.services import documents as services
from workspace.services import drafts
from workspace.services.drafts import Place

__all__ = ["enter"]

THERE = Place(document=LOCATION)

SOON = 12_000
"""Milliseconds within which an editor has asked whether somebody saved, which it does every five seconds."""


def head(cast: Cast) -> str:
    return documents.read(cast.alice, location=LOCATION).commit


def write(page: Page, text: str) -> None:
    """Types at the end of the text."""
    area = page.locator("textarea[name=content]")
    area.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def test_what_is_typed_is_kept_on_the_server_and_goes_on_in_another_browser(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    write(page, "More.")
    expect(page.locator("[data-draft-state]")).to_contain_text("Not saved yet")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    expect(page.locator("[data-draft-age]")).to_contain_text(f"based on {head(committed_cast)[:8]}")
    write(page, " And more.")
    expect(page.locator("[data-draft-state]")).to_contain_text("kept in this browser")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    other = enter("bob")
    other.goto(f"/edit/{LOCATION}")
    banner = other.locator("[data-draft-banner]")
    expect(banner).to_contain_text("You have a draft")
    banner.get_by_text("Show changes").click()
    expect(banner.locator(".diff")).to_contain_text("More. And more.")
    banner.get_by_text("Continue").click()
    expect(other.locator("textarea[name=content]")).to_have_value(PLAN + "More. And more.")
    other.get_by_role("button", name="Save").click()
    other.wait_for_url(f"**/d/{LOCATION}")
    assert documents.read(committed_cast.bob, location=LOCATION).content == PLAN + "More. And more."
    assert drafts.mine(committed_cast.bob, place=THERE) is None
    other.goto(f"/edit/{LOCATION}")
    expect(other.locator("[data-draft-banner]")).to_be_hidden()
    expect(other.locator("[data-local-banner]")).to_be_hidden()


def test_a_dead_network_loses_nothing(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    page.context.set_offline(True)
    write(page, "Offline.")
    expect(page.locator("[data-draft-state]")).to_have_text("No connection, not saved · kept in this browser")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("textarea[name=content]")).to_have_value(PLAN + "Offline.")
    again = page.context.new_page()
    page.close()
    again.context.set_offline(False)
    again.goto(f"/edit/{LOCATION}")
    banner = again.locator("[data-local-banner]")
    expect(banner).to_contain_text("This browser kept unsaved text")
    banner.get_by_text("Show changes").click()
    expect(banner.locator(".diff")).to_contain_text("Offline.")
    banner.get_by_text("Continue").click()
    expect(again.locator("textarea[name=content]")).to_have_value(PLAN + "Offline.")
    expect(again.locator("[data-draft-state]")).to_have_text("Draft saved")
    kept = drafts.mine(committed_cast.bob, place=THERE)
    assert kept is not None
    assert kept.content == PLAN + "Offline."


def test_the_draft_is_told_of_once_the_network_is_back(enter: Enter) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    page.context.set_offline(True)
    write(page, "Offline.")
    expect(page.locator("[data-draft-state]")).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")


LINES = "\n\n".join(
    f"Paragraph {n} says something of its own, at some length, so that it fills a line." for n in range(60)
)


def test_what_others_save_comes_in_around_the_caret(enter: Enter, committed_cast: Cast) -> None:
    cast = committed_cast
    text = f"# Launch plan\n\n{LINES}\n"
    services.edit(cast.alice, location=LOCATION, content=text, expected_commit=head(cast))
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    at = text.index("Paragraph 40 says") + len("Paragraph 40 says")
    area = page.locator("textarea[name=content]")
    area.focus()
    page.evaluate(
        "(at) => { const a = document.querySelector('textarea[name=content]'); a.setSelectionRange(at, at); }", at
    )
    page.keyboard.type(" still")
    top = area.evaluate("(a) => a.scrollTop")
    theirs = text.replace("Paragraph 3 ", "One.\n\nTwo.\n\nThree.\n\nParagraph 3 ").replace(
        "Paragraph 55 ", "New here. "
    )
    services.edit(cast.alice, location=LOCATION, content=theirs, expected_commit=head(cast), message="More of it")
    wanted = theirs.replace("Paragraph 40 says", "Paragraph 40 says still")
    expect(page.locator("[data-strip]")).to_contain_text("merged into what you write", timeout=SOON)
    expect(page.locator("[data-strip]")).to_contain_text("More of it")
    expect(area).to_have_value(wanted)
    moved = area.evaluate("(a) => a.scrollTop") - top
    line = area.evaluate("(a) => parseFloat(getComputedStyle(a).lineHeight)")
    assert abs(moved - 6 * line) <= line, "six lines came in above, and the caret's paragraph stands where it was"
    page.keyboard.type("!")
    expect(area).to_have_value(wanted.replace("says still", "says still!"))
    expect(page.locator("[data-based]")).to_contain_text(head(cast)[:8])
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    saved = Commit.objects.get(pk=head(cast))
    assert saved.kind == "edit", "it was merged while it was written, so the save is a plain one"


def test_what_did_not_fit_half_typed_is_merged_once_it_fits(enter: Enter, committed_cast: Cast) -> None:
    cast = committed_cast
    text = "# Launch plan\n\nOne is here now. Two is here now. Three is here now. Four is here.\n"
    services.edit(cast.alice, location=LOCATION, content=text, expected_commit=head(cast))
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    area = page.locator("textarea[name=content]")
    # Without its full stop the sentence runs into the next one, which is changed on the other side.
    area.fill(text.replace("Three is here now.", "Three is mine"))
    theirs = text.replace("Four is here", "Four was there")
    services.edit(cast.alice, location=LOCATION, content=theirs, expected_commit=head(cast))
    expect(page.locator("[data-strip]")).to_contain_text("It changes what you are changing too", timeout=SOON)
    area.fill(text.replace("Three is here now.", "Three is mine."))
    expect(page.locator("[data-strip]")).to_contain_text("merged into what you write", timeout=SOON)
    expect(area).to_have_value(theirs.replace("Three is here now.", "Three is mine."))


def test_what_does_not_fit_is_said_at_once_and_settled_on_saving(enter: Enter, committed_cast: Cast) -> None:
    cast = committed_cast
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    mine = PLAN.replace("an hour", "a minute")
    page.locator("textarea[name=content]").fill(mine)
    services.edit(cast.alice, location=LOCATION, content=PLAN.replace("an hour", "a day"), expected_commit=head(cast))
    expect(page.locator("[data-strip]")).to_contain_text("It changes what you are changing too", timeout=SOON)
    expect(page.locator("textarea[name=content]")).to_have_value(mine)
    with page.expect_navigation() as answer:
        page.get_by_role("button", name="Save").click()
    assert answer.value.status == 409
    assert drafts.mine(cast.bob, place=THERE) is None
    # To load that again, or to hand its address on, is about the conflict and sends nothing once more.
    expect(page).to_have_url(re.compile(r"/conflicts/cfl_\w+$"))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Decide what stands")
    assert Conflict.objects.count() == 1


def test_a_double_click_on_save_is_one_commit(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    write(page, "Once.")
    page.get_by_role("button", name="Save").dblclick()
    page.wait_for_url(f"**/d/{LOCATION}")
    assert Commit.objects.count() == 2


def test_signing_out_elsewhere_loses_nothing_and_signing_in_again_goes_on(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    other = page.context.new_page()
    cookies = page.context.cookies()
    page.context.clear_cookies()
    write(page, "Kept.")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.locator("[data-draft-state]")).to_contain_text("kept in this browser")
    assert cookies
    sign_in(other, "bob")
    other.close()
    page.bring_to_front()
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    expect(page.locator("[data-signed-out]")).to_be_hidden()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    assert documents.read(committed_cast.bob, location=LOCATION).content == PLAN + "Kept."


@pytest.mark.parametrize("moment", ["before a key", "while a draft is kept", "after it was kept"])
def test_being_signed_out_is_told_whenever_it_happens(enter: Enter, committed_cast: Cast, moment: str) -> None:
    """Every look at the head finds the server gone, so that the answers to the draft alone can tell of it."""
    page = enter("bob")
    page.route("**/newer/**", lambda route: route.abort())
    held: list[Route] = []
    if moment == "while a draft is kept":
        page.route("**/draft/**", lambda route: held.append(route) if not held else route.continue_())
    page.goto(f"/edit/{LOCATION}")
    if moment == "before a key":
        page.context.clear_cookies()
    write(page, "Kept.")
    if moment == "while a draft is kept":
        page.wait_for_event("request", lambda request: "/draft/" in request.url)
        page.context.clear_cookies()
        held[0].continue_()
    if moment == "after it was kept":
        expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
        page.context.clear_cookies()
    write(page, " More.")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.locator("[data-draft-state]")).to_have_text("Signed out, not saved · kept in this browser")


@pytest.mark.parametrize("cookies", ["csrf", "none"])
def test_an_old_answer_does_not_say_that_one_is_signed_in(enter: Enter, committed_cast: Cast, cookies: str) -> None:
    """The draft is kept before the session ends, and the answer to it comes after one that tells of the end."""
    page = enter("bob")
    held: list[tuple[Route, APIResponse]] = []

    def late(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route("**/draft/**", late)
    page.goto(f"/edit/{LOCATION}")
    with page.expect_request("**/draft/**"):
        write(page, "Kept.")
    while not held:
        page.wait_for_timeout(20)
    page.context.clear_cookies(**({"name": "session"} if cookies == "csrf" else {}))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    route, answer = held[0]
    with page.expect_response("**/draft/**"):
        route.fulfill(response=answer)
    page.wait_for_function("document.querySelector('[name=draft]').value")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    expect(page.locator("[data-draft-state]")).to_contain_text("Signed out, not saved")


def test_a_new_document_tells_of_being_signed_out_and_goes_on_as_well(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto("/new/document/product/launch")
    page.context.clear_cookies()
    write(page, "Kept.")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    other = page.context.new_page()
    sign_in(other, "bob")
    expect(page.locator("[data-signed-out]")).to_be_hidden()
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")


def test_somebody_else_who_signs_in_is_no_way_to_go_on(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    write(page, "Private.")
    other = page.context.new_page()
    page.context.clear_cookies()
    sign_in(other, "alice")
    expect(page.locator("[data-signed-out]")).to_contain_text("Somebody else is signed in")
    assert drafts.mine(committed_cast.alice, place=THERE) is None
    expect(page.locator("textarea[name=content]")).to_have_value(PLAN + "Private.")


def test_saving_when_signed_out_gives_the_text_back_after_signing_in(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    write(page, "Kept.")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    sign_in(page, "carol")
    page.goto("/")
    page.context.clear_cookies()
    sign_in(page, "bob")
    page.goto(f"/edit/{LOCATION}")
    page.locator("[data-draft-banner]:visible, [data-local-banner]:visible").first.get_by_text("Continue").click()
    expect(page.locator("textarea[name=content]")).to_have_value(PLAN + "Kept.")


def test_another_person_in_the_same_browser_sees_no_draft(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    write(page, "Private.")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    page.context.clear_cookies()
    sign_in(page, "alice")
    page.goto(f"/edit/{LOCATION}")
    expect(page.locator("[data-draft-banner]")).to_be_hidden()
    expect(page.locator("[data-local-banner]")).to_be_hidden()
    expect(page.locator("textarea[name=content]")).to_have_value(PLAN)


def test_two_windows_keep_both_texts(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    other = page.context.new_page()
    other.goto(f"/edit/{LOCATION}")
    write(page, "One.")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    write(other, "Two.")
    expect(other.locator("[data-draft-banner]")).to_be_visible()
    kept = drafts.mine(committed_cast.bob, place=THERE)
    assert kept is not None
    assert kept.content == PLAN + "One."
    other.locator("[data-draft-banner] [data-discard]").click()
    expect(other.locator("[data-draft-state]")).to_have_text("Draft saved")
    expect(other.locator("textarea[name=content]")).to_have_value(PLAN + "Two.")


def test_a_page_that_was_emptied_asks_keeps_the_form_and_takes_a_tick(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/edit/{LOCATION}")
    page.locator("textarea[name=content]").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".asks")).to_contain_text("takes out nearly all of the page")
    expect(page.locator("[data-draft-state]")).to_contain_text("Not saved yet")
    expect(page.locator("[data-local-banner]")).to_be_hidden()
    page.get_by_label("Yes, take out nearly all").check()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    assert documents.read(committed_cast.bob, location=LOCATION).content == ""
    page.goto(f"/edit/{LOCATION}")
    expect(page.locator("[data-draft-state]")).to_have_text("No changes yet")
    expect(page.locator("[data-draft-banner]")).to_be_hidden()
    expect(page.locator("[data-local-banner]")).to_be_hidden()


def test_a_heading_leads_to_the_editor_of_its_section(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/d/{LOCATION}")
    page.locator("h2#goals").hover()
    page.locator("h2#goals .edit-section").click()
    area = page.locator("textarea[name=content]")
    expect(area).to_have_value(PLAN[PLAN.index("## Goals") : PLAN.index("\n## Risks")])
    area.fill("## Goals\n\nFew.\n")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    text = documents.read(committed_cast.bob, location=LOCATION).content
    assert "## Goals\n\nFew.\n\n## Risks" in text
    reader = enter("carol")
    reader.goto(f"/d/{LOCATION}")
    expect(reader.locator(".edit-section")).to_have_count(0)
