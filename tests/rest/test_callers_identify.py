"""Who calls: by a token or by the session of a browser, and never by one in place of the other."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.cast import Cast
from tests.rest.conftest import BASE, Caller, agent_of, code
from workspace.models import AgentToken
from workspace.services import agents, people

CHALLENGE = (
    'Bearer realm="baton", resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource", '
    'scope="workspace:read workspace:write"'
)


def test_nobody_is_told_to_sign_in(nobody: Caller) -> None:
    response = nobody.get("/me")
    assert code(response) == (401, "UNAUTHENTICATED")
    assert response["WWW-Authenticate"] == CHALLENGE


@pytest.mark.parametrize(
    "header", ["Bearer wrong", "Bearer ", "Bearer", "Basic YTpi", "bearer btn_" + "x" * 38, "Bearer é", "Token abc", ""]
)
def test_a_wrong_credential_is_refused_even_beside_a_session(cast: Cast, header: str) -> None:
    client = Client()
    client.force_login(cast.people["alice"])
    assert client.get(BASE + "/me").status_code == 200
    response = client.get(BASE + "/me", headers={"Authorization": header})
    assert code(response) == (401, "UNAUTHENTICATED")
    assert response["WWW-Authenticate"] == CHALLENGE + ', error="invalid_token"'


def test_a_revoked_token_stops_at_once(scout: Caller, cast: Cast) -> None:
    me = scout.get("/me").json()
    agents.revoke(cast.alice, agent=me["agent"]["id"])
    assert code(scout.get("/me")) == (401, "UNAUTHENTICATED")


def test_an_expired_token_stops_at_once(scout: Caller, cast: Cast) -> None:
    me = scout.get("/me").json()
    AgentToken.objects.filter(agent=me["agent"]["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert code(scout.get("/me")) == (401, "UNAUTHENTICATED")


def test_the_agents_of_somebody_deactivated_stop_at_once(scout: Caller, cast: Cast) -> None:
    root = cast.people["mallory"]
    root.is_superuser = root.is_staff = True
    root.save()
    people.update(cast.mallory, person=cast.people["alice"].pk, active=False)
    assert code(scout.get("/me")) == (401, "UNAUTHENTICATED")


def test_an_agent_is_told_who_it_is_and_what_narrows_it(cast: Cast) -> None:
    found = agent_of(cast, "bob", "viewer@product/launch").get("/me").json()
    assert found["person"] == {"name": "Bob", "email": "bob@example.org", "admin": False}
    assert found["agent"]["name"] == "bob-1"
    assert found["scopes"] == ["viewer@product/launch"]


def browser(cast: Cast, name: str) -> Client:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(cast.people[name])
    return client


def test_a_browser_reads_with_its_session(cast: Cast, plan: str) -> None:
    client = browser(cast, "carol")
    assert client.get(BASE + "/me").json()["agent"] is None
    found = client.get(BASE + "/documents/product/launch/plan.md").json()
    assert found["abilities"]["role"] == "viewer"


def test_a_browser_writes_only_with_its_csrf_token(cast: Cast, plan: str) -> None:
    client = browser(cast, "bob")
    path, body = BASE + "/documents/product/launch/plan.md", {"append": "by bob"}
    refused = client.patch(path, body, content_type="application/json")
    assert code(refused) == (403, "FORBIDDEN")
    assert "CSRF" in refused.json()["detail"]
    client.get("/accounts/login/")
    page = client.get(BASE + "/docs").content.decode()
    token = page.partition('data-csrf="')[2].partition('"')[0]
    allowed = client.patch(path, body, content_type="application/json", headers={"X-CSRFToken": token})
    assert allowed.status_code == 200
    commit = client.get(BASE + "/commits/" + allowed.json()["commit"]).json()
    assert (commit["author"]["kind"], commit["author"]["email"]) == ("person", "bob@example.org")


def test_a_token_needs_no_csrf_token_even_beside_a_session(cast: Cast, plan: str) -> None:
    client = browser(cast, "carol")
    response = client.patch(
        BASE + "/documents/product/launch/plan.md",
        {"append": "by rover"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {cast.tokens['rover']}"},
    )
    assert response.status_code == 200


def test_the_session_of_a_host_is_kept_with_what_was_written(rover: Caller, plan: str) -> None:
    made = rover.patch("/documents/product/launch/plan.md", {"append": "x"}, Baton_Session="s-42").json()
    assert rover.get(f"/commits/{made['commit']}").json()["session"] == "s-42"
    assert code(rover.get("/me", Baton_Session="s" * 201)) == (422, "INVALID")


def test_a_request_keeps_the_name_it_came_with(scout: Caller) -> None:
    assert scout.get("/me", X_Request_Id="my-request-42")["X-Request-Id"] == "my-request-42"
    assert scout.get("/nothing", X_Request_Id="my-request-42").json()["request_id"] == "my-request-42"
