"""The token endpoint: a code or a refresh token becomes an access token and the next refresh token.

A refresh token is good once. Used again it tells that somebody else has it, and its whole family ends. Within
``BATON_OAUTH_REFRESH_GRACE_S`` (10 s) of its use, though, and while its successor is unused, the same request gets
the same answer: hosts refresh from several processes at once, and answers get lost. So there is never more than one
living refresh token in a family, and whoever else got the answer is found out when the second of them uses it.

An access token that was issued before a refresh lasts until its own end: requests with it are under way. It ends with
its family. A family keeps its ten newest.
"""

import json
from datetime import timedelta
from http import HTTPStatus
from urllib.parse import urlencode

from allauth.idp.oidc.internal.resources import InvalidTargetError
from allauth.idp.oidc.models import Token
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.http import urlsafe_base64_encode
from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidGrantError, UnsupportedGrantTypeError

from workspace.oauth import clients, devices, families, parameters, registration, resources
from workspace.oauth.addresses import TOKEN, at
from workspace.oauth.answers import Outcome
from workspace.oauth.authorize import code_of
from workspace.oauth.server import Server
from workspace.services import connections

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
            return _used(sent, value, family)
        if resource and living.get_resources() != [resource]:
            raise InvalidTargetError("The token was granted for another resource.")
        scopes = living.scopes
        outcome = _call(sent)
        if outcome.granted:
            _rotated(sent, value, living, scopes, outcome)
    return outcome


def _call(sent: dict[str, str]) -> Outcome:
    headers, body, status = Server().create_token_response(at(TOKEN), "POST", urlencode(sent), {})
    response = HttpResponse(body, status=status, content_type="application/json")
    for name, found in headers.items():
        response[name] = found
    return Outcome(response, granted=status == HTTPStatus.OK)


def _rotated(sent: dict[str, str], value: str, old: Token, scopes: str, outcome: Outcome) -> None:
    """Marks the token as used and keeps the answer for whoever repeats the request in a moment."""
    successor = json.loads(outcome.response.content)["refresh_token"]
    following = Token.objects.by_value(successor).filter(type=Token.Type.REFRESH_TOKEN)
    # The library narrows the next token to what was asked for now; RFC 6749, section 6, wants it as it was.
    following.update(scopes=scopes)
    family = old.get_grant_id() or ""
    # The answer that brought the old token is of no use to anybody any more.
    before = families.members(family).filter(type=USED, data__next=old.hash).first()
    if before is not None:
        before.data.pop("answer", None)
        before.save(update_fields=["data"])
    data = {
        "grant_id": family,
        "request": _digest(sent),
        "next": following.values_list("hash", flat=True).get(),
        "answer": _cipher(value).encrypt(outcome.response.content).decode(),
    }
    Token.objects.create(
        type=USED,
        hash=old.hash,
        client_id=old.client_id,
        user_id=old.user_id,
        expires_at=old.expires_at,
        data=data,
    )
    issued = families.members(family).filter(type=Token.Type.ACCESS_TOKEN).order_by("-created_at", "-pk")
    Token.objects.filter(pk__in=list(issued.values_list("pk", flat=True)[NEWEST:])).delete()


def _used(sent: dict[str, str], value: str, family: str) -> Outcome:
    mark = Token.objects.by_value(value).filter(type=USED).first()
    if mark is None:  # the family ended while this request waited
        raise InvalidGrantError
    kept = mark.data
    graced = timezone.now() - mark.created_at <= timedelta(seconds=settings.BATON_OAUTH_REFRESH_GRACE_S)
    unused = Token.objects.filter(type=Token.Type.REFRESH_TOKEN, hash=kept["next"]).exists()
    if graced and unused and kept["request"] == _digest(sent) and connections.live(family):
        try:
            body = _cipher(value).decrypt(kept["answer"].encode())
        except InvalidToken:  # the instance's secret key was changed
            raise InvalidGrantError from None
        response = HttpResponse(body, content_type="application/json")
        response["Cache-Control"] = "no-store"
        return Outcome(response, granted=True)
    error = InvalidGrantError("The refresh token was used before. All tokens that came of it have ended.")
    return Outcome(
        HttpResponse(error.json, status=400, content_type="application/json"),
        ended=family,
        why="refresh token used twice",
    )


def _digest(sent: dict[str, str]) -> str:
    return salted_hmac(
        "workspace.oauth.tokens.request", json.dumps(sent, sort_keys=True), algorithm="sha256"
    ).hexdigest()


def _cipher(value: str) -> Fernet:
    """Only who holds the used token itself can read the answer again: the database keeps no more than its hash."""
    key = salted_hmac("workspace.oauth.tokens.answer", value, algorithm="sha256").digest()
    return Fernet(urlsafe_base64_encode(key) + "=")
