"""The whole way of a host: discover, register, ask, redeem, use, refresh, sign out."""

from django.test import Client

from tests.oauth.conftest import Host, told, works


def test_a_host_signs_in_uses_refreshes_and_signs_out(host: Host, base: str) -> None:
    answer = host.consent()
    values = told(answer)
    assert values["state"] == "s-1"
    assert values["iss"] == base

    first = host.exchange(values["code"]).json()
    assert first["token_type"] == "Bearer"
    assert first["scope"] == "workspace:read workspace:write"
    assert works(first["access_token"])

    second = host.refresh(first["refresh_token"]).json()
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert works(second["access_token"])

    assert host.post("/oauth/revoke", token=second["refresh_token"], client_id=host.client_id).status_code == 200
    assert not works(second["access_token"])
    assert not works(first["access_token"])
    assert host.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_the_server_is_found_from_the_resource(client: Client, base: str) -> None:
    for path, identifier in (("", base), ("/mcp", f"{base}/mcp")):
        found = client.get(f"/.well-known/oauth-protected-resource{path}").json()
        assert found["resource"] == identifier
        assert found["authorization_servers"] == [base]
        assert found["scopes_supported"] == ["workspace:read", "workspace:write"]
    server = client.get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == base
    assert server["registration_endpoint"] == f"{base}/oauth/register"
