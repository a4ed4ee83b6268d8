"""The consent page: what it says of who asks, what a person can choose, and how it can be attacked."""

import re
import secrets
import time
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.cast import Cast
from tests.oauth.conftest import AUTHORIZE, Host, browser_of, told, works
from workspace.models import Agent, AgentScope, Connection
from workspace.services import agents, documents, folders

ALLOW = {"action": "grant", "agent": "", "name": "Laptop", "where": "all", "expires": "30"}


def answer(host: Host, form: dict[str, Any], **changes: Any) -> Any:
    """What the browser gets for sending the page of a new request with ``form``, whatever that holds."""
    host.verifier = secrets.token_urlsafe(48)
    page = host.ask(**changes)
    assert page.status_code == 200
    return host.browser.post(AUTHORIZE, {"request": page.context["sealed"], **form})


def words(response: Any) -> str:
    """The text of a page, on one line."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(text).split())


# -- what it says -----------------------------------------------------------------


def test_it_says_who_asks_for_whom_and_where_the_answer_goes(host: Host) -> None:
    said = words(host.ask())

    assert "Claude Code asks to act for you" in said
    assert "unverified It calls itself that. Anybody can register under this name." in said
    assert "A program on this computer 127.0.0.1" in said
    assert "Alice alice@example.org" in said
    assert "Read and write" in said


def test_another_website_is_named_as_one(cast: Cast) -> None:
    uri = "https://assistant.example.com/callback"
    host = Host(browser=browser_of(cast, "alice"), redirect_uri=uri).register(redirect_uris=[uri])

    assert "assistant.example.com another website: go on only if you know it" in words(host.ask())


def test_a_program_that_asks_to_read_is_not_said_to_write_nor_lets_one_choose(host: Host) -> None:
    page = host.ask(scope="workspace:read")

    assert "It did not ask to write" in words(page)
    assert 'name="read_only"' not in page.content.decode()


def test_a_name_is_shown_as_text_without_its_tricks(cast: Cast) -> None:
    host = Host(browser=browser_of(cast, "alice")).register(client_name="A\u202eB & 'C'")
    html = host.ask().content.decode()

    assert "\u202e" not in html
    assert "<bdi>AB &amp; &#x27;C&#x27;</bdi>" in html


def test_folders_are_only_the_persons_own(cast: Cast, host: Host) -> None:
    folders.create(cast.bob, location="bobs secret")
    html = host.ask().content.decode()

    assert 'value="product/launch"' in html
    assert "bobs secret" not in html


def test_a_folder_that_is_only_on_the_way_has_no_box(cast: Cast) -> None:
    html = Host(browser=browser_of(cast, "carol")).register().ask().content.decode()

    assert 'value="product/launch"' in html
    assert 'value="product"' not in html
    assert "product</span>" in html


def test_more_folders_than_the_tree_holds_can_be_named(cast: Cast, host: Host) -> None:
    for n in range(305):
        folders.create(cast.alice, location=f"many/f{n:03}")
    page = host.ask()

    assert page.content.decode().count('name="place"') == 300
    assert "folders more" in words(page)
    assert answer(host, {**ALLOW, "where": "chosen", "others": "many/f304\r\n"}).status_code == 302


# -- what one can choose ----------------------------------------------------------


def test_what_was_chosen_holds_for_the_token(cast: Cast, host: Host, plan: str) -> None:
    documents.create(cast.alice, location="other/page.md", content="# Other\n")
    form = {**ALLOW, "where": "chosen", "place": ["product/launch"], "read_only": "1"}
    response = answer(host, form)
    tokens = host.exchange(told(response)["code"]).json()
    call = {"headers": {"Authorization": f"Bearer {tokens['access_token']}"}}

    assert tokens["scope"] == "workspace:read"
    assert Client().get("/api/v1/documents/product/launch/plan.md", **call).status_code == 200
    assert Client().get("/api/v1/documents/other/page.md", **call).status_code == 404
    sent = {"append": "Mine."}
    change = Client().patch("/api/v1/documents/product/launch/plan.md", sent, "application/json", **call)
    assert change.status_code == 403
    agent = Agent.objects.get(name="Laptop")
    assert agent.expires_at is not None
    assert AgentScope.objects.get(agent=agent).folder is not None


def test_revoking_the_agent_ends_the_token_with_the_next_request(cast: Cast, host: Host) -> None:
    tokens = host.exchange(told(answer(host, ALLOW))["code"]).json()
    assert works(tokens["access_token"])

    agents.revoke(cast.alice, agent=Agent.objects.get(name="Laptop").pk)
    assert not works(tokens["access_token"])
    assert host.refresh(tokens["refresh_token"]).status_code == 400


def test_a_second_consent_shows_the_first_and_needs_one_click(host: Host) -> None:
    form = {**ALLOW, "where": "chosen", "place": ["product/launch"], "read_only": "1", "expires": "7"}
    first = host.exchange(told(answer(host, form))["code"]).json()
    host.verifier = secrets.token_urlsafe(48)
    page = host.ask()
    said, html = words(page), page.content.decode()
    agent = Agent.objects.get(name="Laptop")

    assert "You allowed this on" in said
    assert "The same as Laptop" in said
    assert re.search(r'value="product/launch" checked', html)
    assert re.search(r'name="read_only" value="1" checked', html)
    assert re.search(r'<option value="7" selected', html)
    # The fields as a browser would send them back untouched.
    again = {"action": "grant", "agent": agent.pk, "name": "x", "where": "chosen", "place": "product/launch"}
    response = host.browser.post(
        AUTHORIZE, {"request": page.context["sealed"], **again, "read_only": "1", "expires": "7"}
    )
    assert response.status_code == 302
    assert Agent.objects.filter(connection__client_id=host.client_id).count() == 1
    assert works(host.exchange(told(response)["code"]).json()["access_token"])
    assert not works(first["access_token"])


def test_another_install_of_the_same_client_is_another_agent(host: Host) -> None:
    answer(host, ALLOW)
    assert host.ask().context["form"].shown["name"] == "Claude Code"
    answer(host, {**ALLOW, "name": "Desktop"})

    assert set(Agent.objects.filter(connection__client_id=host.client_id).values_list("name", flat=True)) == {
        "Laptop",
        "Desktop",
    }


def test_saying_no_tells_the_program_and_makes_nothing(host: Host) -> None:
    response = answer(host, {"action": "deny"})

    assert told(response)["error"] == "access_denied"
    assert not Connection.objects.exists()


# -- forms that are wrong ---------------------------------------------------------

WRONG = [
    ({"where": "chosen"}, "Choose at least one folder."),
    ({"where": "all", "place": ["product"]}, "You chose folders as well."),
    ({"where": "chosen", "others": "nowhere/at all"}, "nowhere/at all is no place that you can see."),
    ({"where": "chosen", "others": "product\x07"}, "is no place that you can see."),
    ({"where": "elsewhere"}, "Select a valid choice."),
    ({"manage": "1"}, "cannot manage what it may only read"),
    ({"name": ""}, "Give it a name"),
    ({"name": "scout"}, "You have an agent of this name."),
    ({"expires": "-5"}, "Select a valid choice."),
    ({"agent": "agt_nobody"}, "none of your agents that this program was before"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_a_form_that_cannot_be_taken_is_422_and_keeps_what_was_typed(
    cast: Cast, host: Host, wrong: dict[str, Any], said: str
) -> None:
    typed = {**ALLOW, "name": "My own laptop", "read_only": "1", "expires": "7", **wrong}
    response = answer(host, typed)

    assert response.status_code == 422
    assert said in words(response)
    assert not Connection.objects.exists()
    html = response.content.decode()
    if "name" not in wrong:
        assert 'value="My own laptop"' in html
    if "expires" not in wrong:
        assert re.search(r'<option value="7" selected', html)
    assert re.search(r'name="read_only" value="1" checked', html)
    assert unescape(str(wrong.get("others", ""))) in unescape(html)
    # And the page can be sent again.
    assert host.browser.post(AUTHORIZE, {"request": response.context["sealed"], **ALLOW}).status_code == 302


def test_a_hidden_folder_is_answered_as_an_absent_one(cast: Cast) -> None:
    folders.create(cast.alice, location="vault")
    host, answers = Host(browser=browser_of(cast, "mallory")).register(), []
    for place in ("vault", "vauly"):
        page = host.ask()
        form = {"request": page.context["sealed"], **ALLOW, "where": "chosen", "others": place}
        with CaptureQueriesContext(database) as queries:
            response = host.browser.post(AUTHORIZE, form)
        text = re.sub(r'(csrfmiddlewaretoken|request|key)" value="[^"]*"', "", response.content.decode())
        answers.append((response.status_code, text.replace(place, "…"), len(queries)))

    assert answers[0] == answers[1]


# -- attacks ----------------------------------------------------------------------


def test_a_page_that_was_made_for_somebody_else_lets_nobody_in(cast: Cast, host: Host) -> None:
    sealed = host.ask().context["sealed"]
    response = browser_of(cast, "mallory").post(AUTHORIZE, {"request": sealed, **ALLOW})

    assert response.status_code == 403
    assert not Connection.objects.exists()


def test_a_page_is_good_for_ten_minutes(host: Host) -> None:
    with patch("django.core.signing.time.time", return_value=time.time() - 590):
        fresh = host.ask().context["sealed"]
    with patch("django.core.signing.time.time", return_value=time.time() - 601):
        stale = host.ask().context["sealed"]

    assert host.browser.post(AUTHORIZE, {"request": stale, **ALLOW}).status_code == 403
    assert not Connection.objects.exists()
    assert host.browser.post(AUTHORIZE, {"request": fresh, **ALLOW}).status_code == 302


def test_what_was_sealed_cannot_be_changed(host: Host) -> None:
    sealed = host.ask().context["sealed"]

    for forged in (sealed[:-1] + ("A" if sealed[-1] != "A" else "B"), "x", sealed.partition(":")[0]):
        assert host.browser.post(AUTHORIZE, {"request": forged, **ALLOW}).status_code == 403
    assert not Connection.objects.exists()


def test_a_foreign_page_cannot_send_the_form(cast: Cast, host: Host) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.people["alice"])
    sealed = host.ask().context["sealed"]

    assert strict.post(AUTHORIZE, {"request": sealed, **ALLOW}).status_code == 403
    assert not Connection.objects.exists()


def test_it_cannot_be_framed_kept_or_posted_elsewhere(host: Host) -> None:
    page = host.ask()
    policy = dict(part.strip().partition(" ")[::2] for part in page["Content-Security-Policy"].split(";"))

    assert page["X-Frame-Options"] == "DENY"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == "'self' http://127.0.0.1:7777"
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    "uri", ["https://assistant.example.com/callback", "com.example.app:/callback", "http://[::1]:7777/callback"]
)
def test_only_a_loopback_port_is_added_to_the_policy_and_all_else_is_left_for_by_a_page(cast: Cast, uri: str) -> None:
    host = Host(browser=browser_of(cast, "alice"), redirect_uri=uri).register(redirect_uris=[uri])
    page, response = host.ask(), answer(host, ALLOW)

    assert "form-action 'self';" in page["Content-Security-Policy"] + ";"
    assert response.status_code == 200
    assert response["Refresh"].startswith(f"0; url={uri}?code=")
    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]
