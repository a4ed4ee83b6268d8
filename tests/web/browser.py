"""Chromium on the pages."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, PLAN, Cast
from tests.web.conftest import server_rests
from workspace.services import documents as services

LOCATION = "product/launch/plan.md"
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

type Enter = Callable[..., Page]


def sign_in(page: Page, name: str) -> None:
    """Signs somebody of the cast in by the form."""
    page.goto("/accounts/login/")
    page.fill("#id_login", f"{name}@example.org")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name.capitalize())


@pytest.fixture
def enter(browser: Browser, live_server: LiveServer, committed_cast: Cast) -> Iterator[Enter]:
    """``enter("bob", java_script_enabled=…)`` is a signed-in person's page. A script error fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    services.create(committed_cast.alice, location=LOCATION, content=PLAN)

    def signed_in(name: str, **options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
        sign_in(page, name)
        return page

    yield signed_in
    for context in contexts:
        context.close()
    server_rests()
    assert not faults
