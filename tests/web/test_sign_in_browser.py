"""Signing in with Chromium: passkeys from a virtual authenticator, an authenticator app, recovery codes."""

import re
import time
from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.core.cache import cache
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, Cast
from workspace.models import AuditEntry, Person
from workspace.services import invitations


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, committed_cast: Cast) -> Iterator[Page]:
    """A visitor's page. A script error or a breach of the policy fails the test."""
    cache.clear()
    context = browser.new_context(base_url=live_server.url)
    made = context.new_page()
    made.set_default_timeout(10_000)
    faults: list[str] = []
    made.on("pageerror", lambda fault: faults.append(str(fault)))
    made.on("console", lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None)
    yield made
    context.close()
    assert not faults


def authenticator(page: Page) -> None:
    """Gives the page's browser a device that holds passkeys and always sees its owner's finger."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def sign_in(page: Page, name: str = "alice") -> None:
    page.goto("/accounts/login/")
    page.fill("#id_login", f"{name}@example.org")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.get_by_role("button", name="Sign out").last.click()
    page.wait_for_url("**/accounts/login/")


def confirm(page: Page) -> None:
    """Enters the password once more."""
    page.wait_for_url("**/reauthenticate/**")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def code_of(secret: str, *, ahead: int = 0) -> str:
    """The six digits that an app with this key shows now, or so many half minutes ahead."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead)))


def codes_on(page: Page) -> list[str]:
    return page.locator(".codes li").all_inner_texts()


def add_passkey(page: Page, name: str) -> None:
    page.fill("#id_name", name)
    page.click("#mfa_webauthn_add")


def test_a_passkey_is_made_and_signs_in_without_a_password(page: Page, committed_cast: Cast) -> None:
    authenticator(page)
    sign_in(page)
    page.goto("/account")
    page.locator("section", has_text="Passkeys").get_by_role("link", name="Add one").click()
    confirm(page)
    page.wait_for_url("**/webauthn/add/")
    add_passkey(page, "Laptop")
    page.wait_for_url("**/recovery-codes/")
    assert len(codes_on(page)) == 10
    assert [message.to for message in mail.outbox if "passkey was added" in message.subject] == [["alice@example.org"]]
    page.goto("/accounts/2fa/webauthn/")
    expect(page.locator(".row-title")).to_contain_text("Laptop")
    expect(page.locator(".row-title")).to_contain_text("signs in")

    sign_out(page)
    page.click("#passkey_login")
    page.wait_for_url(re.compile(r"localhost:\d+/$"))
    page.goto("/account")
    expect(page.locator(".settings")).to_contain_text("alice@example.org")
    assert AuditEntry.objects.filter(action="mfa.added", data__kind="webauthn").exists()


def test_a_password_alone_does_not_do_where_there_is_a_passkey(page: Page, committed_cast: Cast) -> None:
    authenticator(page)
    sign_in(page)
    page.goto("/accounts/2fa/webauthn/add/")
    confirm(page)
    add_passkey(page, "Key")
    page.wait_for_url("**/recovery-codes/")
    sign_out(page)
    sign_in(page)
    page.wait_for_url("**/2fa/authenticate/")
    page.goto("/agents")
    page.wait_for_url("**/2fa/authenticate/")
    page.click("#mfa_webauthn_authenticate")
    page.wait_for_url(re.compile(r"localhost:\d+/$"))


def test_an_authenticator_app_and_then_a_recovery_code_once(page: Page, committed_cast: Cast) -> None:
    sign_in(page)
    page.goto("/accounts/2fa/totp/activate/")
    confirm(page)
    page.wait_for_url("**/totp/activate/")
    assert page.locator("img.qr").evaluate("image => image.complete && image.naturalWidth > 0")
    secret = page.locator(".copyline code").inner_text()
    page.fill("#id_code", "000000")
    page.get_by_role("button", name="Turn it on").click()
    expect(page.locator(".error").first).to_be_visible()
    secret = page.locator(".copyline code").inner_text()
    first = code_of(secret)
    page.fill("#id_code", first)
    page.get_by_role("button", name="Turn it on").click()
    page.wait_for_url("**/recovery-codes/")
    codes = codes_on(page)
    assert len(set(codes)) == 10
    page.goto("/accounts/2fa/recovery-codes/")
    assert not codes_on(page), "shown once"
    stored = str([row.data for row in Authenticator.objects.all()])
    assert secret not in stored
    assert not any(code in stored for code in codes)

    sign_out(page)
    sign_in(page)
    page.wait_for_url("**/2fa/authenticate/")
    # The code that set it up is used up: whoever looked over the shoulder has nothing.
    page.fill("#id_code", first)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".error").first).to_be_visible()
    page.fill("#id_code", codes[0])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"localhost:\d+/$"))

    sign_out(page)
    sign_in(page)
    page.fill("#id_code", codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".error").first).to_be_visible()
    page.fill("#id_code", code_of(secret, ahead=1))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"localhost:\d+/$"))
    page.goto("/accounts/2fa/")
    expect(page.locator(".settings")).to_contain_text("9 left")


def test_an_invited_person_begins_with_a_passkey_and_no_password(page: Page, committed_cast: Cast) -> None:
    authenticator(page)
    invitations.create(committed_cast.alice, email="eve@example.org", location="product/launch", role="viewer")
    found = re.search(r"(/invitation/\S+)", str(mail.outbox[0].body))
    assert found
    page.goto(found[1])
    page.fill("#id_name", "Eve")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url("**/webauthn/add/")
    add_passkey(page, "Phone")
    page.wait_for_url("**/recovery-codes/")
    sign_out(page)
    page.click("#passkey_login")
    page.wait_for_url(re.compile(r"localhost:\d+/$"))
    page.goto("/f/product/launch")
    expect(page.locator("h1")).to_be_visible()
    assert not Person.objects.get(email="eve@example.org").has_usable_password()


def test_a_passkey_that_is_not_given_is_told_on_the_page(page: Page, committed_cast: Cast) -> None:
    page.goto("/accounts/login/")
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    page.click("#passkey_login")
    expect(page.locator("[data-passkey-failed]")).to_contain_text("No passkey was given")


def test_the_others_are_signed_out_from_the_list_of_sessions(
    page: Page, browser: Browser, live_server: LiveServer, committed_cast: Cast
) -> None:
    other: BrowserContext = browser.new_context(base_url=live_server.url)
    there = other.new_page()
    sign_in(there)
    sign_in(page)
    page.goto("/accounts/sessions/")
    assert page.locator(".row").count() == 2
    page.get_by_role("button", name="Sign out all others").click()
    page.locator("#confirm").get_by_role("button", name="Sign out all others").click()
    expect(page.locator(".row")).to_have_count(1)
    there.goto("/agents")
    assert "/accounts/login/" in there.url
    other.close()


def test_no_line_is_drawn_above_other_ways_in_where_there_are_none(page: Page, live_server: LiveServer) -> None:
    more = page.locator(".entrance-more")
    page.goto("/accounts/login/")
    expect(more).to_be_visible()
    page.goto(live_server.url.replace("localhost", "127.0.0.1") + "/accounts/login/")
    expect(page.locator("#id_login")).to_be_visible()
    expect(more).to_have_count(1)
    expect(more).to_be_hidden()
