"""The authorization endpoint: a program sends its person here, and here they decide.

Faults in who asks, or in where the answer would go, are a page (status 400). All else is told to the program at its
redirect address, with ``state`` and ``iss`` (RFC 9207). A visitor signs in first: otherwise anybody could register an
address and have links that begin with this server's name lead there (RFC 9700, section 4.11.2).
"""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.idp.oidc.internal.oauthlib.utils import get_validator_context
from allauth.idp.oidc.models import Client, Token
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749.errors import (
    AccessDeniedError,
    FatalClientError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Error,
)

from workspace.errors import Gone, Refusal
from workspace.oauth import clients, consent, families, leaving, once, parameters, redirects, resources, scopes
from workspace.oauth.addresses import AUTHORIZE, at, issuer
from workspace.oauth.answers import TooMany, plain
from workspace.oauth.server import Server
from workspace.services.connections import Asking

# SHA-256 in base64url without padding, and nothing else (RFC 7636, section 4.2).
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}\Z")
UNTOLD = {
    "MissingClientIdError": "The program did not say who it is.",
    "InvalidClientIdError": "This program is not registered here, or its registration has expired. Have it sign in "
    "afresh: remove its old sign-in to Baton and connect again.",
    "MissingRedirectURIError": "The program did not say where the answer should go.",
    "InvalidRedirectURIError": "The address that the answer would go to is not one.",
    "MismatchingRedirectURIError": "The answer would go to an address that this program did not register.",
}


class Interaction(OAuth2Error):
    """The person would have to be asked, and the program wanted them not to be (``prompt=none``)."""

    def __init__(self, error: str) -> None:
        super().__init__("Nothing is granted without asking the person.")
        self.error = error


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request that was found right. ``sent`` is what it said, ``asking`` what a person is shown of it."""

    sent: dict[str, str]
    resource: str
    client: Client
    scopes: tuple[str, ...]
    asking: Asking

    @property
    def redirect_uri(self) -> str:
        return self.sent["redirect_uri"]

    def answered(self, **values: str) -> str:
        """The redirect address with an answer on it."""
        return answered(self.redirect_uri, self.sent.get("state"), **values)


def answered(redirect_uri: str, state: str | None, **values: str) -> str:
    """``redirect_uri`` with ``values``, the program's own ``state`` and the issuer."""
    pairs = [*values.items(), *([("state", state)] if state else []), ("iss", issuer())]
    return str(add_params_to_uri(redirect_uri, pairs))


@login_not_required
def authorize(request: HttpRequest) -> HttpResponse:
    """``GET`` asks the person, ``POST`` takes what they decided."""
    match request.method:
        case "GET" | "HEAD":
            response = _ask(request)
        case "POST":
            response = _answer(request)
        case _:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    add_never_cache_headers(response)
    return response


def _ask(request: HttpRequest) -> HttpResponse:
    try:
        sent = parameters.read(request.GET, parameters.AUTHORIZE)
        client, redirect_uri = _recipient(request, sent)
    except OAuth2Error as error:
        return _untold(request, error)
    prompts = sent.get("prompt", "").split()
    silent = "none" in prompts
    if not request.user.is_authenticated and not silent:
        return redirect_to_login(request.get_full_path())
    if client is None:
        return _fault(request, "This program can only be looked up for somebody who is signed in.")
    if silent and not request.user.is_authenticated and not redirects.on_loopback(redirect_uri):
        return _fault(request, "This program wanted an answer without asking you, and you are not signed in.")
    try:
        if silent:
            raise Interaction("consent_required" if request.user.is_authenticated else "login_required")
        if "login" in prompts:
            return _sign_in_again(request)
        asked = _validated(request, sent, parameters.resources(request.GET), client)
    except OAuth2Error as error:
        return _told(request, error, redirect_uri, sent.get("state"))
    sealed = consent.seal(request, {"sent": sent, "resource": asked.resource})
    return consent.page(request, asked.asking, sealed=sealed, redirect_uri=asked.redirect_uri)


def _answer(request: HttpRequest) -> HttpResponse:
    sealed = request.POST.get(consent.FIELD, "")
    if not sealed:
        return _fault(request, "A program asks by a link, and only the page that it leads to can be sent.")
    if not request.user.is_authenticated:
        return consent.stale(request)
    info = consent.unseal(request, sealed)
    if info is None:
        return consent.stale(request)
    sent: dict[str, str] = info["sent"]
    try:
        # Once more: since the page was made the client may have gone, or been changed.
        client, redirect_uri = _recipient(request, sent)
        if client is None:
            return _fault(request, UNTOLD["InvalidClientIdError"])
        asked = _validated(request, sent, [info["resource"]], client)
    except (FatalClientError, TooMany) as error:
        return _untold(request, error)
    except OAuth2Error as error:
        return _told(request, error, redirect_uri, sent.get("state"))
    said = {**sent, "resource": asked.resource}
    with once.turn(request, client=client, said=said, seconds=consent.SEAL_AGE_S) as turn:
        if not turn.over:
            return _decided(request, asked, sealed, turn)
    if turn.url and request.POST.get("action") == consent.ALLOW:
        return leaving.leave(request, turn.url, to=asked.client.name)
    return consent.answered(request)


