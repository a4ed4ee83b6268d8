"""The token endpoint: a code or a refresh token becomes an access token and the next refresh token.

A refresh token is good once. Used again it tells that somebody else has it, and its whole family ends. For
``BATON_OAUTH_REFRESH_GRACE_S`` (10 s) after its use, though, and while its successor is unused, a second use is only
refused: hosts refresh from several processes at once, and one that came too late must not sign the others out.

An access token that was issued before a refresh lasts until its own end: requests with it are under way. It ends with
its family. A family keeps its ten newest.
"""

import json
from datetime import timedelta
from http import HTTPStatus
from urllib.parse import urlencode

from allauth.idp.oidc.internal.resources import InvalidTargetError
from allauth.idp.oidc.models import Token
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidGrantError, UnsupportedGrantTypeError

from workspace.oauth import clients, devices, families, parameters, registration, resources
from workspace.oauth.addresses import TOKEN, at
from workspace.oauth.answers import Outcome
from workspace.oauth.authorize import code_of
from workspace.oauth.server import Server

USED = "rx"
"""Type of the row that a used refresh token leaves: its hash, so that a second use is known."""
REPLAYED_CODE_FOR = timedelta(days=1)
"""For how long the second use of a code still ends what came of the first."""
NEWEST = 10


def token(request: HttpRequest) -> HttpResponse:
    """``POST``, with any of the grant types that there are."""
    sent = parameters.form(request, parameters.TOKEN)
    # First of all: a host whose registration has gone must hear so, or it keeps trying with it.
    if clients.find(request, sent.get("client_id", "")) is None:
        raise InvalidClientError("This client is not registered here.")
    resource = resources.requested(parameters.resources(request.POST))
    match parameters.need(sent, "grant_type"):
        case registration.CODE:
            outcome = _exchange(sent, resource)
        case registration.REFRESH:
            outcome = _refresh(sent, resource)
        case registration.DEVICE:
            outcome = devices.poll(sent, resource)
        case _:
            raise UnsupportedGrantTypeError
    if outcome.ended:
        families.end(outcome.ended, why=outcome.why)
    return outcome.response


def _exchange(sent: dict[str, str], resource: str | None) -> Outcome:
    value = parameters.need(sent, "code")
    with transaction.atomic():
        code = code_of(value)
        family = code.get_grant_id() if code else None
        if code is None or family is None:
            raise InvalidGrantError
        families.lock(family)
        if code.client_id == sent.get("client_id") and resource and code.get_resources() != [resource]:
            raise InvalidTargetError("The code was granted for another resource.")
        outcome = _call(sent)
        rows = Token.objects.filter(pk=code.pk)
        if outcome.granted:
            # The library forgets a code after a minute, and with it who came second.
            rows.update(expires_at=timezone.now() + REPLAYED_CODE_FOR)
        elif rows.filter(data__reused=True).exists():
            return Outcome(outcome.response, ended=family, why="code used twice")
    return outcome


def _refresh(sent: dict[str, str], resource: str | None) -> Outcome:
    value = parameters.need(sent, "refresh_token")
    with transaction.atomic():
        held = Token.objects.by_value(value).filter(type__in=[Token.Type.REFRESH_TOKEN, USED]).first()
        family = held.get_grant_id() if held else None
        if held is None or family is None or held.client_id != sent.get("client_id"):
            raise InvalidGrantError
        # Of several uses at once one goes on; the others wait here, and then find it used.
        families.lock(family)
        living = Token.objects.by_value(value).filter(type=Token.Type.REFRESH_TOKEN).select_for_update().first()
        if living is None:
            return _used(value, family)
        if resource and living.get_resources() != [resource]:
            raise InvalidTargetError("The token was granted for another resource.")
        scopes = living.scopes
        outcome = _call(sent)
        if outcome.granted:
            _rotated(living, scopes, outcome)
    return outcome


def _call(sent: dict[str, str]) -> Outcome:
    headers, body, status = Server().create_token_response(at(TOKEN), "POST", urlencode(sent), {})
    response = HttpResponse(body, status=status, content_type="application/json")
    for name, found in headers.items():
        response[name] = found
    return Outcome(response, granted=status == HTTPStatus.OK)


def _rotated(old: Token, scopes: str, outcome: Outcome) -> None:
    """Marks a refresh token as used."""
    successor = json.loads(outcome.response.content)["refresh_token"]
    following = Token.objects.by_value(successor).filter(type=Token.Type.REFRESH_TOKEN)
    # The library narrows the next token to what was asked for now; RFC 6749, section 6, wants it as it was.
    following.update(scopes=scopes)
    family = old.get_grant_id() or ""
    Token.objects.create(
        type=USED,
        hash=old.hash,
        client_id=old.client_id,
        user_id=old.user_id,
        expires_at=old.expires_at,
        data={"grant_id": family, "next": following.values_list("hash", flat=True).get()},
    )
    issued = families.members(family).filter(type=Token.Type.ACCESS_TOKEN).order_by("-created_at", "-pk")
    Token.objects.filter(pk__in=list(issued.values_list("pk", flat=True)[NEWEST:])).delete()


def _used(value: str, family: str) -> Outcome:
    mark = Token.objects.by_value(value).filter(type=USED).first()
    if mark is None:  # the family ended while this request waited
        raise InvalidGrantError
    graced = timezone.now() - mark.created_at <= timedelta(seconds=settings.BATON_OAUTH_REFRESH_GRACE_S)
    if graced and Token.objects.filter(type=Token.Type.REFRESH_TOKEN, hash=mark.data["next"]).exists():
        raise InvalidGrantError("The refresh token was used a moment ago. Go on with the one that came of it.")
    error = InvalidGrantError("The refresh token was used before. All tokens that came of it have ended.")
    return Outcome(
        HttpResponse(error.json, status=400, content_type="application/json"),
        ended=family,
        why="refresh token used twice",
    )
