"""The page on which a person answers a machine without a browser."""

import re
from html import unescape
from typing import Any

import pytest
from allauth.idp.oidc.models import Token
from django.test import Client

from tests.cast import Cast
from tests.oauth.conftest import TOKEN, Host, browser_of, works
from workspace.models import Agent, Connection
from workspace.oauth import limits

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
ALLOW = {"action": "grant", "agent": "", "name": "Rack", "where": "all", "expires": "30"}


class Machine:
    """A machine that waits for its person."""

    def __init__(self) -> None:
        document = {"client_name": "Rack tool", "grant_types": [GRANT, "refresh_token"], "redirect_uris": None}
        self.host = Host(browser=Client()).register(**document)
        started = self.host.post("/oauth/device/code", client_id=self.host.client_id).json()
        self.code, self.shown = started["device_code"], started["user_code"]

    def poll(self) -> Any:
        """What it is told, as if it had waited for the interval."""
        for row in Token.objects.filter(type="dc"):
            row.data["polled"] = 0
            row.save()
        return self.host.post(TOKEN, grant_type=GRANT, device_code=self.code, client_id=self.host.client_id).json()


@pytest.fixture
def machine(db: None) -> Machine:
    return Machine()


@pytest.fixture
def alice(cast: Cast) -> Client:
    return browser_of(cast, "alice")


def words(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def look(browser: Client, machine: Machine) -> Any:
    page = browser.post("/device", {"code": machine.shown})
    assert page.status_code == 200
    return page


def test_the_page_warns_shows_the_code_and_who_asks(alice: Client, machine: Machine) -> None:
    for page in (look(alice, machine), alice.get("/device", {"code": machine.shown})):
        said = words(page)
        assert "Only if you started this on your own machine just now" in said
        assert machine.shown in said
        assert "Rack tool asks to act for you" in said
        assert "unverified" in said
        assert "Read and write" in said


@pytest.mark.parametrize("write", [str.lower, lambda code: code.replace("-", ""), lambda code: f" {code} "])
def test_a_code_may_be_typed_as_people_type(alice: Client, machine: Machine, write: Any) -> None:
    assert alice.post("/device", {"code": write(machine.shown)}).status_code == 200


def test_allowing_lets_the_machine_in_as_far_as_was_chosen(alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]
    form = {**ALLOW, "where": "chosen", "place": "product/launch", "read_only": "1"}
    done = alice.post("/device", {"request": sealed, **form})
    tokens = machine.poll()

    assert done.status_code == 200
    assert "Rack is connected" in words(done)
    assert tokens["scope"] == "workspace:read"
    assert works(tokens["access_token"])
    (scope,) = Agent.objects.get(name="Rack").scopes.all()
    assert scope.folder is not None
    assert scope.folder.path == "product/launch"


def test_denying_tells_the_machine(alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]
    done = alice.post("/device", {"request": sealed, "action": "deny"})

    assert "Denied" in words(done)
    assert machine.poll()["error"] == "access_denied"
    assert not Connection.objects.exists()


def test_a_code_is_answered_once(alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]
    assert alice.post("/device", {"request": sealed, **ALLOW}).status_code == 200

    again = alice.post("/device", {"request": sealed, **ALLOW, "name": "Second"})
    assert f"{Connection.objects.get().agent.name} is connected" in words(again)
    assert "Second" not in words(again)
    machine.poll()
    assert alice.post("/device", {"request": sealed, **ALLOW, "name": "Third"}).status_code == 422
    assert Connection.objects.count() == 1


@pytest.mark.parametrize("code", ["AAAA-AAAA", "", "  ", "é", "x" * 5_000])
def test_a_wrong_code_is_422_and_can_be_typed_again(alice: Client, code: str) -> None:
    response = alice.post("/device", {"code": code})

    assert response.status_code == 422
    assert 'name="code"' in response.content.decode()


def test_a_form_that_cannot_be_taken_is_422_and_the_machine_still_waits(alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]
    response = alice.post("/device", {"request": sealed, **ALLOW, "where": "chosen", "name": "My rack"})

    assert response.status_code == 422
    assert 'value="My rack"' in response.content.decode()
    assert machine.poll()["error"] == "authorization_pending"
    assert alice.post("/device", {"request": sealed, **ALLOW}).status_code == 200


def test_guessing_codes_is_stopped(alice: Client) -> None:
    answers = [alice.post("/device", {"code": f"AAAA-AAA{n}"}) for n in range(limits.GUESSES + 1)]

    assert [answer.status_code for answer in answers] == [422] * limits.GUESSES + [429]
    assert answers[-1]["Retry-After"] == "60"
    assert "Wait a minute" in words(answers[-1])


def test_somebody_elses_page_lets_no_machine_in(cast: Cast, alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]
    response = browser_of(cast, "mallory").post("/device", {"request": sealed, **ALLOW})

    assert response.status_code == 403
    assert machine.poll()["error"] == "authorization_pending"


def test_a_page_of_the_other_endpoint_is_not_taken(alice: Client, machine: Machine) -> None:
    sealed = look(alice, machine).context["sealed"]

    assert alice.post("/oauth/authorize", {"request": sealed, **ALLOW}).status_code == 403


def test_a_foreign_page_cannot_send_the_form(cast: Cast, alice: Client, machine: Machine) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.people["alice"])
    sealed = look(alice, machine).context["sealed"]

    assert strict.post("/device", {"request": sealed, **ALLOW}).status_code == 403
    assert strict.post("/device", {"code": machine.shown}).status_code == 403
    assert machine.poll()["error"] == "authorization_pending"


def test_a_visitor_signs_in_first_and_comes_back_with_the_code(db: None) -> None:
    response = Client().get("/device?code=AAAA-AAAA")

    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/device%3Fcode%3DAAAA-AAAA"
