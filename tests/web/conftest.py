"""Browsers without a screen: the cast, signed in through Django's test client."""

import time
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client

from tests.cast import Cast

type SignIn = Callable[[str], Client]


@pytest.fixture
def signed_in(cast: Cast) -> SignIn:
    """``signed_in("alice")`` is a client that acts as alice."""

    def sign_in(name: str) -> Client:
        client = Client()
        client.force_login(cast.people[name], backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    return sign_in


def server_rests(*, within_s: float = 10.0) -> None:
    """Waits until no request is being answered. Pages ask by themselves, and one that is still answered when its page
    is gone would hold locks while the tables are emptied."""
    quiet, until = 0, time.monotonic() + within_s
    while quiet < 3 and time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            quiet = quiet + 1 if cursor.fetchone() == (0,) else 0
        time.sleep(0.1)
