"""Agents, and the first account."""

import re

import pytest
from django.test import Client

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.actor import Via
from workspace.services import bearer, welcome


def test_a_token_is_shown_once_and_works(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    form = {"name": "helper", "host": "codex", "role": "viewer", "location": "product/launch", "expires_days": "5"}
    response = alice.post("/agents", form)
    token = re.search(r"btn_[0-9A-Za-z]{38}", response.content.decode())

    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    assert token
    actor = bearer.authenticate(token[0], via=Via.MCP)
    assert actor.agent_name == "helper"
    assert len(actor.scopes) == 1
    assert token[0] not in alice.get("/agents").content.decode()


def test_a_taken_agent_name_is_409(signed_in: SignIn, cast: Cast) -> None:
    response = signed_in("alice").post("/agents", {"name": "scout", "role": "editor"})

    assert response.status_code == 409


def test_a_revoked_agent_is_marked_and_refused(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    agent = cast.scout.agent
    assert alice.post(f"/agents/{agent}/revoke").status_code == 302

    assert "revoked" in alice.get("/agents").content.decode()
    with pytest.raises(Exception, match="not valid"):
        bearer.authenticate(cast.tokens["scout"], via=Via.MCP)


def test_nobody_ends_the_agent_of_another(signed_in: SignIn, cast: Cast) -> None:
    assert signed_in("bob").post(f"/agents/{cast.scout.agent}/revoke").status_code == 404
    assert cast.scout.agent


def test_the_first_link_makes_the_administrator_and_signs_in(client: Client, db: None) -> None:
    token = welcome.make_link()
    assert client.get(f"/welcome/{token}").status_code == 200
    bad = client.post(f"/welcome/{token}", {"email": "ann", "name": "Ann", "password": "short"})
    assert bad.status_code == 422
    form = {"email": "ann@example.org", "name": "Ann", "password": "a sentence to keep"}
    response = client.post(f"/welcome/{token}", form, follow=True)

    assert "Begin with a folder" in response.content.decode()
    assert Client().get(f"/welcome/{token}").status_code == 410


def test_a_person_signs_in_with_email_and_password(client: Client, cast: Cast) -> None:
    page = client.get("/accounts/login/?next=/agents")
    assert "Keep me signed in" in page.content.decode()
    wrong = client.post("/accounts/login/", {"login": "alice@example.org", "password": "nope"})
    assert 'aria-invalid="true"' in wrong.content.decode() or "notice-bad" in wrong.content.decode()
    right = client.post(
        "/accounts/login/?next=/agents",
        {"login": "alice@example.org", "password": "correct horse battery", "next": "/agents"},
    )

    assert right["Location"] == "/agents"
