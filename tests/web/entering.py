"""Browsers in which alice signs in with her password."""

from typing import Any

from django.test import Client

from tests.cast import PASSWORD

ALICE = {"login": "alice@example.org", "password": PASSWORD}


def entered(**more: Any) -> Client:
    client = Client(**more)
    assert client.post("/accounts/login/", ALICE)["Location"] == "/"
    return client


def inside(client: Client) -> bool:
    return client.get("/agents").status_code == 200
