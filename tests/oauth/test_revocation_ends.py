"""Signing out (RFC 7009)."""

from typing import Any

import pytest
from allauth.idp.oidc.models import Token

from tests.oauth.conftest import Host, register, works
from workspace.models import Connection

REVOKE = "/oauth/revoke"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_either_token_ends_the_whole_family(host: Host, kind: str, hint: str | None) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    answer = host.post(REVOKE, token=second[kind], client_id=host.client_id, token_type_hint=hint)
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer["Cache-Control"] == "no-store"
    assert not works(first["access_token"])
    assert not works(second["access_token"])
    assert host.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    assert not Token.objects.exists()
    assert Connection.objects.get().ended_why == "signed out"


def test_a_used_refresh_token_ends_it_too(host: Host) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    assert host.post(REVOKE, token=first["refresh_token"], client_id=host.client_id).status_code == 200
    assert not works(second["access_token"])


@pytest.mark.parametrize("token", ["unknown", "btn_" + "a" * 38, "ü", "a" * 4_000])
def test_an_unknown_token_is_no_error(host: Host, token: str) -> None:
    found = host.sign_in()
    assert host.post(REVOKE, token=token, client_id=host.client_id).status_code == 200
    assert works(found["access_token"])


def test_twice_is_no_error(host: Host) -> None:
    found = host.sign_in()
    for _ in range(2):
        assert host.post(REVOKE, token=found["refresh_token"], client_id=host.client_id).status_code == 200


def test_a_token_of_another_client_stays(host: Host) -> None:
    found = host.sign_in()
    other = register({}).json()["client_id"]
    assert host.post(REVOKE, token=found["refresh_token"], client_id=other).status_code == 200
    assert works(found["access_token"])


def test_whoever_holds_a_token_can_end_it(host: Host) -> None:
    found = host.sign_in()
    assert host.post(REVOKE, token=found["access_token"]).status_code == 200
    assert not works(found["access_token"])


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"token": ["a", "b"]}, 400, "invalid_request"),
        ({"token": "a\x00b"}, 400, "invalid_request"),
        ({"token": "a", "client_id": "unknown"}, 401, "invalid_client"),
        ({"token": "a", "client_secret": "x"}, 401, "invalid_client"),
    ],
)
def test_a_wrong_request_is_told(host: Host, form: dict[str, Any], status: int, error: str) -> None:
    answer = host.post(REVOKE, **form)
    assert answer.status_code == status
    assert answer.json()["error"] == error
