"""The consent page in Chromium, which holds the redirect after a form to the page's own policy."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, Cast
from tests.oauth.conftest import AUTHORIZE, Host
from tests.web.browser import CONTRAST, sign_in
from workspace.models import Agent
from workspace.oauth import leaving

type Enter = Callable[..., Page]


@pytest.fixture
def enter(browser: Browser, live_server: LiveServer, committed_cast: Cast, settings: Any) -> Iterator[Enter]:
    """``enter("alice", …)`` is a signed-in person's page."""
    settings.BATON_BASE_URL = live_server.url
    contexts: list[BrowserContext] = []

    def signed_in(name: str, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        sign_in(page, name)
        return page

    yield signed_in
    for context in contexts:
        for page in context.pages:
            page.wait_for_load_state("networkidle")
        context.close()


class Listener:
    """A program on this computer that waits for the answer, as hosts do."""

    def __init__(self) -> None:
        self.answers: list[dict[str, str]] = []
        answers = self.answers

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/callback"):
                    answers.append(dict(parse_qsl(urlsplit(self.path).query)))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<h1>Signed in</h1>")

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def uri(self, name: str) -> str:
        return f"http://{name}:{self.server.server_address[1]}/callback"


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


def asked(uri: str) -> tuple[Host, str]:
    host = Host(browser=Client(), redirect_uri=uri).register(redirect_uris=[uri])
    return host, f"{AUTHORIZE}?{urlencode(host.query())}"


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
@pytest.mark.parametrize("script", [True, False])
def test_allowing_leads_back_to_the_program_with_script_and_without(
    enter: Enter, listener: Listener, name: str, script: bool
) -> None:
    page = enter("alice", java_script_enabled=script)
    host, address = asked(listener.uri(name))
    page.goto(address)
    page.get_by_text("Only in folders that I choose").click()
    page.get_by_label("What is in product").click()
    page.get_by_role("checkbox", name="launch").check()
    page.get_by_label("Until when").select_option("7")
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()

    (answer,) = listener.answers
    assert answer["state"] == "s-1"
    assert host.exchange(answer["code"]).status_code == 200
    (scope,) = Agent.objects.get(name="Claude Code").scopes.all()
    assert scope.folder is not None
    assert scope.folder.path == "product/launch"


def test_denying_leads_back_as_well(enter: Enter, listener: Listener) -> None:
    page = enter("alice")
    _, address = asked(listener.uri("localhost"))
    page.goto(address)
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()

    assert [answer["error"] for answer in listener.answers] == ["access_denied"]


def test_after_a_wrong_form_the_way_back_is_still_open(enter: Enter, listener: Listener) -> None:
    page = enter("alice")
    _, address = asked(listener.uri("localhost"))
    page.goto(address)
    page.get_by_text("Only in folders that I choose").click()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("Choose at least one folder.")).to_be_visible()
    page.get_by_role("checkbox", name="product", exact=True).check()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()

    assert "code" in listener.answers[0]


def test_without_the_origin_in_the_policy_the_browser_would_not_go(
    enter: Enter, listener: Listener, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(leaving, "policy", lambda uri: settings.SECURE_CSP)
    page = enter("alice")
    _, address = asked(listener.uri("localhost"))
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(address)
    page.get_by_role("button", name="Deny").click()
    page.wait_for_timeout(500)

    assert listener.answers == []
    assert any("form-action" in text for text in said)


def test_a_program_with_a_scheme_of_its_own_is_left_for_by_a_page(enter: Enter) -> None:
    page = enter("alice")
    _, address = asked("com.example.app:/callback")
    page.goto(address)
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="Back to Claude Code")).to_be_visible()

    link = page.get_by_role("link", name="Go on").get_attribute("href")
    assert link is not None
    assert re.match(r"com\.example\.app:/callback\?code=\w+&state=s-1&iss=", link)


def test_ticking_a_folder_means_only_there_and_the_filter_finds_it(enter: Enter, listener: Listener) -> None:
    page = enter("alice")
    _, address = asked(listener.uri("localhost"))
    page.goto(address)
    page.get_by_text("Only in folders that I choose").click()
    page.get_by_placeholder("Find a folder").fill("LAUNCH")
    page.get_by_role("checkbox", name="launch").check()
    expect(page.get_by_role("radio", name="Only in folders that I choose")).to_be_checked()
    page.get_by_placeholder("Find a folder").fill("nothing like it")
    expect(page.get_by_text("No folder of this name.")).to_be_visible()


def test_who_is_somebody_else_can_switch_and_comes_back(enter: Enter, listener: Listener) -> None:
    page = enter("alice")
    _, address = asked(listener.uri("localhost"))
    page.goto(address)
    page.get_by_role("button", name="Not you? Switch").click()
    page.fill("#id_login", "bob@example.org")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()

    expect(page.get_by_text("bob@example.org")).to_be_visible()
    expect(page.get_by_role("button", name="Allow")).to_be_visible()


def test_what_is_wrong_is_told_to_the_program_right_after_signing_in_as_well(
    browser: Browser, live_server: LiveServer, committed_cast: Cast, listener: Listener, settings: Any
) -> None:
    settings.BATON_BASE_URL = live_server.url
    host = Host(browser=Client(), redirect_uri=listener.uri("localhost"))
    host.register(redirect_uris=[host.redirect_uri])
    page = browser.new_page(base_url=live_server.url)
    page.goto(f"{AUTHORIZE}?{urlencode(host.query(scope='workspace:everything'))}")
    page.fill("#id_login", "alice@example.org")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()
    page.close()

    assert [answer["error"] for answer in listener.answers] == ["invalid_scope"]


NAMELESS = """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button, summary")]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim()))
  .map((e) => e.outerHTML)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_its_pages_fit_can_be_read_and_name_every_control(
    enter: Enter, listener: Listener, scheme: str, width: int
) -> None:
    page = enter("alice", viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    _, address = asked(listener.uri("localhost"))
    for path in (address, "/device", "/device?code=AAAA-AAAA", "/agents", "/agents?of=others", "/help/connect"):
        page.goto(path)
        if path == address:
            page.get_by_text("Only in folders that I choose").click()
            page.get_by_text("Other places").click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(CONTRAST) == [], path
        assert page.evaluate(NAMELESS) == [], path
