"""One answer to one request counts, however often the form is sent."""

from functools import partial
from typing import Any

from allauth.idp.oidc.models import Token

from tests.cast import Cast
from tests.oauth.conftest import AUTHORIZE, Host, browser_of, together, told, works
from workspace.models import Agent, AuditEntry, Connection
from workspace.oauth import once

ALLOW = {"action": "grant", "agent": "", "name": "Laptop", "where": "all", "expires": "30"}


def form(host: Host, **changes: str) -> dict[str, Any]:
    return {"request": host.ask().context["sealed"], **ALLOW, **changes}


def test_of_two_clicks_at_once_one_makes_an_agent_and_both_lead_to_its_code(committed_cast: Cast) -> None:
    host = Host(browser=browser_of(committed_cast, "alice")).register()
    before = Agent.objects.count()
    sent = form(host)
    other = browser_of(committed_cast, "alice")
    answers = together(partial(host.browser.post, AUTHORIZE, sent), partial(other.post, AUTHORIZE, sent))

    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Agent.objects.count() == before + 1
    assert AuditEntry.objects.filter(action="agent.connected").count() == 1
    assert works(host.exchange(told(answers[1])["code"]).json()["access_token"])


def test_two_tabs_with_one_request_make_one_agent_under_whatever_names(host: Host) -> None:
    first, second = form(host, name="One"), form(host, name="Two")
    locations = [host.browser.post(AUTHORIZE, sent)["Location"] for sent in (first, second)]

    assert locations[0] == locations[1]
    assert Connection.objects.get().agent.name == "One"


def test_an_answer_whose_code_was_used_is_said_to_be_given(host: Host) -> None:
    sent = form(host)
    tokens = host.exchange(told(host.browser.post(AUTHORIZE, sent))["code"]).json()
    again = host.browser.post(AUTHORIZE, {**sent, "name": "Another"})

    assert again.status_code == 409
    assert "answered this already" in again.content.decode()
    assert Connection.objects.count() == 1
    assert works(tokens["access_token"])


def test_a_no_after_a_yes_says_that_the_yes_stands(host: Host) -> None:
    yes, no = (host.browser.post(AUTHORIZE, form(host, action=action)) for action in ("grant", "deny"))

    assert yes.status_code == 302
    assert no.status_code == 409
    assert Connection.objects.count() == 1


def test_no_twice_is_told_twice_and_leaves_nothing_behind(host: Host) -> None:
    first, second = (host.browser.post(AUTHORIZE, form(host, action="deny")) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert told(first)["error"] == "access_denied"
    assert not Token.objects.exists()


def test_a_form_that_was_refused_can_be_mended(host: Host) -> None:
    assert host.browser.post(AUTHORIZE, form(host, where="chosen")).status_code == 422
    assert host.browser.post(AUTHORIZE, form(host)).status_code == 302


def test_another_person_answers_for_themselves(cast: Cast, host: Host) -> None:
    assert host.browser.post(AUTHORIZE, form(host)).status_code == 302
    host.browser = browser_of(cast, "bob")
    assert host.browser.post(AUTHORIZE, form(host)).status_code == 302
    assert {row.agent.person.email for row in Connection.objects.all()} == {"alice@example.org", "bob@example.org"}


def test_no_code_is_kept_as_it_is(host: Host) -> None:
    code = told(host.browser.post(AUTHORIZE, form(host)))["code"]
    assert code not in str(Token.objects.get(type=once.ANSWER).data)
