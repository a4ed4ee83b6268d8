"""The page of obligations in Chromium: by keys, on a phone, in the dark, and without script."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, PLAN, Cast
from tests.services.sessions import ask, attach, keep
from tests.web.conftest import server_rests
from workspace.jobs import work
from workspace.services import contexts, documents

type Enter = Callable[..., Page]


@pytest.fixture
def enter(browser: Browser, live_server: LiveServer, committed_cast: Cast) -> Iterator[Enter]:
    """``enter(viewport=…)`` is carol's browser on the page. A script error, or one of the policy, fails the test."""
    contexts_open: list[BrowserContext] = []
    faults: list[str] = []
    cast = committed_cast
    documents.create(cast.alice, location="product/launch/plan.md", content=PLAN)
    work.drain(seconds=30)
    attach(cast.scout, ask(cast.scout, session="0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f60"))
    keep(cast.scout, session="0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f60")
    work.drain(seconds=30)
    late = ask(cast.rover, session="r7")
    contexts.report(cast.rover, receipt=late.receipt, stage="withheld", reason="over the budget: 8,120 characters")

    def sign_in(**options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts_open.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
        page.goto("/accounts/login/?next=/obligations")
        page.fill("#id_login", "carol@example.org")
        page.fill("#id_password", PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Obligations")
        page.wait_for_load_state()  # a key that comes before the script is lost
        return page

    yield sign_in
    for context in contexts_open:
        context.close()
    server_rests()
    assert not faults


def test_keys_walk_the_sessions_and_open_one(enter: Enter) -> None:
    page = enter()
    page.keyboard.press("j")
    expect(page.locator("[data-selected] h3")).to_contain_text("rover")
    page.keyboard.press("j")
    expect(page.locator("[data-selected] h3")).to_contain_text("scout")
    page.keyboard.press("Enter")
    page.wait_for_url("**/obligations/rcp_*")
    expect(page.get_by_role("heading", level=1)).to_contain_text("A session of scout")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(enter: Enter, scheme: str) -> None:
    page = enter(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    for address in ("/obligations", "/obligations?state=open", "/obligations?folder=nowhere"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    page.goto("/obligations")
    page.locator(".session h3 a").last.click()
    page.wait_for_url("**/obligations/rcp_*")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_it_is_read_and_narrowed_without_script(enter: Enter) -> None:
    page = enter(java_script_enabled=False)
    page.get_by_label("Host").select_option(label="Codex")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**host=codex**")
    expect(page.locator(".session")).to_have_count(1)
    expect(page.locator(".session-notes")).to_contain_text("withheld: over the budget: 8,120 characters")
    page.get_by_role("link", name="Failed 1").click()
    page.wait_for_url("**state=failed**")
    expect(page.get_by_label("Host")).to_have_value("codex")
    page.get_by_text("As numbers").click()
    expect(page.get_by_role("columnheader", name="Read again")).to_be_visible()
