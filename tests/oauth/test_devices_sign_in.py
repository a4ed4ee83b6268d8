"""Device codes (RFC 8628): a machine without a browser is let in by a person who has one."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.idp.oidc.models import Token
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from tests.cast import Cast
from tests.oauth.conftest import Host, browser_of, together, works
from workspace.models import Agent, Connection
from workspace.services import agents, registrations

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
START = "/oauth/device/code"


@pytest.fixture
def machine(cast: Cast) -> Host:
    """A machine that waits to be let in by alice."""
    return Host(browser=browser_of(cast, "alice")).register(grant_types=[DEVICE], redirect_uris=None)


def start(machine: Host, **changes: Any) -> dict[str, Any]:
    answer = machine.post(START, client_id=machine.client_id, **changes)
    assert answer.status_code == 200, answer.content
    return answer.json()


def poll(machine: Host, code: str, **changes: Any) -> HttpResponse:
    """A poll after the interval."""
    for row in Token.objects.filter(type="dc"):
        row.data["polled"] = 0
        row.save()
    values = {"grant_type": DEVICE, "device_code": code, "client_id": machine.client_id}
    return machine.post("/oauth/token", **{**values, **changes})


def answer(machine: Host, code: str, **form: str) -> HttpResponse:
    """What the person's browser gets for answering the page."""
    page = machine.browser.get("/device", {"code": code})
    assert page.status_code == 200
    values = {"action": "grant", "where": "all", "expires": "0", "name": f"Machine {code}", **form}
    return machine.browser.post("/device", {"request": page.context["sealed"], **values})


def test_a_machine_is_let_in(machine: Host, base: str) -> None:
    waiting = start(machine)
    assert waiting["verification_uri"] == f"{base}/device"
    assert waiting["verification_uri_complete"] == f"{base}/device?code={waiting['user_code']}"
    assert waiting["expires_in"] == 600
    assert waiting["interval"] == 5
    assert poll(machine, waiting["device_code"]).json()["error"] == "authorization_pending"
    assert answer(machine, waiting["user_code"]).status_code == 200
    found = poll(machine, waiting["device_code"]).json()
    assert found["scope"] == "workspace:read workspace:write"
    assert works(found["access_token"])
    assert Token.objects.get(type="at").get_resources() == [f"{base}/mcp"]
    second = machine.refresh(found["refresh_token"]).json()
    assert works(second["access_token"])
    machine.post("/oauth/revoke", token=second["refresh_token"], client_id=machine.client_id)
    assert not works(found["access_token"])
    assert not works(second["access_token"])


def test_a_code_is_good_once(machine: Host) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    assert poll(machine, waiting["device_code"]).status_code == 200
    assert poll(machine, waiting["device_code"]).json()["error"] == "invalid_grant"
    assert machine.browser.get("/device", {"code": waiting["user_code"]}).status_code == 422


