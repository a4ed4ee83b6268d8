"""What the metadata says, and that it never says what a visitor wants it to say."""

import json

import pytest
from allauth.core.context import request_context
from allauth.idp.oidc.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.test import Client, RequestFactory

from tests.oauth.conftest import register

ALL = (
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
)


def test_the_server_names_nothing_that_it_refuses(client: Client, base: str) -> None:
    found = client.get(ALL[0]).json()
    assert found["response_types_supported"] == ["code"]
    assert found["response_modes_supported"] == ["query"]
    assert found["grant_types_supported"] == [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
    ]
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["token_endpoint_auth_methods_supported"] == ["none"]
    assert found["authorization_response_iss_parameter_supported"] is True
    assert found["authorization_endpoint"] == f"{base}/oauth/authorize"
    assert found["token_endpoint"] == f"{base}/oauth/token"
    assert found["revocation_endpoint"] == f"{base}/oauth/revoke"
    assert found["device_authorization_endpoint"] == f"{base}/oauth/device/code"
    assert not {"jwks_uri", "userinfo_endpoint", "end_session_endpoint"} & set(found)


@pytest.mark.parametrize("path", ALL)
def test_an_allowed_host_does_not_become_the_issuer(client: Client, base: str, path: str) -> None:
    answer = client.get(path, headers={"Host": "localhost:4444", "X-Forwarded-Host": "evil.example"})
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "4444" not in text
    assert "evil.example" not in text
    assert base in text


def test_the_library_is_told_the_same_issuer(base: str, rf: RequestFactory) -> None:
    with request_context(rf.get("/", headers={"Host": "localhost:4444"})):
        assert get_adapter().get_issuer() == base
        with pytest.raises(ValidationError):
            get_adapter().validate_resource_uris(uris=["https://other.example"])
        assert not get_adapter().is_cimd_url_allowed("https://clients.example.org/c.json")


@pytest.mark.parametrize("path", [*ALL, "/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/device/code"])
def test_a_foreign_host_is_refused_in_json(client: Client, path: str) -> None:
    answer = client.generic("GET" if "well-known" in path else "POST", path, headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert json.loads(answer.content)["error"] == "invalid_request"
    assert b"evil.example" not in answer.content


def test_documents_of_clients_are_announced_only_where_they_are_read(client: Client, settings) -> None:  # type: ignore[no-untyped-def]
    assert "client_id_metadata_document_supported" not in client.get(ALL[0]).json()
    settings.BATON_OAUTH_CLIENT_HOSTS = ("clients.example.org",)
    assert client.get(ALL[0]).json()["client_id_metadata_document_supported"] is True


@pytest.mark.parametrize("path", [*ALL, "/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/device/code"])
def test_pages_of_any_origin_may_read_the_answers(client: Client, path: str) -> None:
    asked = client.options(path, headers={"Origin": "https://host.example"})
    assert asked.status_code == 204
    assert asked["Access-Control-Allow-Origin"] == "*"
    assert "Authorization" in asked["Access-Control-Allow-Headers"]
    assert "MCP-Protocol-Version" in asked["Access-Control-Allow-Headers"]
    # With credentials a page could act as the visitor. Nothing here reads a cookie, and nothing says it may be sent.
    assert "Access-Control-Allow-Credentials" not in asked
    method = "GET" if "well-known" in path else "POST"
    assert client.generic(method, path)["Access-Control-Allow-Origin"] == "*"


def test_no_page_of_another_origin_reads_the_authorization_page(client: Client) -> None:
    assert "Access-Control-Allow-Origin" not in client.get(
        "/oauth/authorize", headers={"Origin": "https://host.example"}
    )


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", ALL[0], 405),
        ("GET", "/oauth/token", 405),
        ("PUT", "/oauth/register", 405),
        ("DELETE", "/oauth/revoke", 405),
        ("GET", "/oauth/nothing", 404),
        ("POST", "/oauth/introspect", 404),
        ("GET", "/.well-known/openid-configuration", 404),
        ("GET", "/.well-known/oauth-authorization-server/elsewhere", 404),
    ],
)
def test_wrong_verbs_and_addresses_are_told_in_json(client: Client, method: str, path: str, status: int) -> None:
    answer = client.generic(method, path)
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/json"
    assert set(answer.json()) == {"error", "error_description"}
    if status == 405:
        assert "OPTIONS" in answer["Allow"]


@pytest.mark.parametrize("path", ["/identity/o/authorize", "/identity/o/api/token", "/identity/o/api/clients"])
def test_the_library_serves_none_of_its_own_addresses(client: Client, path: str) -> None:
    assert client.get(path).status_code in (302, 404)
    assert client.post(path).status_code in (302, 403, 404)


def test_secrets_are_kept_by_no_cache(db: None) -> None:
    assert register({})["Cache-Control"] == "no-store"
