"""Registration is open to anybody, so what it takes is narrow."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Registered
from allauth.idp.oidc.models import Token
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.oauth.conftest import CALLBACK, REGISTER, Host, register
from workspace.oauth import clients
from workspace.services import registrations

pytestmark = pytest.mark.django_db
SOUND = {
    "id": "another",
    "name": "Another",
    "type": "public",
    "redirect_uris": CALLBACK,
    "scopes": "workspace:read",
    "secret": "!",
}


def refused(answer: HttpResponse, error: str = "invalid_client_metadata") -> bool:
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"] == error
    assert not Registered.objects.exists()
    return True


def test_a_client_is_registered_as_a_public_one_without_a_secret() -> None:
    answer = register({"client_name": "Claude Code"})
    assert answer.status_code == 201
    found = answer.json()
    assert found.pop("client_id_issued_at") > 1_700_000_000
    assert len(found.pop("client_id")) == 32
    assert found == {
        "client_name": "Claude Code",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "workspace:read workspace:write",
    }
    client = Registered.objects.get()
    assert client.type == "public"
    assert not client.check_secret("!")
    assert not client.check_secret("")


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "private_key_jwt", "anything"])
def test_any_way_to_authenticate_becomes_none(method: str) -> None:
    found = register({"token_endpoint_auth_method": method}).json()
    assert found["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in found


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.example/1",
        "about:blank",
        "view-source:https://a.example",
        "http://evil.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.2:80/cb",
        "http://2130706433/cb",
        "http://0.0.0.0/cb",
        "http://[::ffff:127.0.0.1]/cb",
        "http://127.0.0.1:99999/cb",
        "http://user@127.0.0.1/cb",
        "http://127.0.0.1:80@evil.example/cb",
        "https://user:pass@host.example/cb",
        "https://host.example/cb#fragment",
        "https://host.example/cb#",
        "https://*.example/cb",
        "https://host.example/*",
        "*",
        "https:///cb",
        "https:cb",
        "//host.example/cb",
        "/cb",
        "cb",
        "",
        "https://host.example/c b",
        "https://host.example/cb\r\nSet-Cookie: a=b",
        "https://host.example/cb\x00",
        "https://host.example\\@evil.example/cb",
        "https://höst.example/cb",
        "https://host.example:port/cb",
        "https://[::1/cb",
        "ftp://host.example/cb",
        "ws://host.example/cb",
        "mailto:a@host.example",
        "myapp://cb",
        "com.example.app:",
        "https://host.example/" + "a" * 600,
    ],
)
def test_an_answer_is_sent_to_no_such_address(uri: str) -> None:
    assert refused(register({"redirect_uris": [uri]}), "invalid_redirect_uri")
    assert refused(register({"redirect_uris": [CALLBACK, uri]}), "invalid_redirect_uri")


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1/cb",
        "http://127.0.0.1:1/cb?a=b",
        "http://[::1]:8080/cb",
        "http://localhost:54321/callback",
        "http://localhost",
        "https://host.example/cb",
        "https://host.example:8443/cb?x=1",
        "com.example.app:/cb",
        "com.example.app://cb",
        "cursor://anysphere.cursor-retrieval/oauth/user-agent/callback",
        "vscode://publisher.extension/cb",
    ],
)
def test_an_answer_may_be_sent_to_such_an_address(uri: str) -> None:
    assert register({"redirect_uris": [uri]}).json()["redirect_uris"] == [uri]


@pytest.mark.parametrize(
    "change",
    [
        {"grant_types": ["client_credentials"]},
        {"grant_types": ["authorization_code", "implicit"]},
        {"grant_types": ["password"]},
        {"grant_types": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]},
        {"grant_types": "authorization_code"},
        {"grant_types": [1]},
        {"response_types": ["token"]},
        {"response_types": ["code", "id_token"]},
        {"response_types": ["code id_token"]},
        {"response_types": {"code": True}},
        {"scope": ["workspace:read"]},
        {"client_name": 7},
        {"client_name": ["a"]},
        {"token_endpoint_auth_method": {"a": 1}},
        {"redirect_uris": CALLBACK},
        {"redirect_uris": [CALLBACK, 7]},
        {"redirect_uris": [f"http://127.0.0.1/{n}" for n in range(21)]},
        {f"field_{n}": n for n in range(60)},
    ],
)
def test_what_is_not_supported_is_refused(change: dict[str, Any]) -> None:
    assert refused(register(change))


def test_a_client_without_an_address_is_refused_unless_it_needs_none() -> None:
    assert refused(register({"redirect_uris": None}), "invalid_redirect_uri")
    assert refused(register({"redirect_uris": []}), "invalid_redirect_uri")
    device = "urn:ietf:params:oauth:grant-type:device_code"
    answer = register({"redirect_uris": None, "grant_types": [device]})
    assert answer.json()["grant_types"] == ["refresh_token", device]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b'"x"',
        b"null",
        b"\xff\xfe",
        b"[" * 16_000,
        b'{"a":' * 3_000,
        b"9" * 5_000,
        b'{"redirect_uris": NaN}',
    ],
)
def test_a_document_that_is_none_is_refused(client: Client, body: bytes) -> None:
    answer = client.post(REGISTER, body, content_type="application/json")
    assert refused(answer)


def test_a_huge_document_is_refused_before_it_is_read(client: Client) -> None:
    body = json.dumps({"redirect_uris": [CALLBACK], "client_name": "a" * 20_000})
    answer = client.post(REGISTER, body, content_type="application/json")
    assert answer.status_code == 413
    assert answer.json()["error"] == "invalid_client_metadata"
    assert not Registered.objects.exists()


def test_scopes_are_those_that_there_are() -> None:
    for asked, got in (
        (None, "workspace:read workspace:write"),
        ("", "workspace:read workspace:write"),
        ("openid profile admin", "workspace:read workspace:write"),
        ("openid workspace:read", "workspace:read"),
        ("workspace:write", "workspace:read workspace:write"),
    ):
        assert register({"scope": asked}).json()["scope"] == got


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Claude \n\t Code ", "Claude Code"),
        ("\u202egnip\u202c\u2066x\u2069\u200b\ufeff\x07\x1b[31m", "gnipx[31m"),
        ("a\u0300\u0301\u0302\u0303\u0304\u0305", "à\u0301\u0302"),
        ("\ue000\ud800", "A program without a name"),
        ("", "A program without a name"),
        (None, "A program without a name"),
        ("x" * 300, "x" * 100),
        ("Codex \N{PARTY POPPER} Größe 名前", "Codex \N{PARTY POPPER} Größe 名前"),
    ],
)
def test_a_name_is_shown_as_one_printable_line(name: str | None, shown: str) -> None:
    assert register({"client_name": name}).json()["client_name"] == shown


def test_nothing_else_of_the_document_is_kept_or_fetched() -> None:
    urls = dict.fromkeys(
        ("logo_uri", "jwks_uri", "client_uri", "policy_uri", "sector_identifier_uri"), "http://169.254.169.254/latest"
    )
    answer = register({**urls, "client_id": "mine", "client_secret": "s", "skip_consent": True})
    assert answer.status_code == 201
    client = Registered.objects.get()
    assert client.pk != "mine"
    assert not client.skip_consent
    assert "169.254" not in json.dumps(client.data) + answer.content.decode()


def test_one_address_registers_so_many_times_a_minute(settings: Any) -> None:
    settings.BATON_OAUTH_PER_MINUTE = 3
    forged = [{"X-Forwarded-For": f"203.0.113.{n}", "X-Real-IP": f"203.0.113.{n}"} for n in range(4)]
    answers = [register({}, **headers) for headers in forged]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert answers[-1]["Retry-After"] == "60"
    assert answers[-1].json()["error"] == "temporarily_unavailable"
    assert Registered.objects.count() == 3
    other = Client(REMOTE_ADDR="198.51.100.7").post(
        REGISTER, json.dumps({"redirect_uris": [CALLBACK]}), content_type="application/json"
    )
    assert other.status_code == 201


def test_an_ipv6_network_is_one_address(settings: Any) -> None:
    settings.BATON_OAUTH_PER_MINUTE = 1
    body = json.dumps({"redirect_uris": [CALLBACK]})
    for address, status in (("2001:db8:1:1::1", 201), ("2001:db8:1:1::2", 429), ("2001:db8:1:2::1", 201)):
        answer = Client(REMOTE_ADDR=address).post(REGISTER, body, content_type="application/json")
        assert answer.status_code == status


def test_a_thousand_registrations_leave_few_clients(host: Host, settings: Any) -> None:
    settings.BATON_OAUTH_UNUSED_CLIENTS = 20
    settings.BATON_OAUTH_PER_MINUTE = 100_000
    tokens = host.sign_in()
    Registered.objects.filter(pk=host.client_id).update(created_at=timezone.now() - timedelta(days=400))
    Registered.objects.bulk_create(
        Registered(id=f"flood-{n}", name="x", created_at=timezone.now() - timedelta(seconds=1_000 - n))
        for n in range(1_000)
    )
    newest = register({}).json()["client_id"]
    assert Registered.objects.count() == 21
    assert Registered.objects.filter(pk=newest).exists()
    assert Registered.objects.filter(pk="flood-999").exists()
    assert not Registered.objects.filter(pk="flood-0").exists()
    # Whoever is signed in stays, however long ago that was.
    assert host.refresh(tokens["refresh_token"]).status_code == 200


def test_unused_clients_expire_and_used_ones_stay(host: Host, settings: Any) -> None:
    settings.BATON_OAUTH_UNUSED_DAYS = 7
    tokens = host.sign_in()
    unused, fresh = register({}).json()["client_id"], register({}).json()["client_id"]
    eight_days_ago = timezone.now() - timedelta(days=8)
    Registered.objects.filter(pk__in=[unused, host.client_id]).update(created_at=eight_days_ago)
    registrations.expire()
    assert set(Registered.objects.values_list("pk", flat=True)) == {host.client_id, fresh}
    # Its person signed out; the registration has no use from then on.
    assert host.post("/oauth/revoke", token=tokens["refresh_token"], client_id=host.client_id).status_code == 200
    registrations.expire()
    assert set(Registered.objects.values_list("pk", flat=True)) == {fresh}


@pytest.mark.django_db(transaction=True)
def test_a_client_that_is_just_being_given_a_code_is_left_alone_and_not_waited_for() -> None:
    client = Registered.objects.get(pk=register({}).json()["client_id"])
    Registered.objects.update(created_at=timezone.now() - timedelta(days=400))
    given, over = threading.Event(), threading.Event()

    def give() -> None:
        code = Token(type=Token.Type.AUTHORIZATION_CODE, client=client, expires_at=timezone.now(), data={})
        code.set_value("a code")
        with transaction.atomic():
            clients.hold(client)
            code.save()
            given.set()
            over.wait(20)
        connection.close()

    giver = threading.Thread(target=give)
    giver.start()
    assert given.wait(10)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            assert registrations.expire() == 0
    finally:
        over.set()
        giver.join()
    assert Registered.objects.filter(pk=client.pk).exists()


def test_whoever_is_given_a_code_is_held_and_told_where_it_went_meanwhile(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CaptureQueriesContext(connection) as queries:
        host.sign_in()
    held = [q["sql"] for q in queries if "allauth_idp_oidc_client" in q["sql"] and "FOR NO KEY UPDATE" in q["sql"]]
    assert len(held) == 1

    monkeypatch.setattr(clients, "hold", lambda client: False)
    answer = host.consent()
    assert (answer.status_code, Token.objects.filter(type=Token.Type.AUTHORIZATION_CODE).count()) == (409, 1)
    machine = register({"grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]}).json()["client_id"]
    asked = host.post("/oauth/device/code", client_id=machine)
    assert (asked.status_code, asked.json()["error"]) == (401, "invalid_client")


def test_a_client_stays_as_long_as_a_consent_to_it_stands(host: Host) -> None:
    host.sign_in()
    # Its tokens have run out and were cleared away; the host still has its registration, and signs in by it again.
    Token.objects.all().delete()
    Registered.objects.update(created_at=timezone.now() - timedelta(days=400))
    registrations.expire()
    assert host.sign_in()


@pytest.mark.parametrize(
    "change",
    [
        {"type": "confidential"},
        {"grant_types": "client_credentials"},
        {"grant_types": "authorization_code\nclient_credentials"},
        {"grant_types": ""},
        {"response_types": "token"},
        {"response_types": "code\nid_token token"},
        {"scopes": "openid"},
        {"scopes": ""},
        {"default_scopes": "openid"},
        {"redirect_uris": ""},
        {"redirect_uris": "http://evil.example/cb"},
        {"redirect_uris": "javascript:alert(1)"},
        {"redirect_uris": "https://*.example/cb", "allow_uri_wildcards": True},
        {"allow_uri_wildcards": True},
        {"skip_consent": True},
        {"name": "\u202egnip"},
    ],
)
def test_nobody_saves_a_client_that_would_be_refused(change: dict[str, Any]) -> None:
    client = Registered.objects.get(pk=register({}).json()["client_id"])
    for name, value in change.items():
        setattr(client, name, value)
    with pytest.raises(ValidationError):
        client.save()
    with pytest.raises(ValidationError):
        Registered.objects.create(**{**SOUND, **change})
