"""Redeeming a code: once, by whom it was for, for what it was for."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Registered
from allauth.idp.oidc.models import Token
from django.utils import timezone

from tests.cast import Cast
from tests.oauth.conftest import TOKEN, Host, browser_of, register, together, works
from workspace.services import agents, connections


def refused(answer: Any, error: str = "invalid_grant", status: int = 400) -> bool:
    assert answer.status_code == status, answer.content
    assert answer.json()["error"] == error
    assert answer["Cache-Control"] == "no-store"
    assert "access_token" not in answer.json()
    return True


def test_a_code_becomes_tokens_that_are_not_stored(host: Host) -> None:
    found = host.sign_in()
    assert found["token_type"] == "Bearer"
    assert found["expires_in"] == 3600
    assert works(found["access_token"])
    rows = " ".join(f"{row.hash} {row.data}" for row in Token.objects.all())
    assert found["access_token"] not in rows
    assert found["refresh_token"] not in rows


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code": "forged"}, "invalid_grant"),
        ({"code": None}, "invalid_request"),
        ({"code": "x\x00y"}, "invalid_request"),
        ({"code": "a" * 5_000}, "invalid_request"),
        ({"code_verifier": "A" * 43}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"redirect_uri": "http://127.0.0.1:7778/callback"}, "invalid_grant"),
        ({"redirect_uri": "https://evil.example/cb"}, "invalid_grant"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"client_id": "x\x00y"}, "invalid_request"),
        ({"client_secret": "x"}, "invalid_client"),
        ({"client_secret": ""}, "invalid_client"),
        ({"grant_type": None}, "invalid_request"),
        ({"grant_type": "implicit"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "password", "username": "alice@example.org", "password": "x"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}, "unsupported_grant_type"),
        ({"grant_type": ["authorization_code", "refresh_token"]}, "invalid_request"),
        ({"resource": "https://other.example"}, "invalid_target"),
        ({"resource": "not an address"}, "invalid_target"),
        ({"resource": "http://[::1"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000"}, "invalid_target"),
        ({"resource": ["http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"]}, "invalid_target"),
    ],
)
def test_a_code_is_redeemed_by_nothing_else(host: Host, change: dict[str, Any], error: str) -> None:
    code = host.code()
    refused(host.exchange(**{"code": code, **change}), error, 401 if error == "invalid_client" else 400)
    assert not Token.objects.filter(type__in=["at", "rt"]).exists()
    # None of these uses it up, so whoever guesses cannot lock out who it is for.
    assert host.exchange(code).status_code == 200


def test_another_client_cannot_redeem_a_code(host: Host) -> None:
    code = host.code()
    other = register({}).json()["client_id"]
    assert refused(host.exchange(code, client_id=other))
    assert host.exchange(code).status_code == 200


def test_the_address_need_not_be_repeated(host: Host) -> None:
    assert host.exchange(host.code(), redirect_uri=None).status_code == 200


def test_a_code_expires(host: Host) -> None:
    code = host.code()
    Token.objects.filter(type="ac").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert refused(host.exchange(code))


def test_a_replayed_code_ends_all_that_came_of_it(host: Host) -> None:
    code = host.code()
    first = host.exchange(code).json()
    second = host.refresh(first["refresh_token"]).json()
    assert refused(host.exchange(code))
    for found in (first, second):
        assert not works(found["access_token"])
        assert refused(host.refresh(found["refresh_token"]))
    assert refused(host.exchange(code))


def test_a_replay_after_an_hour_is_still_known(host: Host) -> None:
    code = host.code()
    first = host.exchange(code).json()
    row = Token.objects.get(type="ac")
    assert row.expires_at - timezone.now() > timedelta(hours=1)
    assert refused(host.exchange(code))
    assert not works(first["access_token"])


def test_a_replay_without_the_verifier_ends_nothing(host: Host) -> None:
    code = host.code()
    first = host.exchange(code).json()
    other = register({}).json()["client_id"]
    # Whoever saw a code go by, in a log or a history, could otherwise sign its person's agent out.
    assert refused(host.exchange(code, code_verifier="A" * 43))
    assert refused(host.exchange(code, client_id=other))
    assert works(first["access_token"])


def test_of_two_who_redeem_at_once_nobody_keeps_a_token(committed_cast: Cast) -> None:
    host = Host(browser=browser_of(committed_cast, "alice")).register()
    code = host.code()
    answers = together(*[partial(host.exchange, code)] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    won = next(answer.json() for answer in answers if answer.status_code == 200)
    assert not works(won["access_token"])
    assert refused(host.refresh(won["refresh_token"]))


@pytest.mark.parametrize(
    "asked", ["http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp/", "HTTP://127.0.0.1:8000/mcp", None]
)
def test_a_token_is_for_the_resource_that_was_granted(host: Host, asked: str | None, base: str) -> None:
    found = host.exchange(host.code(resource=asked), resource=f"{base}/mcp")
    assert found.status_code == 200
    assert {tuple(row.get_resources()) for row in Token.objects.filter(type__in=["at", "rt"])} == {(f"{base}/mcp",)}


def test_a_code_for_the_whole_gains_no_token_for_a_part(host: Host, base: str) -> None:
    code = host.code(resource=f"{base}/")
    assert refused(host.exchange(code, resource=f"{base}/mcp"), "invalid_target")
    found = host.exchange(code, resource=base).json()
    assert Token.objects.get(type="at").get_resources() == [base]
    assert refused(host.refresh(found["refresh_token"], resource=f"{base}/mcp"), "invalid_target")
    assert host.refresh(found["refresh_token"], resource=f"{base}/").status_code == 200


def test_scopes_are_those_that_were_granted(host: Host) -> None:
    found = host.exchange(host.code(scope="workspace:read"), scope="workspace:read workspace:write").json()
    assert found["scope"] == "workspace:read"
    assert refused(host.refresh(found["refresh_token"], scope="workspace:write"), "invalid_scope")
    assert refused(host.refresh(found["refresh_token"], scope="workspace:read openid"), "invalid_scope")
    assert host.refresh(found["refresh_token"]).json()["scope"] == "workspace:read"


def test_a_person_may_grant_less_than_was_asked(host: Host) -> None:
    found = host.sign_in(form={"read_only": "on"})
    assert found["scope"] == "workspace:read"
    assert refused(host.refresh(found["refresh_token"], scope="workspace:write"), "invalid_scope")


def test_writing_brings_reading(host: Host) -> None:
    assert host.sign_in(scope="workspace:write")["scope"] == "workspace:read workspace:write"


def test_a_client_gains_no_more_than_it_registered_for(host: Host) -> None:
    host.register(scope="workspace:read")
    assert host.sign_in()["scope"] == "workspace:read"
    assert "error=invalid_scope" in host.ask(scope="workspace:write")["Location"]


def test_a_code_is_worth_nothing_once_its_agent_is_revoked(host: Host, cast: Cast) -> None:
    code = host.code()
    grant = Token.objects.get(type="ac").get_grant_id()
    live = connections.live(grant or "")
    assert live is not None
    agents.revoke(cast.alice, agent=live.agent)
    assert refused(host.exchange(code))


def test_a_code_is_worth_nothing_once_its_person_is_deactivated(host: Host, cast: Cast) -> None:
    code = host.code()
    cast.people["alice"].is_active = False
    cast.people["alice"].save()
    assert refused(host.exchange(code))


def test_clients_of_older_kinds_gain_nothing(host: Host) -> None:
    # Rows that were written past every check: the endpoints do not lean on the guard alone.
    Registered.objects.filter(pk=host.client_id).update(
        type="confidential",
        response_types="token\ncode",
        grant_types="client_credentials\nauthorization_code",
        scopes="openid",
    )
    for form in (
        {"grant_type": "client_credentials", "client_id": host.client_id, "scope": "workspace:write"},
        {"grant_type": "password", "client_id": host.client_id},
    ):
        assert refused(host.post(TOKEN, **form), "unsupported_grant_type")
    assert "error=" in host.ask(response_type="token")["Location"]
    assert not Token.objects.exists()


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/plain"])
def test_only_a_form_is_read(host: Host, kind: str) -> None:
    answer = host.wire.generic("POST", TOKEN, b'{"grant_type":"authorization_code"}', content_type=kind)
    assert refused(answer, "invalid_request")


def test_parameters_in_the_address_are_refused(host: Host) -> None:
    # They would stand in logs and histories.
    body = "grant_type=authorization_code"
    answer = host.wire.post(f"{TOKEN}?code=x", body, content_type="application/x-www-form-urlencoded")
    assert refused(answer, "invalid_request")


def test_a_basic_secret_is_refused_where_there_are_none(host: Host) -> None:
    answer = host.wire.post(
        TOKEN,
        "grant_type=authorization_code",
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": "Basic YTpi"},
    )
    assert refused(answer, "invalid_client", 401)
    assert answer["WWW-Authenticate"].startswith("Bearer ")
