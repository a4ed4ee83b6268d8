"""Who may make an account for themselves: nobody, unless the instance says so."""

from typing import Any

import pytest
from django.test import Client

from workspace.models import Person

SENT = {"email": "eve@example.org", "password1": "correct horse battery", "password2": "correct horse battery"}


@pytest.mark.django_db
def test_nobody_makes_an_account_where_sign_up_is_closed(client: Client) -> None:
    page = client.get("/accounts/signup/")
    answer = client.post("/accounts/signup/", SENT)

    assert "<form" not in page.content.decode()
    assert "<form" not in answer.content.decode()
    assert not Person.objects.filter(email="eve@example.org").exists()
    assert "/accounts/signup/" not in client.get("/accounts/login/").content.decode()


@pytest.mark.django_db
def test_anybody_makes_one_where_it_is_open_and_reads_nothing_yet(client: Client, settings: Any) -> None:
    settings.BATON_SIGNUP = "open"
    assert "/accounts/signup/" in client.get("/accounts/login/").content.decode()
    answer = client.post("/accounts/signup/", SENT)

    assert answer.status_code == 302
    assert Person.objects.filter(email="eve@example.org", is_superuser=False).exists()
    assert client.get("/").status_code == 200
