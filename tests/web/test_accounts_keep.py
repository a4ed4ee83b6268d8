"""Accounts: entering, leaving, and what keeps others out of them."""

import json
import re
from typing import Any

import pytest
from django.conf import settings as live
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import get_resolver

from tests.cast import PASSWORD, Cast
from tests.web.entering import ALICE, entered, inside
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.models import AuditEntry, Person, SignInLink
from workspace.services import people, sign_in_links
from workspace.web.accounts import MFAAdapter

BASE = "http://127.0.0.1:8000"


@pytest.fixture(autouse=True)
def unlimited(db: None) -> None:
    """Counts of attempts begin anew for each test."""
    cache.clear()


@pytest.fixture
def root(cast: Cast) -> Actor:
    return person_actor(Person.objects.create_superuser("root@example.org", PASSWORD, name="Root"), via=Via.WEB)


@pytest.mark.parametrize("address", ["/account", "/accounts/email/", "/accounts/password/change/"])
def test_a_page_of_the_account_stands_under_its_tab(cast: Cast, address: str) -> None:
    assert '<a href="/account" aria-current="page">' in entered().get(address).content.decode()


def test_a_reset_link_leads_to_the_instance_whatever_host_asked(cast: Cast) -> None:
    asked = Client().post("/accounts/password/reset/", {"email": "alice@example.org"}, headers={"Host": "localhost:99"})
    assert asked.status_code == 302
    body = str(mail.outbox[0].body)
    assert "localhost" not in body
    found = re.search(rf"{re.escape(BASE)}(/accounts/password/reset/key/\S+)", body)
    assert found
    assert Client().post("/accounts/password/reset/", {}, headers={"Host": "evil.example"}).status_code == 400

    client = Client()
    there = client.get(found[1])["Location"]
    new = "another fine sentence"
    assert client.post(there, {"password1": new, "password2": new}).status_code == 302
    assert Person.objects.get(email="alice@example.org").check_password(new)
    assert "too old" in Client().get(found[1]).content.decode()
    assert AuditEntry.objects.filter(action="password.reset").exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "https://127.0.0.1:8000@evil.example/",
        "http://localhost/agents",
        "http://127.0.0.1:9999/agents",
        "http://127.0.0.1:8000.evil.example/",
        " https://evil.example",
        "\thttps://evil.example",
        "/agents\r\nSet-Cookie: a=b",
    ],
)
def test_next_leads_to_no_other_place(address: str, cast: Cast) -> None:
    client = Client()
    page = client.get("/accounts/login/", {"next": address})
    landed = client.post("/accounts/login/", {**ALICE, "next": address})

    assert page.status_code == 200
    assert landed["Location"] == "/" or landed["Location"].startswith("/agents")
    assert "Set-Cookie: a" not in str(landed.headers)
    again = client.get("/accounts/login/", {"next": address})
    assert again["Location"] == "/" or again["Location"].startswith("/agents")
    left = client.post("/accounts/logout/", {"next": address})
    assert "evil" not in left["Location"]


def test_next_leads_on_within_the_instance(cast: Cast) -> None:
    assert Client().post("/accounts/login/", {**ALICE, "next": "/agents?a=1"})["Location"] == "/agents?a=1"
    own = {**ALICE, "next": f"{BASE}/agents"}
    assert Client().post("/accounts/login/", own)["Location"] == f"{BASE}/agents"


def test_guesses_at_a_password_are_limited_whatever_the_caller_writes_into_headers(cast: Cast) -> None:
    for number in range(5):
        headers = {"Host": f"127.0.0.1:{9000 + number}", "X-Forwarded-For": f"10.0.0.{number}"}
        page = Client().post("/accounts/login/", {**ALICE, "password": "no"}, headers=headers)
        assert "not correct" in page.content.decode()
    refused = Client().post("/accounts/login/", ALICE, headers={"X-Forwarded-For": "10.9.9.9"})

    assert "Too many" in refused.content.decode()
    assert not inside(refused.client)
    assert AuditEntry.objects.filter(action="signin.failed", subject="alice@example.org", denied=True).count() == 5


