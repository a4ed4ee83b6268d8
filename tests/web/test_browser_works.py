"""The pages in Chromium: with script, without it, and when things go wrong."""

import re

import pytest
from playwright.sync_api import expect

from tests.cast import PLAN, Cast
from tests.web.browser import CONTRAST, LOCATION, Enter, enter
from workspace.queries import documents
from workspace.services import documents as services

__all__ = ["enter"]


def test_unsaved_text_survives_a_reload_and_is_gone_once_saved(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/d/{LOCATION}")
    page.keyboard.press("e")
    page.wait_for_url(f"**/edit/{LOCATION}")  # loaded: what is typed before the script is there is nobody's
    area = page.locator("textarea[name=content]")
    area.fill(PLAN + "\n- one")
    area.press("End")
    area.press("Enter")
    page.keyboard.type("two")
    expect(page.locator("[data-draft-state]")).to_contain_text("kept in this browser")
    page.reload()
    expect(area).to_have_value(PLAN)
    page.get_by_text("Continue").locator("visible=true").click()
    expect(area).to_have_value(PLAN + "\n- one\n- two")
    area.press("Control+s")
    page.wait_for_url(f"**/d/{LOCATION}")
    expect(page.locator("article")).to_contain_text("two")
    page.goto(f"/edit/{LOCATION}")
    expect(page.locator("[data-draft-banner]")).to_be_hidden()
    assert documents.read(committed_cast.bob, location=LOCATION).content == PLAN + "\n- one\n- two"


def test_two_tabs_on_one_sentence_end_on_the_page_that_settles_it(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"/edit/{LOCATION}")
    page.locator("textarea[name=content]").fill(PLAN.replace("an hour", "a minute"))
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**/d/{LOCATION}")
    other.locator("textarea[name=content]").fill(PLAN.replace("an hour", "a day"))
    with other.expect_navigation() as answer:
        other.get_by_role("button", name="Save").click()
    assert answer.value.status == 409
    expect(other.locator(".hunk")).to_have_count(1)
    other.locator("input[value=mine]").focus()
    other.keyboard.press("1")
    expect(other.locator("[data-progress]")).to_have_text("All decided")
    expect(other.locator("#result")).to_contain_text("within a day")
    other.get_by_role("button", name="Save the result").click()
    other.wait_for_url(f"**/d/{LOCATION}")
    assert "within a day" in documents.read(committed_cast.bob, location=LOCATION).content


def test_all_of_it_works_without_script(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob", java_script_enabled=False)
    page.goto(f"/d/{LOCATION}")
    page.get_by_role("link", name="Edit").click()
    page.locator("textarea[name=content]").fill(PLAN.replace("an hour", "a minute"))
    page.locator("button[name=preview]").click()
    expect(page.locator(".card.no-js")).to_contain_text("within a minute")
    page.locator("[data-save]").click()
    expect(page.locator("article")).to_contain_text("within a minute")
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="changes").first.click()
    expect(page.locator("ins").first).to_have_text("a minute")


def test_the_palette_goes_to_a_page_by_keys_alone(enter: Enter) -> None:
    page = enter("carol")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Control+k")
    page.keyboard.type("launch plan")
    expect(page.locator("#palette [aria-selected=true]")).to_contain_text("Launch plan")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/d/{LOCATION}")


def test_single_keys_do_what_the_list_says(enter: Enter) -> None:
    page = enter("bob")
    page.goto(f"/d/{LOCATION}")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile(r"/d/product/launch/plan\.md$"))
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox").first).to_be_focused()
    page.keyboard.type("he")
    expect(page.get_by_role("searchbox").first).to_have_value("he")
    page.locator("article").click()
    page.keyboard.press("h")
    page.wait_for_url(f"**/history/{LOCATION}")
    page.keyboard.press("j")
    expect(page.locator("[data-selected] [data-item-link]")).to_be_focused()
    page.goto("/f/product/launch")
    page.keyboard.press("h")
    page.wait_for_url("**/activity/product/launch")
    page.goto("/f/product/launch")
    page.keyboard.press("c")
    page.wait_for_url("**/new/document/product/launch")


def test_a_citation_marks_its_lines_in_its_version(enter: Enter, committed_cast: Cast) -> None:
    first = documents.read(committed_cast.bob, location=LOCATION).commit
    services.edit(committed_cast.bob, location=LOCATION, content="# Other\n", expected_commit=first)
    page = enter("carol")
    page.goto(f"/d/{LOCATION}?at={first}#L7-L9")
    expect(page.locator(".cited").first).to_contain_text("a thousand teams")
    expect(page.locator(".cited").last).to_contain_text("Risks")
    expect(page.locator(".cited")).to_have_count(2)
    page.locator("h2#goals").hover()
    assert page.locator("h2#goals .cite").get_attribute("data-copy") == f"{LOCATION}@{first}#L5-L7"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 720, 1280])
def test_no_page_scrolls_sideways(enter: Enter, scheme: str, width: int) -> None:
    page = enter("alice", viewport={"width": width, "height": 800}, color_scheme=scheme)
    for address in (
        "/",
        "/f/product/launch",
        f"/d/{LOCATION}",
        f"/edit/{LOCATION}",
        f"/history/{LOCATION}",
        f"/blame/{LOCATION}",
        "/share/product/launch",
        "/agents",
        "/conflicts",
        "/search?q=launch",
        "/help/connect?host=opencode",
        "/help",
        "/help/running",
        "/help/concepts",
        "/settings/product/launch",
        "/activity/product/launch",
        "/view-as/product/launch",
        "/view-as/product/launch?person=carol@example.org",
        "/access-requests",
        "/access-requests/new",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_aa(enter: Enter, scheme: str) -> None:
    page = enter("alice", color_scheme=scheme, reduced_motion="reduce")
    for address in (
        "/",
        "/f/product/launch",
        f"/d/{LOCATION}",
        f"/edit/{LOCATION}",
        f"/history/{LOCATION}",
        f"/diff/{LOCATION}",
        f"/share/{LOCATION}",
        "/agents",
        "/search?q=launch",
        "/jobs",
        "/help/connect",
        "/help/running",
        "/settings/product/launch",
        "/activity/product/launch",
        "/view-as/product/launch",
        "/view-as/product/launch?person=carol@example.org",
        "/access-requests",
        "/access-requests/new",
        "/d/nowhere/at all.md",
    ):
        page.goto(address)
        assert page.evaluate(CONTRAST) == [], address
