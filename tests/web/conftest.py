"""Browsers without a screen: the cast, signed in through Django's test client."""

from collections.abc import Callable

import pytest
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