def test_too_many_forms_are_429_in_the_frame(cast: Cast) -> None:
    answers = [Client().post("/accounts/password/reset/", {"email": f"{n}@example.org"}) for n in range(21)]

    assert [a.status_code for a in answers] == [302] * 20 + [429]
    assert "Too many" in answers[-1].content.decode()
    assert answers[-1]["Retry-After"]
    client = entered()
    wrong = {"password": "no"}
    last = [client.post("/accounts/reauthenticate/", wrong) for _ in range(11)][-1]
    assert last.status_code == 429
    assert "bar-search" in last.content.decode()


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/login/",
        "/accounts/logout/",
        "/accounts/signup/",
        "/accounts/password/reset/",
        "/accounts/password/change/",
        "/accounts/email/",
        "/accounts/reauthenticate/",
        "/accounts/sessions/",
        "/accounts/2fa/totp/activate/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/webauthn/login/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/3rdparty/",
        "/account",
        "/invitations",
        "/invitation/x",
        "/enter/x",
        "/people/1/deactivate",
    ],
)
def test_a_form_from_elsewhere_is_refused(path: str, cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.people["alice"], backend="allauth.account.auth_backends.AuthenticationBackend")
    for headers in ({}, {"Origin": "https://evil.example"}):
        answer = client.post(path, {"x": "y"}, headers=headers)
        assert answer.status_code == 403
        assert "too old" in answer.content.decode()


def test_no_page_can_be_framed_and_cookies_are_closed(cast: Cast) -> None:
    client = Client()
    page = client.get("/accounts/login/")
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    landed = client.post("/accounts/login/", ALICE)
    cookie = landed.cookies[live.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["domain"]
    assert cookie["expires"] == "", "a session that was not asked to be kept ends with the browser"
    kept = Client().post("/accounts/login/", {**ALICE, "remember": "on"}).cookies[live.SESSION_COOKIE_NAME]
    assert kept["expires"]


def test_an_address_changes_when_the_new_one_is_confirmed_and_not_before(cast: Cast) -> None:
    client = entered()
    assert client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})["Location"].startswith(
        "/accounts/reauthenticate/"
    )
    client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/accounts/email/"})
    client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    alice = Person.objects.get(pk=cast.people["alice"].pk)
    assert alice.email == "alice@example.org"
    found = re.search(rf"{re.escape(BASE)}(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    assert found
    client.post(found[1])

    alice.refresh_from_db()
    assert alice.email == "new@example.org"
    assert [a.email for a in alice.emailaddress_set.all()] == ["new@example.org"]
    assert mail.outbox[-1].to == ["alice@example.org"]
    assert AuditEntry.objects.filter(action="email.changed").exists()


def test_an_address_that_was_not_confirmed_never_takes_the_place_of_another(cast: Cast) -> None:
    alice = cast.people["alice"]
    alice.emailaddress_set.update(verified=False)
    client = Client()
    client.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"action_add": "", "email": "victim@example.org"})
    client.post("/accounts/email/", {"action_remove": "", "email": "alice@example.org"})
    client.post("/accounts/email/", {"action_primary": "", "email": "victim@example.org"})

    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


def test_taking_the_address_of_another_is_answered_as_any(cast: Cast) -> None:
    client = entered()
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    answer = client.post("/accounts/email/", {"action_add": "", "email": "bob@example.org"})
    assert answer.status_code == 302
    assert Person.objects.get(email="bob@example.org").pk == cast.people["bob"].pk


def test_a_sign_in_link_works_once_and_looking_at_it_uses_nothing_up(cast: Cast, root: Actor) -> None:
    token = sign_in_links.make(root, person=cast.people["alice"].pk)
    assert token not in str(SignInLink.objects.values())
    client = Client()
    for _ in range(2):
        assert "Sign in as Alice" in client.get(f"/enter/{token}").content.decode()
    assert client.post(f"/enter/{token}")["Location"] == "/account"
    assert inside(client)
    assert Client().post(f"/enter/{token}").status_code == 410
    told = set(AuditEntry.objects.filter(subject="alice@example.org").values_list("action", flat=True))
    assert {"signin.link_made", "signin.link_used", "signin.ok"} <= told


def test_a_new_sign_in_link_ends_the_one_before_and_so_does_leaving(cast: Cast, root: Actor) -> None:
    alice = cast.people["alice"].pk
    first, second = sign_in_links.make(root, person=alice), sign_in_links.make(root, person=alice)
    assert Client().get(f"/enter/{first}").status_code == 410
    people.update(root, person=alice, active=False)
    assert Client().get(f"/enter/{second}").status_code == 410


def test_mail_that_cannot_be_sent_is_told_and_breaks_nothing(cast: Cast, settings: Any) -> None:
    settings.MAILERS = {
        "default": {
            "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "OPTIONS": {"host": "127.0.0.1", "port": 9, "timeout": 1},
        }
    }
    assert Client().post("/accounts/password/reset/", {"email": "alice@example.org"}).status_code == 503
    new = "another fine sentence"
    sent = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert entered().post("/accounts/password/change/", sent)["Location"] == "/account"