def _decided(request: HttpRequest, asked: Asked, sealed: str, turn: once.Turn) -> HttpResponse:
    """To where the person's decision leads; a page where there is none yet."""
    decided = consent.decide(request, asked.asking, sealed=sealed, redirect_uri=asked.redirect_uri)
    if isinstance(decided, HttpResponse):
        return decided
    if not decided.allowed:
        url = asked.answered(error=AccessDeniedError.error, error_description="The person said no.")
    else:
        try:
            family, url = _grant(request, asked, decided)
        except Refusal as refusal:
            return _fault(request, refusal.detail, status=409)
        turn.grant(family, url)
    return leaving.leave(request, url, to=asked.client.name)


def _recipient(request: HttpRequest, sent: dict[str, str]) -> tuple[Client | None, str]:
    """Who asks, and where the answer goes. Raises a ``FatalClientError`` where either is wrong; a client that could
    only be fetched is None as long as nobody is signed in."""
    fetch = request.user.is_authenticated
    client = clients.find(request, sent.get("client_id", ""), fetch=fetch)
    redirect_uri = sent.get("redirect_uri", "")
    if client is None:
        if not fetch and clients.may_fetch(sent.get("client_id", "")):
            return None, redirect_uri
        raise clients.unknown(sent.get("client_id", ""))
    clients.check_redirect(client, redirect_uri)
    return client, redirect_uri


def _validated(request: HttpRequest, sent: dict[str, str], named: list[str], client: Client) -> Asked:
    """The request, if nothing is wrong with it; raises an ``OAuth2Error`` that may be told to the program."""
    resource = resources.requested(named) or resources.default()
    if sent.get("response_mode", "query") != "query":
        raise InvalidRequestError("response_mode: only query is supported.")
    if not _CHALLENGE.match(sent.get("code_challenge", "")):
        raise InvalidRequestError("code_challenge must be there, as S256 makes it (RFC 7636).")
    asked, _ = Server().validate_authorization_request(*_call(sent))
    granted = scopes.normal(asked)
    if not granted:
        raise InvalidScopeError
    asking = Asking(
        client_id=client.pk,
        client_name=client.name,
        client_host=clients.vouching_host(client),
        redirect_host=redirects.host(sent["redirect_uri"]),
        resource=resource,
        scopes=granted,
    )
    return Asked(sent=sent, resource=resource, client=client, scopes=granted, asking=asking)


def _grant(request: HttpRequest, asked: Asked, decided: consent.Decision) -> tuple[str, str]:
    """Makes the code and the connection, and returns the family's id and the address that carries the code.

    The code comes first, since the library names the family with it. Until the connection stands the code is good
    for nothing, and it has not left this process.
    """
    context = get_validator_context()
    context.requested_resources = [asked.resource]
    allowed = [scope for scope in asked.scopes if scope in decided.scopes]
    if not allowed:
        raise ValueError("A grant has scopes.")
    with transaction.atomic():
        if not clients.hold(asked.client):
            raise Gone(UNTOLD["InvalidClientIdError"])
        headers, _, status = Server().create_authorization_response(
            *_call(asked.sent), scopes=allowed, credentials={"user": request.user}
        )
    grant_id = context.grant_id
    if status != 302 or grant_id is None:
        raise ValueError("The request was found right and then was not.")
    try:
        connected = consent.connect(request, asked.asking, decided, grant_id=grant_id)
    except Refusal:
        families.forget(grant_id)
        raise
    if connected.replaced_grant:
        families.forget(connected.replaced_grant)
    return grant_id, str(add_params_to_uri(headers["Location"], [("iss", issuer())]))


def _call(sent: dict[str, str]) -> tuple[str, str, None, dict[str, str]]:
    """The request as the library takes it: its address built anew, of known parameters alone."""
    known = {name: value for name, value in sent.items() if name not in ("prompt", "response_mode")}
    return f"{at(AUTHORIZE)}?{urlencode(known)}", "GET", None, {}


def _sign_in_again(request: HttpRequest) -> HttpResponse:
    """To whatever the account proves itself by, and back without the wish to."""
    query = request.GET.copy()
    others = [prompt for prompt in query.get("prompt", "").split() if prompt != "login"]
    query.setlist("prompt", [" ".join(others)] if others else [])
    back = f"{AUTHORIZE}?{query.urlencode()}"
    methods = get_account_adapter().get_reauthentication_methods(request.user)
    if not methods:
        raise Interaction("login_required")
    return redirect_to_login(back, login_url=methods[0]["url"])


def _told(request: HttpRequest, error: OAuth2Error, redirect_uri: str, state: str | None) -> HttpResponse:
    """The program learns what was wrong. ``redirect_uri`` was found to be one of its own."""
    values: dict[str, Any] = {"error": error.error}
    if error.description:
        values["error_description"] = plain(error.description)
    return leaving.tell(request, answered(redirect_uri, state, **values))


def _untold(request: HttpRequest, error: OAuth2Error) -> HttpResponse:
    """The person learns what was wrong, since it is not known whom else to tell."""
    response = _fault(request, UNTOLD.get(type(error).__name__, error.description), status=error.status_code)
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.seconds)
    return response


def _fault(request: HttpRequest, detail: str, *, status: int = 400) -> HttpResponse:
    context = {"detail": detail, "status": status, "request_id": getattr(request, "request_id", "")}
    return render(request, "oauth/error.html", context, status=status)


def code_of(value: str) -> Token | None:
    """The code's row, whether or not it can still be used."""
    return Token.objects.by_value(value).filter(type=Token.Type.AUTHORIZATION_CODE).first()
