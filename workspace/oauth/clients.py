"""Who asks: a client that registered, or one whose id is the address of its own description."""

from urllib.parse import urlsplit

from allauth.idp.oidc.models import Client
from django.http import HttpRequest
from oauthlib.oauth2.rfc6749.errors import (
    FatalClientError,
    InvalidClientIdError,
    MismatchingRedirectURIError,
    MissingClientIdError,
    MissingRedirectURIError,
)

from workspace.oauth import documents, redirects

LONGEST = 100


def find(request: HttpRequest, client_id: str, *, fetch: bool = False) -> Client | None:
    """The client; None where there is none. With ``fetch`` its document is read where it is due."""
    if not client_id or len(client_id) > LONGEST:
        return None
    client = Client.objects.filter(pk=client_id).first()
    if not documents.is_address(client_id):
        return client
    # A host that is no longer listed vouches for nobody.
    if not documents.is_allowed(client_id):
        return None
    if fetch and documents.is_due(client):
        return documents.fetch(request, client_id, client)
    return client


def hold(client: Client) -> bool:
    """Keeps the client from being cleared away as unused, until the transaction ends; False where it just was.

    A new row that names it does not: that foreign key is checked, and locks, at the end of the transaction only.
    """
    return Client.objects.select_for_update(no_key=True).filter(pk=client.pk).exists()


def may_fetch(client_id: str) -> bool:
    """Whether the id is the address of a document that this instance would read."""
    return len(client_id) <= LONGEST and documents.is_address(client_id) and documents.is_allowed(client_id)


def unknown(client_id: str) -> FatalClientError:
    """What is wrong with an id that names no client."""
    return InvalidClientIdError() if client_id else MissingClientIdError()


def check_redirect(client: Client, redirect_uri: str) -> None:
    """Raises a ``FatalClientError`` unless the client registered ``redirect_uri``."""
    if not redirect_uri:
        raise MissingRedirectURIError
    if not redirects.matches(client.get_redirect_uris(), redirect_uri):
        raise MismatchingRedirectURIError


def vouching_host(client: Client) -> str:
    """The host whose document describes the client; "" for one that registered, for which nobody vouches."""
    return urlsplit(client.pk).hostname or "" if documents.is_address(client.pk) else ""
