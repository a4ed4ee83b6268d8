"""The authorization endpoint: who is asked, what is refused, and who learns of it."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from allauth.idp.oidc.models import Client as Registered
from allauth.idp.oidc.models import Token
from django.test import Client

from tests.cast import Cast
from tests.oauth.conftest import AUTHORIZE, CALLBACK, Host, browser_of, register, told

SOMEWHERE = "https://host.example/cb"


def test_a_visitor_signs_in_first_and_comes_back(host: Host) -> None:
    host.browser = Client()
    answer = host.ask()
    assert answer.status_code == 302
    place = urlsplit(answer["Location"])
    assert place.path == "/accounts/login/"
    assert not place.netloc
    back = parse_qs(place.query)["next"][0]
    assert back.startswith(f"{AUTHORIZE}?")
    signed_in = host.browser.post(
        answer["Location"], {"login": "alice@example.org", "password": "correct horse battery"}
    )
    assert signed_in["Location"] == back
    assert host.browser.get(back).status_code == 200


@pytest.mark.parametrize(
    "next",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "/\t/evil.example",
        "https://127.0.0.1:8000@evil.example/",
    ],
)
def test_signing_in_leads_nowhere_else(cast: Cast, client: Client, next: str) -> None:
    answer = client.post(
        f"/accounts/login/?{urlencode({'next': next})}",
        {"login": "alice@example.org", "password": "correct horse battery", "next": next},
    )
    assert answer.status_code == 302
    assert answer["Location"] == "/"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"client_id": None}, "did not say who it is"),
        ({"client_id": ""}, "did not say who it is"),
        ({"client_id": "unknown"}, "not registered"),
        ({"client_id": "a" * 3_000}, "not registered"),
        ({"client_id": "https://evil.example/client.json"}, "not registered"),
        ({"client_id": "x\x00y"}, "control characters"),
        ({"redirect_uri": None}, "where the answer should go"),
        ({"redirect_uri": "https://evil.example/cb"}, "did not register"),
        ({"redirect_uri": CALLBACK + "/more"}, "did not register"),
        ({"redirect_uri": CALLBACK + "?a=b"}, "did not register"),
        ({"redirect_uri": CALLBACK + "#x"}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("127.0.0.1", "localhost")}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("127.0.0.1", "127.0.0.1.evil.example")}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("http", "https")}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("127", "user@127")}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("7777", "77777")}, "did not register"),
        ({"redirect_uri": CALLBACK.replace("7777", "７７７７")}, "did not register"),
        ({"redirect_uri": CALLBACK.upper()}, "did not register"),
        ({"redirect_uri": CALLBACK + "\r\nSet-Cookie: a=b"}, "control characters"),
        ({"redirect_uri": [CALLBACK, "https://evil.example"]}, "more than once"),
        ({"state": ["a", "b"]}, "more than once"),
        ({"state": "a\nb"}, "control characters"),
        ({"state": "a" * 5_000}, "longer than"),
    ],
)
def test_what_cannot_be_told_to_the_program_is_a_page(host: Host, change: dict[str, Any], reason: str) -> None:
    for browser in (host.browser, Client()):
        host.browser = browser
        answer = host.ask(**change)
        assert answer.status_code == 400
        assert "Location" not in answer
        assert "Set-Cookie" not in answer.headers
        assert reason in answer.content.decode()
        assert "evil.example" not in answer.content.decode()
        assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": None}, "unsupported_response_type invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type unauthorized_client"),
        ({"response_type": "id_token"}, "unsupported_response_type unauthorized_client"),
        ({"response_type": "code token"}, "unsupported_response_type unauthorized_client"),
        ({"response_type": "none"}, "unsupported_response_type unauthorized_client"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"scope": "openid"}, "invalid_scope"),
        ({"scope": "workspace:read openid"}, "invalid_scope"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"response_mode": "form_post"}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": "not an address"}, "invalid_target"),
        ({"resource": "http://[::1"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:x/"}, "invalid_target"),
        ({"resource": ""}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000/mcp#x"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000/mcp/../x"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000/other"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000@evil.example/mcp"}, "invalid_target"),
        ({"resource": ["http://127.0.0.1:8000", "http://127.0.0.1:8000/mcp"]}, "invalid_target"),
        ({"prompt": "none"}, "consent_required"),
    ],
)
def test_what_can_be_told_is_told_with_state_and_issuer(
    host: Host, base: str, change: dict[str, Any], error: str
) -> None:
    answer = host.ask(**change)
    assert answer.status_code == 302
    assert answer["Location"].startswith(f"{CALLBACK}?")
    values = told(answer)
    assert values["error"] in error.split()
    assert values["state"] == "s-1"
    assert values["iss"] == base
    assert "code" not in values
    assert not Token.objects.exists()


def test_an_answer_carries_the_state_as_it_was(host: Host) -> None:
    state = "a b&c=d#e%0d%0aSet-Cookie: x=y/ü"
    answer = host.consent(state=state)
    assert told(answer)["state"] == state
    assert "Set-Cookie" not in answer.headers
    assert "state" not in told(host.consent(state=None))


def test_a_visitor_is_sent_on_nowhere_without_signing_in(cast: Cast) -> None:
    client_id = register({"redirect_uris": [SOMEWHERE, CALLBACK]}).json()["client_id"]
    host = Host(browser=Client(), client_id=client_id, redirect_uri=SOMEWHERE)
    # A link that begins with this server's name and leads to whatever somebody registered is an open redirect.
    for change in ({"prompt": "none"}, {"scope": "admin"}, {"response_type": "token"}):
        answer = host.ask(**change)
        assert answer.get("Location", "/accounts/login/").startswith("/accounts/login/")
    host.redirect_uri = CALLBACK
    assert told(host.ask(prompt="none"))["error"] == "login_required"


@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]", "localhost"])
def test_a_program_may_listen_on_any_port_of_its_loopback(cast: Cast, address: str) -> None:
    uri = f"http://{address}/callback?tenant=1"
    host = Host(browser=browser_of(cast, "alice")).register(redirect_uris=[uri])
    for port in (1024, 65_535):
        host.redirect_uri = f"http://{address}:{port}/callback?tenant=1"
        assert host.ask().status_code == 200
    for wrong in (
        f"http://{address}:1024/callback",
        f"http://{address}:1024/callback?tenant=2",
        f"http://{address}:1024/callback?tenant=1&more=1",
        f"http://{address}:1024/Callback?tenant=1",
        f"http://{address}:/callback?tenant=1",
        f"https://{address}:1024/callback?tenant=1",
    ):
        host.redirect_uri = wrong
        assert host.ask().status_code == 400


def test_other_addresses_are_compared_character_by_character(cast: Cast) -> None:
    host = Host(browser=browser_of(cast, "alice")).register(redirect_uris=[SOMEWHERE, "com.example.app:/cb"])
    for uri, status in (
        (SOMEWHERE, 200),
        ("com.example.app:/cb", 200),
        (f"{SOMEWHERE}/", 400),
        ("https://host.example:443/cb", 400),
        ("https://HOST.example/cb", 400),
        ("https://host.example/%63b", 400),
        ("com.example.app:/cb2", 400),
        ("com.example.app://cb", 400),
    ):
        host.redirect_uri = uri
        assert host.ask().status_code == status


def test_saying_no_is_told(host: Host, base: str) -> None:
    answer = host.consent(form={"action": "deny"})
    assert told(answer) == {
        "error": "access_denied",
        "error_description": "The person said no.",
        "state": "s-1",
        "iss": base,
    }
    assert not Token.objects.exists()


def test_only_the_page_can_be_answered(host: Host, cast: Cast) -> None:
    sealed = host.ask().context["sealed"]
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x"}
    assert host.browser.post(AUTHORIZE, form).status_code == 400
    assert host.browser.post(f"{AUTHORIZE}?{urlencode(host.query())}", form).status_code == 400
    assert host.browser.post(AUTHORIZE, {**form, "request": sealed[:-2] + "xx"}).status_code == 403
    assert browser_of(cast, "bob").post(AUTHORIZE, {**form, "request": sealed}).status_code == 403
    assert Client().post(AUTHORIZE, {**form, "request": sealed}).status_code == 403
    assert not Token.objects.exists()


def test_a_foreign_page_cannot_consent(cast: Cast) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.people["alice"])
    host = Host(browser=browser).register()
    page = host.ask()
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    assert browser.post(AUTHORIZE, form).status_code == 403
    assert not Token.objects.exists()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.content.decode())
    assert token is not None
    assert browser.post(AUTHORIZE, {**form, "csrfmiddlewaretoken": token[1]}).status_code == 302


def test_the_page_is_in_no_frame_and_in_no_cache(host: Host) -> None:
    answer = host.ask()
    assert answer["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]


def test_a_client_that_went_away_gets_no_code(host: Host) -> None:
    page = host.ask()
    Registered.objects.all().delete()
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    answer = host.browser.post(AUTHORIZE, form)
    assert answer.status_code == 400
    assert "not registered" in answer.content.decode()


def test_an_address_that_was_taken_back_gets_no_code(host: Host) -> None:
    page = host.ask()
    Registered.objects.update(redirect_uris=SOMEWHERE)
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    assert host.browser.post(AUTHORIZE, form).status_code == 400
    assert not Token.objects.exists()


def test_a_deactivated_person_is_a_visitor(host: Host, cast: Cast) -> None:
    cast.people["alice"].is_active = False
    cast.people["alice"].save()
    answer = host.ask()
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_parameters_of_the_protocol_library_are_not_taken_from_the_address(host: Host, cast: Cast) -> None:
    # It keeps its own state under such names, beside what the address says.
    extra = {"user": str(cast.people["bob"].pk), "scopes": "openid", "client": "x", "extra_credentials": "a"}
    assert host.ask(**extra).status_code == 200
    answer = host.exchange(host.code(**extra))
    assert answer.json()["scope"] == "workspace:read workspace:write"
    assert Token.objects.filter(type="at").get().user == cast.people["alice"]


def test_a_request_to_prove_oneself_again_comes_back_without_it(host: Host) -> None:
    answer = host.ask(prompt="login")
    place = urlsplit(answer["Location"])
    assert place.path == "/accounts/reauthenticate/"
    back = parse_qs(place.query)["next"][0]
    assert back.startswith(f"{AUTHORIZE}?")
    assert "prompt" not in parse_qs(urlsplit(back).query)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_verbs_are_not_allowed(host: Host, method: str) -> None:
    assert host.browser.generic(method, AUTHORIZE).status_code == 405


def test_codes_last_a_minute(host: Host) -> None:
    host.code()
    code = Token.objects.get(type="ac")
    assert code.expires_at - code.created_at <= timedelta(seconds=61)