def test_signing_in_and_out_is_in_the_audit_log(cast: Cast) -> None:
    client = entered()
    client.post("/accounts/logout/")
    entries = AuditEntry.objects.filter(action__in=["signin.ok", "signout"]).order_by("id")
    assert [(e.action, e.person_id, e.subject) for e in entries] == [
        (action, cast.people["alice"].pk, "alice@example.org") for action in ("signin.ok", "signout")
    ]
    assert entries[0].data == {"by": ["password"]}
    assert PASSWORD not in str(list(AuditEntry.objects.values()))


def test_guesses_at_the_second_step_are_limited_and_recorded(cast: Cast) -> None:
    adapter = MFAAdapter()
    cast.people["alice"].authenticator_set.create(type="totp", data={"secret": adapter.encrypt("JBSWY3DPEHPK3PXP")})
    client = Client()
    assert client.post("/accounts/login/", ALICE)["Location"] == "/accounts/2fa/authenticate/"
    pages = [client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode() for _ in range(6)]

    assert "Incorrect code" in pages[0]
    assert "Too many" in pages[-1]
    assert not inside(client)
    assert AuditEntry.objects.filter(action="signin.failed", subject="alice@example.org").count() == 6


@pytest.mark.parametrize(
    "credential",
    [
        "",
        "{",
        "null",
        "1",
        '"x"',
        "[]",
        "[1]",
        "{}",
        '{"id": "x"}',
        '{"id": 1, "rawId": 2, "response": 3, "type": 4}',
        '{"id": "eA", "rawId": "eA", "type": "public-key", "response": {}}',
        '{"id": "eA", "rawId": "eA", "type": "public-key", "response": {"clientDataJSON": "!", "signature": "eA"}}',
        json.dumps(
            {
                "id": "eA",
                "rawId": "eA",
                "type": "public-key",
                "response": {
                    "clientDataJSON": "e30",
                    "authenticatorData": "A" * 80,
                    "signature": "eA",
                    "userHandle": "eA",
                },
            }
        ),
    ],
)
def test_what_is_no_passkey_lets_nobody_in_and_breaks_nothing(credential: str, cast: Cast) -> None:
    client = Client()
    for path in ("login", "reauthenticate", "add"):
        answer = client.post(f"/accounts/2fa/webauthn/{path}/", {"credential": credential})
        assert answer.status_code in (200, 302)
        assert not inside(client)
    inner = entered()
    inner.post("/accounts/reauthenticate/", {"password": PASSWORD})
    inner.get("/accounts/2fa/webauthn/add/")
    assert inner.post("/accounts/2fa/webauthn/add/", {"credential": credential}).status_code == 200
    assert not cast.people["alice"].authenticator_set.exists()


def test_a_second_step_made_under_another_key_lets_nobody_in(cast: Cast, settings: Any) -> None:
    secret = MFAAdapter().encrypt("JBSWY3DPEHPK3PXP")
    cast.people["alice"].authenticator_set.create(type="totp", data={"secret": secret})
    settings.SECRET_KEY = "another key of at least thirty-two characters"
    client = Client()
    client.post("/accounts/login/", ALICE)
    answer = client.post("/accounts/2fa/authenticate/", {"code": "000000"})

    assert answer.status_code == 503
    assert "administrator" in answer.content.decode()
    assert not inside(client)


def test_every_page_of_the_sign_in_library_is_drawn_by_this_instance(cast: Cast) -> None:
    client = entered()
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    left_out = {"account_logout", "mfa_download_recovery_codes"}
    seen = set()
    for name in get_resolver().reverse_dict:
        if not isinstance(name, str) or name in left_out or not name.startswith(("account_", "mfa_", "usersessions_")):
            continue
        (pattern, parameters), *_ = get_resolver().reverse_dict.getlist(name)[0][0]
        if parameters:
            continue
        answer = client.get(f"/{pattern}")
        if answer.status_code == 200 and "html" in answer["Content-Type"]:
            seen.add(name)
            assert "css/tokens.css" in answer.content.decode(), name
            assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", answer.content.decode()), name
            assert "third-party" not in answer.content.decode().lower(), name
    assert {"mfa_index", "mfa_add_webauthn", "usersessions_list", "account_email"} <= seen
