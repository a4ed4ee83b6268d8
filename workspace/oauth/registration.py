"""Registration of clients (RFC 7591), open to all: what a client may be, and what is written of what it says."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from allauth.idp.oidc.models import Client
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from workspace.oauth import limits, redirects, scopes
from workspace.services import registrations

CODE: Final = "authorization_code"
REFRESH: Final = "refresh_token"
DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"
GRANT_TYPES: Final = (CODE, REFRESH, DEVICE)
DOCUMENT_BYTES: Final = 16_384
FIELDS: Final = 60
REDIRECTS: Final = 20
NAME: Final = 100
NAMELESS: Final = "A program without a name"
_SPACE = re.compile(r"\s+")


class InvalidClientMetadata(OAuth2Error):
    """What the client says of itself cannot be registered."""

    error = "invalid_client_metadata"


class InvalidRedirectUri(OAuth2Error):
    """No answer may be sent there."""

    error = "invalid_redirect_uri"


@dataclass(frozen=True, kw_only=True)
class Described:
    """A client, as far as it is taken over from what describes it."""

    name: str
    redirect_uris: tuple[str, ...]
    grant_types: tuple[str, ...]
    scopes: tuple[str, ...]

    def client(self, **fields: Any) -> Client:
        """An unsaved public client of that description."""
        client = Client(name=self.name, type=Client.Type.PUBLIC, secret="!", **fields)  # noqa: S106
        client.set_redirect_uris(list(self.redirect_uris))
        client.set_grant_types(list(self.grant_types))
        client.set_response_types(["code"])
        client.set_scopes(list(self.scopes))
        client.set_default_scopes(list(self.scopes))
        return client


def register(request: HttpRequest) -> HttpResponse:
    """``POST``: a new public client. Whatever way to authenticate was asked for, it is registered with ``none``,
    which RFC 7591 lets a server do and answers; there are no secrets to keep or to leak."""
    limits.spend(request, "register")
    described = describe(_document(request))
    with transaction.atomic():
        client = described.client(data={"dcr": True})
        client.save()
        registrations.bound()
    answer = {
        "client_id": client.pk,
        "client_id_issued_at": int(client.created_at.timestamp()),
        "client_name": client.name,
        "redirect_uris": described.redirect_uris,
        "grant_types": described.grant_types,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(described.scopes),
    }
    return JsonResponse(answer, status=HTTPStatus.CREATED)


def _document(request: HttpRequest) -> dict[str, Any]:
    if len(request.body) > DOCUMENT_BYTES:
        raise InvalidClientMetadata(
            f"The document is longer than {DOCUMENT_BYTES} bytes.", status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        )
    return parse(request.body)


def parse(body: bytes) -> dict[str, Any]:
    """The JSON object in ``body``; raises ``InvalidClientMetadata``."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidClientMetadata("The document is not JSON.") from None
    if not isinstance(found, dict):
        raise InvalidClientMetadata("The document is not a JSON object.")
    return found


def describe(document: Mapping[str, Any]) -> Described:
    """What is taken of a client's metadata, registered or fetched. Raises ``InvalidClientMetadata`` or
    ``InvalidRedirectUri``.

    Refreshing is always among the grants and scopes that do not exist are left out, so that hosts with one fixed
    document are not turned away; a grant that does not exist is refused. Nothing else of the document is read or
    kept: no address in it is ever fetched.
    """
    if len(document) > FIELDS:
        raise InvalidClientMetadata(f"The document has more than {FIELDS} fields.")
    grants = set(_strings(document, "grant_types")) or {CODE}
    if unknown := grants - set(GRANT_TYPES):
        raise InvalidClientMetadata(f"grant_types: {min(unknown)[:60]!a} is not supported.")
    grants.add(REFRESH)
    uris = _redirects(document, needed=CODE in grants)
    if set(_strings(document, "response_types")) - {"code"}:
        raise InvalidClientMetadata("response_types: only code is supported.")
    method = document.get("token_endpoint_auth_method", "none")
    if not isinstance(method, str):
        raise InvalidClientMetadata("token_endpoint_auth_method is not a string.")
    scope = document.get("scope")
    if scope is not None and not isinstance(scope, str):
        raise InvalidClientMetadata("scope is not a string.")
    named = document.get("client_name")
    if named is not None and not isinstance(named, str):
        raise InvalidClientMetadata("client_name is not a string.")
    return Described(
        name=legible(named or "") or NAMELESS,
        redirect_uris=uris,
        grant_types=tuple(grant for grant in GRANT_TYPES if grant in grants),
        scopes=scopes.normal((scope or "").split()) or scopes.ALL,
    )


def legible(name: str) -> str:
    """A name as a person is shown it: printable, in one line, at most 100 characters.

    Left out is what could make it read as something else: control and format characters, among them those that turn
    the direction of writing, private ones, and more than two marks on one letter.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", name[: NAME * 10]):
        category = unicodedata.category(character)
        if character.isspace():
            character, category = " ", "Zs"
        marks = marks + 1 if category.startswith("M") else 0
        if category[0] != "C" and marks <= 2:
            kept.append(character)
    return _SPACE.sub(" ", "".join(kept)).strip()[:NAME].rstrip()


def _strings(document: Mapping[str, Any], name: str, *, most: int = 10) -> list[str]:
    found = document.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or len(found) > most or not all(isinstance(item, str) for item in found):
        raise InvalidClientMetadata(f"{name} is not a list of at most {most} strings.")
    return found


def _redirects(document: Mapping[str, Any], *, needed: bool) -> tuple[str, ...]:
    uris = tuple(dict.fromkeys(_strings(document, "redirect_uris", most=REDIRECTS)))
    if needed and not uris:
        raise InvalidRedirectUri("redirect_uris names none.")
    for uri in uris:
        try:
            redirects.check(uri)
        except ValueError as error:
            raise InvalidRedirectUri(f"redirect_uris: {uri[:120]!a} {error}.") from None
    return uris


def check(client: Client) -> None:
    """Raises Django's ``ValidationError`` for a client that this server must not have, whoever made it."""
    wrong: dict[str, str] = {}
    if client.type != Client.Type.PUBLIC:
        wrong["type"] = "Clients are public: a secret would let one go without PKCE."
    if set(client.get_grant_types()) - set(GRANT_TYPES) or not client.get_grant_types():
        wrong["grant_types"] = f"Only {', '.join(GRANT_TYPES)}."
    if client.get_response_types() != ["code"]:
        wrong["response_types"] = "Only code."
    if not client.get_scopes() or set(client.get_scopes() + client.get_default_scopes()) - set(scopes.ALL):
        wrong["scopes"] = f"Only {' and '.join(scopes.ALL)}."
    if client.allow_uri_wildcards:
        wrong["allow_uri_wildcards"] = "Addresses are compared as they are."
    if client.skip_consent:
        wrong["skip_consent"] = "A person is always asked."
    for uri in client.get_redirect_uris():
        try:
            redirects.check(uri)
        except ValueError as error:
            wrong["redirect_uris"] = f"{uri[:120]!a} {error}."
    if CODE in client.get_grant_types() and not client.get_redirect_uris():
        wrong["redirect_uris"] = "There has to be one."
    if client.name != legible(client.name):
        wrong["name"] = "Printable characters in one line, at most 100."
    if wrong:
        raise ValidationError(wrong)
