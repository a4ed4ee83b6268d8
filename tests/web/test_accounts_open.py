"""Who may make an account for themselves: nobody, unless the instance says so."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from tests.cast import PASSWORD, Cast
from workspace.models import Person

SENT = {"name": "Eve", "email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}
SIGN_IN = {"login": "eve@example.org", "password": PASSWORD}


@pytest.mark.django_db
def test_nobody_makes_an_account_where_sign_up_is_closed(client: Client) -> None:
    page = client.get("/accounts/signup/")
    answer = client.post("/accounts/signup/", SENT)

    assert "invite you" in page.content.decode()
    assert "<form" not in page.content.decode()
    assert "<form" not in answer.content.decode()
    assert not Person.objects.filter(email="eve@example.org").exists()
    assert "Create one" not in client.get("/accounts/login/").content.decode()


@pytest.mark.django_db
def test_anybody_makes_one_where_it_is_open_and_enters_with_a_confirmed_address(client: Client, settings: Any) -> None:
    settings.BATON_SIGNUP = "open"
    assert "Create one" in client.get("/accounts/login/").content.decode()
    answer = client.post("/accounts/signup/", SENT)

    assert answer["Location"] == "/accounts/confirm-email/"
    assert Person.objects.get(email="eve@example.org", is_superuser=False).name == "Eve"
    assert client.get("/").status_code == 302
    assert client.post("/accounts/login/", SIGN_IN)["Location"] == "/accounts/confirm-email/"
    found = re.search(r"http://127\.0\.0\.1:8000(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
    assert found
    assert client.post(found[1]).status_code == 302
    assert client.post("/accounts/login/", SIGN_IN)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_signing_up_tells_nobody_who_has_an_account(client: Client, cast: Cast, settings: Any) -> None:
    settings.BATON_SIGNUP = "open"
    fresh = client.post("/accounts/signup/", SENT, follow=True)
    taken = Client().post("/accounts/signup/", {**SENT, "email": "alice@example.org"}, follow=True)

    assert fresh.redirect_chain == taken.redirect_chain
    assert fresh.content.decode().replace("eve@", "alice@") == taken.content.decode()
    assert [message.to for message in mail.outbox] == [["eve@example.org"], ["alice@example.org"]]
    assert "has one" in str(mail.outbox[1].body)
    assert Person.objects.get(email="alice@example.org").check_password(PASSWORD)


def test_asking_for_a_new_password_tells_nobody_who_has_an_account(cast: Cast) -> None:
    answers = [Client().post("/accounts/password/reset/", {"email": e}) for e in ("alice@example.org", "x@example.org")]

    assert [(a.status_code, a["Location"]) for a in answers] == [(302, "/accounts/password/reset/done/")] * 2
    assert len(mail.outbox) == 2


def test_a_wrong_password_and_an_unknown_address_are_one_answer(cast: Cast) -> None:
    def answer(address: str) -> str:
        page = Client().post("/accounts/login/", {"login": address, "password": "no"}).content.decode()
        return re.sub(r'value="[^"]*"', "", page)

    assert answer("alice@example.org") == answer("nobody@example.org")
