"""Clients whose id is the https address of a document that describes them, fetched when a person is to be asked.

Off unless ``BATON_OAUTH_CLIENT_HOSTS`` lists hosts. The library would fetch too; it is left off, since it goes
wherever a name leads. What is fetched is kept for an hour, and for a day where its host does not answer.
"""

import hashlib
import logging
import posixpath
from datetime import timedelta
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from allauth.idp.oidc.models import Client
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from workspace.oauth import fetching, limits, registration
from workspace.oauth.fetching import NotFetched

LONGEST: Final = 100
"""What the library's table holds of a client's id."""
FRESH: Final = timedelta(hours=1)
KEPT: Final = timedelta(days=1)
FAILED_FOR_S: Final = 60
logger = logging.getLogger(__name__)


def is_address(client_id: str) -> bool:
    """Whether the id means a document, good or not: no client that registered has such an id."""
    return client_id[:6].lower() == "https:"


def is_allowed(client_id: str) -> bool:
    """Whether this instance would read that document."""
    address = _address(client_id)
    hosts = settings.BATON_OAUTH_CLIENT_HOSTS
    return address is not None and ("*" in hosts or address.hostname in hosts)


def is_due(client: Client | None) -> bool:
    """Whether what is known of the client is older than an hour."""
    return client is None or _age(client) > FRESH


def fetch(request: HttpRequest, client_id: str, known: Client | None) -> Client | None:
    """The client as its document describes it now; as it was known where that cannot be had, for a day. Raises
    ``TooMany`` for an address that makes this server fetch too much."""
    address = _address(client_id)
    if address is None:
        return None
    kept = known if known is not None and _age(known) <= KEPT else None
    failed = f"oauth-document:{hashlib.sha256(client_id.encode()).hexdigest()}"
    if cache.get(failed):
        return kept
    limits.spend(request, "document")
    try:
        body = fetching.fetch(address, private=settings.BATON_OAUTH_PRIVATE_ADDRESSES)
        client = _described(client_id, registration.parse(body))
        client.save(force_insert=known is None, force_update=known is not None)
    except (NotFetched, OAuth2Error, ValidationError) as error:
        logger.warning("The document of client %s was not taken: %s", client_id, error)
        cache.set(failed, True, FAILED_FOR_S)
        return kept
    return client


def _address(client_id: str) -> SplitResult | None:
    """The parts of an id that may be one: https, in the one spelling that there is of it, without a query."""
    if not client_id.startswith("https://") or len(client_id) > LONGEST:
        return None
    if not client_id.isascii() or not client_id.isprintable() or any(mark in client_id for mark in " \\?#@*%"):
        return None
    try:
        parts = urlsplit(client_id)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.netloc != parts.netloc.lower() or parts.netloc.endswith(":"):
        return None
    if parts.path in ("", "/") or "//" in parts.path or posixpath.normpath(parts.path) != parts.path:
        return None
    if not settings.BATON_OAUTH_PRIVATE_ADDRESSES and (port is not None or "." not in host or _is_number(host)):
        return None
    return parts


def _is_number(host: str) -> bool:
    """Whether a host is an address itself, in any notation that a resolver might know (``0x7f.1``)."""
    return ":" in host or host.rpartition(".")[2].lower().startswith("0x") or host.rpartition(".")[2].isdigit()


def _described(client_id: str, document: dict[str, Any]) -> Client:
    """The client; raises ``InvalidClientMetadata`` or ``InvalidRedirectUri``."""
    if document.get("client_id") != client_id:
        raise registration.InvalidClientMetadata("client_id is not the document's address.")
    # A client that means to prove itself must not be let go without: here nobody can.
    if document.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in document:
        raise registration.InvalidClientMetadata("token_endpoint_auth_method has to be none.")
    described = registration.describe(document)
    return described.client(pk=client_id, data={"document": True, "fetched": timezone.now().timestamp()})


def _age(client: Client) -> timedelta:
    fetched = client.data.get("fetched", 0) if isinstance(client.data, dict) else 0
    return timedelta(seconds=timezone.now().timestamp() - fetched)
