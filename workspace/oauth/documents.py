"""Clients whose id is the address of a document that describes them. Off unless hosts are listed."""

from allauth.idp.oidc.models import Client
from django.conf import settings
from django.http import HttpRequest


def is_address(client_id: str) -> bool:
    """Whether the id is such an address."""
    return client_id.startswith("https:")


def is_allowed(client_id: str) -> bool:
    return bool(settings.BATON_OAUTH_CLIENT_HOSTS) and False


def is_due(client: Client | None) -> bool:
    return client is None


def fetch(request: HttpRequest, client_id: str) -> Client | None:
    return None
