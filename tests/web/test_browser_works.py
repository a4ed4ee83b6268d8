"""The pages in Chromium: with script, without it, and when things go wrong."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, PLAN, Cast
from tests.web.conftest import server_rests
from workspace.queries import documents
from workspace.services import documents as services

LOCATION = "product/launch/plan.md"

type Enter = Callable[..., Page]


@pytest.fixture
def enter(browser: Browser, live_server: LiveServer, committed_cast: Cast) -> Iterator[Enter]:
    """``enter("bob", java_script_enabled=…)`` is a signed-in person's page. A script error fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    services.create(committed_cast.alice, location=LOCATION, content=PLAN)

    def sign_in(name: str, **options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
        page.goto("/accounts/login/")
        page.fill("#id_login", f"{name}@example.org")
        page.fill("#id_password", PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(name.capitalize())
        return page

    yield sign_in
    for context in contexts:
        context.close()
    server_rests()
    assert not faults


def test_unsaved_text_survives_a_reload_and_is_gone_once_saved(enter: Enter, committed_cast: Cast) -> None:
    page = enter("bob")
    page.goto(f"/d/{LOCATION}")
    page.keyboard.press("e")
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


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const behind = (element) => {
    let under = null; const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const c = rgba(getComputedStyle(e).backgroundColor);
      if (c[3] > 0) layers.unshift(c);
      if (c[3] === 1) break;
    }
    for (const c of layers) under = under ? under.map((v, i) => i < 3 ? c[i] * c[3] + v * (1 - c[3]) : 1) : c;
    return under ?? [255, 255, 255, 1];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("[aria-disabled=true], [disabled], .visually-hidden, .skip, dialog:not([open])")) continue;
    const ink = rgba(getComputedStyle(element).color), paper = behind(element);
    if (ink[3] < 1) continue;
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const name = element.className || element.tagName;
    if (ratio < 4.5) poor.push(`${name}: ${ratio.toFixed(2)} ${element.textContent.trim().slice(0, 20)}`);
  }
  return poor;
}"""
"""Text below WCAG 2.2 AA (1.4.3, contrast of 4.5), by the formula given there."""


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
