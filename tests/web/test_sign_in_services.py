"""Signing in through another service: by settings alone, and only as whom both sides have confirmed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import PASSWORD, Cast
from tests.oidc import CLIENT, SECRET, Provider
from workspace.config import sign_in
from workspace.config.environment import Environment
from workspace.models import AuditEntry, Grant, Person
from workspace.services import invitations

ALICE = {"sub": "a1", "email": "alice@example.org", "email_verified": True, "name": "Alice at work"}
EVE = {"sub": "e1", "email": "eve@example.org", "email_verified": True, "name": "Eve\nNewline"}
PLACE = "product/launch"


@pytest.fixture
def provider(db: None, settings: Any) -> Iterator[Provider]:
    made = Provider().start()
    cache.clear()
    settings.SOCIALACCOUNT_PROVIDERS = configured(made)
    yield made
    made.stop()


def configured(provider: Provider, **more: str) -> dict[str, Any]:
    given = {
        "BATON_OIDC_URL": provider.url,
        "BATON_OIDC_CLIENT_ID": CLIENT,
        "BATON_OIDC_CLIENT_SECRET": SECRET,
        "BATON_OIDC_NAME": "Example SSO",
        **more,
    }
    return sign_in.providers(Environment(variables=given), signup="closed")


def through(client: Client, provider: Provider, claims: dict[str, Any], process: str = "login") -> Any:
    """The answer to coming back from the service as who ``claims`` says."""
    provider.claims = claims
    away = client.post(f"/accounts/oidc/oidc/login/?process={process}")
    found = re.search(r'content="0;url=([^"]+)"', away.content.decode())
    assert found
    there = requests.get(found[1].replace("&amp;", "&"), allow_redirects=False, timeout=5)
    back = there.headers["Location"].partition("testserver")[2]
    return client.get(back, follow=True)


def enter(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_role("link", name="Continue with Example SSO").click()
    page.get_by_role("button", name="Go to Example SSO").click()


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, provider: Provider, committed_cast: Cast) -> Iterator[Page]:
    context = browser.new_context(base_url=live_server.url)
    made = context.new_page()
    made.set_default_timeout(10_000)
    faults: list[str] = []
    made.on("console", lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None)
    yield made
    context.close()
    assert not faults


def test_somebody_who_is_here_enters_in_a_browser(page: Page, provider: Provider, committed_cast: Cast) -> None:
    provider.claims = ALICE
    page.goto("/accounts/login/")
    assert not provider.asked, "nothing is fetched for the page"
    enter(page)
    page.wait_for_url(re.compile(r"localhost:\d+/$"))
    page.goto("/accounts/3rdparty/")
    expect(page.locator(".rows")).to_contain_text("Example SSO")
    alice = Person.objects.get(email="alice@example.org")
    assert alice.check_password(PASSWORD)
    assert alice.name == "Alice"


def test_somebody_invited_begins_through_the_service(page: Page, provider: Provider, committed_cast: Cast) -> None:
    provider.claims = EVE
    link = invitations.create(committed_cast.alice, location=PLACE, role="editor").url.rpartition("/")[2]
    page.goto(f"/invitation/{link}")
    page.get_by_role("link", name="Continue with Example SSO").click()
    page.get_by_role("button", name="Go to Example SSO").click()
    page.wait_for_url(re.compile(r"localhost:\d+/$"))
    page.goto(f"/f/{PLACE}")
    expect(page.locator("h1")).to_be_visible()
    eve = Person.objects.get(email="eve@example.org")
    assert eve.name == "EveNewline"
    assert eve.emailaddress_set.get().verified
    assert Grant.objects.get(person=eve).role == 2


def test_a_stranger_is_told_how_to_get_in_and_no_account_is_made(provider: Provider, cast: Cast) -> None:
    client = Client()
    answer = through(client, provider, EVE)

    assert "by invitation" in answer.content.decode()
    assert not Person.objects.filter(email="eve@example.org").exists()
    assert not SocialAccount.objects.exists()
    assert client.get("/agents").status_code == 302


@pytest.mark.parametrize("side", ["theirs", "ours"])
def test_an_address_that_one_side_has_not_confirmed_links_nothing(side: str, provider: Provider, cast: Cast) -> None:
    if side == "ours":
        cast.people["alice"].emailaddress_set.update(verified=False)
    client = Client()
    through(client, provider, {**ALICE, "email_verified": side == "ours"})

    assert client.get("/agents").status_code == 302
    assert not SocialAccount.objects.exists()


def test_somebody_deactivated_does_not_enter(provider: Provider, cast: Cast) -> None:
    Person.objects.filter(email="alice@example.org").update(is_active=False)
    client = Client()
    answer = through(client, provider, ALICE)
    assert "switched off" in answer.content.decode()
    assert client.get("/agents").status_code == 302


def test_a_changed_address_there_changes_nothing_here(provider: Provider, cast: Cast) -> None:
    through(Client(), provider, ALICE)
    client = Client()
    through(client, provider, {**ALICE, "email": "bob@example.org"})
    assert client.get("/account").context["frame"].me.email == "alice@example.org"


def test_where_the_service_may_sign_up_a_stranger_enters(provider: Provider, cast: Cast, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = configured(provider, BATON_OIDC_SIGNUP="open")
    client = Client()
    through(client, provider, EVE)
    assert client.get("/account").context["frame"].me.email == "eve@example.org"
    assert AuditEntry.objects.filter(action="person.signed_up", subject="eve@example.org").exists()

    unconfirmed = Client()
    answer = through(unconfirmed, provider, {**EVE, "sub": "x", "email": "dan@example.org", "email_verified": False})
    assert "Look in your mail" in answer.content.decode()
    assert unconfirmed.get("/agents").status_code == 302


def test_a_service_that_tells_no_address_leads_to_a_form_that_asks_for_one(
    provider: Provider, cast: Cast, settings: Any
) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = configured(provider, BATON_OIDC_SIGNUP="open")
    client = Client()
    page = through(client, provider, {"sub": "n1", "name": "Nell"})
    assert page.redirect_chain[-1][0] == "/accounts/3rdparty/signup/"
    assert 'value="Nell"' in page.content.decode()
    answer = client.post("/accounts/3rdparty/signup/", {"name": "Nell", "email": "nell@example.org"}, follow=True)
    assert "Look in your mail" in answer.content.decode()
    assert not Person.objects.get(email="nell@example.org").emailaddress_set.get().verified
    taken = Client()
    through(taken, provider, {"sub": "n2", "name": "Al"})
    again = taken.post("/accounts/3rdparty/signup/", {"name": "Al", "email": "alice@example.org"}, follow=True)
    assert again.redirect_chain == answer.redirect_chain
    assert not SocialAccount.objects.filter(user__email="alice@example.org").exists()


def test_a_stale_invitation_keeps_nobody_out_who_may_enter(provider: Provider, cast: Cast, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = configured(provider, BATON_OIDC_SIGNUP="open")
    made = invitations.create(cast.alice, email="dan@example.org", location=PLACE, role="viewer")
    client = Client()
    client.get(f"/invitation/{made.url.rpartition('/')[2]}")
    through(client, provider, EVE)
    assert client.get("/account").context["frame"].me.email == "eve@example.org"
    assert client.get(f"/f/{PLACE}").status_code == 404


def test_an_invitation_for_another_address_lets_the_service_make_nothing(provider: Provider, cast: Cast) -> None:
    link = invitations.create(cast.alice, email="dan@example.org", location=PLACE, role="viewer").url.rpartition("/")[2]
    client = Client()
    client.get(f"/invitation/{link}")
    answer = through(client, provider, EVE)
    assert "by invitation" in answer.content.decode()
    assert not Person.objects.filter(email__in=["eve@example.org", "dan@example.org"]).exists()


def test_connecting_asks_who_is_there_first_and_then_lets_them_in(provider: Provider, cast: Cast) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "bob@example.org", "password": PASSWORD})
    asked = through(client, provider, {**ALICE, "sub": "b1", "email": "other@example.org"}, process="connect")
    assert asked.redirect_chain[-1][0].startswith("/accounts/reauthenticate/")
    assert not SocialAccount.objects.exists()
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert SocialAccount.objects.get().user.email == "bob@example.org"
    again = Client()
    through(again, provider, {"sub": "b1", "email": "other@example.org"})
    assert again.get("/account").context["frame"].me.email == "bob@example.org"


def test_what_the_service_did_not_send_is_refused(provider: Provider, cast: Cast) -> None:
    client = Client()
    for query in ("code=x&state=forged", "code=x", "error=access_denied&state=forged", ""):
        answer = client.get(f"/accounts/oidc/oidc/login/callback/?{query}")
        assert "did not work" in answer.content.decode()
    assert client.get("/agents").status_code == 302
    assert AuditEntry.objects.filter(action="signin.failed").exists()
    refused = through(Client(), provider, {"error": "access_denied"})
    assert "did not sign in" in refused.content.decode()


def test_a_service_that_does_not_answer_is_told(provider: Provider, cast: Cast) -> None:
    provider.stop()
    answer = Client().post("/accounts/oidc/oidc/login/?process=login")
    assert answer.status_code == 503
    assert "does not answer" in answer.content.decode()
    provider.start()


@pytest.mark.django_db
def test_only_what_is_configured_is_offered(client: Client, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert "Continue with" not in client.get("/accounts/login/").content.decode()
    for path in ("oidc/oidc", "google", "github", "gitlab", "microsoft"):
        assert client.get(f"/accounts/{path}/login/").status_code == 404
        assert client.post(f"/accounts/{path}/login/").status_code == 404
        assert client.get(f"/accounts/{path}/login/callback/?code=a&state=b").status_code == 404


def test_a_service_that_was_taken_away_breaks_no_page(provider: Provider, cast: Cast, settings: Any) -> None:
    client = Client()
    through(client, provider, ALICE)
    settings.SOCIALACCOUNT_PROVIDERS = {}
    page = client.get("/accounts/3rdparty/")
    assert page.status_code == 200
    assert "oidc" in page.content.decode()
    assert client.get("/account").status_code == 200