def test_of_four_polls_at_once_one_gets_tokens(committed_cast: Cast) -> None:
    machine = Host(browser=browser_of(committed_cast, "alice")).register(grant_types=[DEVICE], redirect_uris=None)
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    form = {"grant_type": DEVICE, "device_code": waiting["device_code"], "client_id": machine.client_id}
    answers = together(*[partial(machine.post, "/oauth/token", **form)] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    assert Token.objects.filter(type="rt").count() == 1


def test_who_polls_too_often_is_slowed_down_more_and_more(machine: Host) -> None:
    waiting = start(machine)
    form = {"grant_type": DEVICE, "device_code": waiting["device_code"], "client_id": machine.client_id}
    told = [machine.post("/oauth/token", **form).json()["error"] for _ in range(3)]
    assert told == ["authorization_pending", "slow_down", "slow_down"]
    assert Token.objects.get(type="dc").data["interval"] == 15
    # Even once the person has answered: otherwise there would be no reason to wait.
    answer(machine, waiting["user_code"])
    assert machine.post("/oauth/token", **form).json()["error"] == "slow_down"
    assert poll(machine, waiting["device_code"]).status_code == 200


def test_a_no_is_told_once(machine: Host) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"], action="deny")
    assert poll(machine, waiting["device_code"]).json()["error"] == "access_denied"
    assert poll(machine, waiting["device_code"]).json()["error"] == "invalid_grant"
    assert not Connection.objects.exists()


def test_a_code_runs_out(machine: Host) -> None:
    waiting = start(machine)
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert poll(machine, waiting["device_code"]).json()["error"] == "expired_token"
    assert machine.browser.get("/device", {"code": waiting["user_code"]}).status_code == 422
    Token.objects.update(expires_at=timezone.now() - timedelta(hours=2))
    registrations.expire()
    assert not Token.objects.exists()


def test_a_code_that_runs_out_under_the_page_connects_nobody(machine: Host) -> None:
    waiting = start(machine)
    page = machine.browser.get("/device", {"code": waiting["user_code"]})
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    assert machine.browser.post("/device", form).status_code == 422
    assert not Connection.objects.exists()


def test_two_answers_connect_once(machine: Host, cast: Cast) -> None:
    waiting = start(machine)
    pages = {name: browser_of(cast, name) for name in ("alice", "bob")}
    sealed = {
        name: page.get("/device", {"code": waiting["user_code"]}).context["sealed"] for name, page in pages.items()
    }
    said = {}
    for name, page in pages.items():
        form = {"action": "grant", "where": "all", "expires": "0", "name": name, "request": sealed[name]}
        said[name] = page.post("/device", form).content.decode()
    assert "alice is connected" in said["alice"]
    assert "No machine waits with this code." in said["bob"]
    poll(machine, waiting["device_code"])
    assert Connection.objects.get().agent.person == cast.people["alice"]
    assert Token.objects.filter(type="at").get().user == cast.people["alice"]


@pytest.mark.parametrize(("action", "said"), [("grant", "x is connected"), ("deny", "Denied")])
def test_of_two_clicks_at_once_both_are_told_the_one_outcome(committed_cast: Cast, action: str, said: str) -> None:
    machine = Host(browser=browser_of(committed_cast, "alice")).register(grant_types=[DEVICE], redirect_uris=None)
    waiting = start(machine)
    page = machine.browser.get("/device", {"code": waiting["user_code"]})
    form = {"action": action, "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    other = browser_of(committed_cast, "alice")
    answers = together(partial(machine.browser.post, "/device", form), partial(other.post, "/device", form))

    assert [answer.status_code for answer in answers] == [200, 200]
    assert all(said in answer.content.decode() for answer in answers)
    assert Connection.objects.count() == (action == "grant")


@pytest.mark.parametrize(
    ("change", "error", "status"),
    [
        ({"device_code": "forged"}, "invalid_grant", 400),
        ({"device_code": None}, "invalid_request", 400),
        ({"client_id": "unknown"}, "invalid_client", 401),
        ({"resource": "https://other.example"}, "invalid_target", 400),
        ({"resource": "http://127.0.0.1:8000"}, "invalid_target", 400),
        ({"resource": "nonsense"}, "invalid_target", 400),
        ({"client_secret": "x"}, "invalid_client", 401),
    ],
)
def test_nothing_else_gets_the_tokens(machine: Host, change: dict[str, Any], error: str, status: int) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    refused = poll(machine, **{"code": waiting["device_code"], **change})
    assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert poll(machine, waiting["device_code"]).status_code == 200


def test_another_client_does_not_get_the_tokens(machine: Host, cast: Cast) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    other = Host(browser=machine.browser).register(grant_types=[DEVICE], redirect_uris=None)
    assert poll(other, waiting["device_code"]).json()["error"] == "invalid_grant"


def test_the_code_that_people_type_is_no_device_code(machine: Host) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    for code in (waiting["user_code"], waiting["user_code"].replace("-", "").lower()):
        assert poll(machine, code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("change", "error", "status"),
    [
        ({"client_id": "unknown"}, "invalid_client", 401),
        ({"client_id": None}, "invalid_request", 400),
        ({"scope": "openid"}, "invalid_scope", 400),
        ({"scope": "workspace:read admin"}, "invalid_scope", 400),
        ({"resource": "https://other.example"}, "invalid_target", 400),
        ({"resource": "nonsense"}, "invalid_target", 400),
        ({"resource": "http://[::1"}, "invalid_target", 400),
    ],
)
def test_a_wrong_start_is_told(machine: Host, change: dict[str, Any], error: str, status: int) -> None:
    refused = machine.post(START, **{"client_id": machine.client_id, **change})
    assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert not Token.objects.exists()


def test_a_client_that_did_not_register_for_it_gets_no_code(host: Host) -> None:
    assert host.post(START, client_id=host.client_id).json()["error"] == "unauthorized_client"


def test_what_was_asked_and_decided_is_what_is_granted(machine: Host, base: str) -> None:
    waiting = start(machine, scope="workspace:read", resource=base)
    answer(machine, waiting["user_code"])
    found = poll(machine, waiting["device_code"], resource=f"{base}/").json()
    assert found["scope"] == "workspace:read"
    assert Token.objects.get(type="at").get_resources() == [base]

    waiting = start(machine)
    answer(machine, waiting["user_code"], read_only="on")
    assert poll(machine, waiting["device_code"]).json()["scope"] == "workspace:read"


def test_a_person_types_the_code_as_they_like(machine: Host) -> None:
    code = start(machine)["user_code"]
    for typed in (code, code.lower(), code.replace("-", ""), f" {code.replace('-', ' ')} "):
        assert machine.browser.get("/device", {"code": typed}).status_code == 200


def test_guessing_is_bounded_for_an_address(machine: Host) -> None:
    for n in range(10):
        guess = machine.browser.get("/device", {"code": f"GUES-{n}"}, headers={"X-Forwarded-For": f"203.0.113.{n}"})
        assert guess.status_code == 422
    limited = machine.browser.get("/device", {"code": start(machine)["user_code"]})
    assert limited.status_code == 429
    assert limited["Retry-After"] == "60"


@pytest.mark.parametrize("code", ["", " ", "-", "ÄÖ", "x\x00y", "a" * 10_000, "%00", "<script>"])
def test_what_is_no_code_is_told(machine: Host, code: str) -> None:
    assert machine.browser.post("/device", {"code": code}).status_code == 422


def test_a_visitor_signs_in_before_answering(machine: Host) -> None:
    answered = Client().get("/device", {"code": start(machine)["user_code"]})
    assert answered.status_code == 302
    assert answered["Location"].startswith("/accounts/login/?next=/device%3Fcode%3D")


def test_a_foreign_page_cannot_answer(machine: Host, cast: Cast) -> None:
    waiting = start(machine)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.people["alice"])
    page = browser.get("/device", {"code": waiting["user_code"]})
    assert page["X-Frame-Options"] == "DENY"
    form = {"action": "grant", "where": "all", "expires": "0", "name": "x", "request": page.context["sealed"]}
    assert browser.post("/device", form).status_code == 403
    assert poll(machine, waiting["device_code"]).json()["error"] == "authorization_pending"


def test_codes_are_stored_by_their_hash(machine: Host) -> None:
    waiting = start(machine)
    rows = " ".join(f"{row.hash} {row.data}" for row in Token.objects.all())
    assert waiting["device_code"] not in rows
    assert waiting["user_code"] not in rows
    assert waiting["user_code"].replace("-", "").lower() not in rows


def test_a_device_code_is_no_token(machine: Host) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    assert not works(waiting["device_code"])


def test_starts_are_bounded_for_an_address(machine: Host, settings: Any) -> None:
    settings.BATON_OAUTH_PER_MINUTE = 2
    answers = [machine.post(START, client_id=machine.client_id) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1]["Retry-After"] == "60"


def test_an_agent_that_was_revoked_before_the_poll_gets_nothing(machine: Host, cast: Cast) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    agents.revoke(cast.alice, agent=Agent.objects.get(connection__isnull=False).pk)
    assert poll(machine, waiting["device_code"]).json()["error"] == "invalid_grant"


def test_a_person_who_was_deactivated_before_the_poll_lets_nobody_in(machine: Host, cast: Cast) -> None:
    waiting = start(machine)
    answer(machine, waiting["user_code"])
    cast.people["alice"].is_active = False
    cast.people["alice"].save()
    assert poll(machine, waiting["device_code"]).json()["error"] == "invalid_grant"
