"""Device codes (RFC 8628), for machines without a browser: the machine shows a short code, a person types it here.

A code is two rows in the library's table, which expire like tokens: the machine's secret, and the code that people
type, each by its hash. Changes hold the row, so that of two polls at once one gets tokens, and an answer that a
person gives while the machine polls is not lost.
"""

import json
import secrets
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from allauth.core.internal.cryptokit import generate_user_code, normalize_user_code
from allauth.idp.oidc.internal.oauthlib.utils import get_validator_context
from allauth.idp.oidc.internal.resources import InvalidTargetError
from allauth.idp.oidc.models import Token
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749.errors import (
    AccessDeniedError,
    InvalidClientError,
    InvalidGrantError,
    InvalidScopeError,
    OAuth2Error,
    UnauthorizedClientError,
)
from oauthlib.oauth2.rfc8628.errors import AuthorizationPendingError, ExpiredTokenError, SlowDownError

from workspace.errors import Refusal
from workspace.oauth import clients, consent, families, limits, once, parameters, registration, resources, scopes
from workspace.oauth.addresses import DEVICE, TOKEN, at
from workspace.oauth.answers import Outcome, refused
from workspace.oauth.server import Server
from workspace.queries import consents
from workspace.services import connections
from workspace.services.connections import Asking, Connected

MACHINE: Final = "dc"
PERSON: Final = "uc"
"""Types of the two rows of a code."""
LIFETIME: Final = timedelta(minutes=10)
INTERVAL_S: Final = 5
PENDING, DECIDING, ALLOWED, DENIED = "pending", "deciding", "allowed", "denied"


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A code that waits for a person's answer. ``id`` is what ``allow`` and ``deny`` take."""

    id: int
    user_code: str
    asking: Asking


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What a person answered. ``agent_name`` is whom they let in, empty where they let nobody in."""

    allowed: bool
    agent_name: str


def start(request: HttpRequest) -> HttpResponse:
    """``POST`` by the machine: a code for it, a code for its person, and where to type that."""
    limits.spend(request, "device")
    sent = parameters.form(request, parameters.DEVICE_CODE)
    client = clients.find(request, parameters.need(sent, "client_id"))
    if client is None:
        raise InvalidClientError
    if registration.DEVICE not in client.get_grant_types():
        raise UnauthorizedClientError
    asked = sent.get("scope", " ".join(client.get_default_scopes())).split()
    if not asked or set(asked) - set(client.get_scopes()):
        raise InvalidScopeError
    resource = resources.requested(parameters.resources(request.POST)) or resources.default()
    value, user_code = secrets.token_urlsafe(48), generate_user_code()
    expires = timezone.now() + LIFETIME
    machine = Token(type=MACHINE, client=client, expires_at=expires)
    machine.set_value(value)
    machine.set_scopes(list(scopes.normal(asked)))
    machine.data = {"resources": [resource], "grant_id": uuid.uuid4().hex, "state": PENDING, "interval": INTERVAL_S}
    person = Token(type=PERSON, client=client, expires_at=expires, data={"machine": machine.hash})
    person.set_value(normalize_user_code(user_code))
    with transaction.atomic():
        if not clients.hold(client):
            raise InvalidClientError
        machine.save()
        person.save()
    return JsonResponse(
        {
            "device_code": value,
            "user_code": user_code,
            "verification_uri": at(DEVICE),
            "verification_uri_complete": f"{at(DEVICE)}?{urlencode({'code': user_code})}",
            "expires_in": int(LIFETIME.total_seconds()),
            "interval": INTERVAL_S,
        }
    )


def find(request: HttpRequest, user_code: str) -> Pending | None:
    """The code that a person typed, in any case and with or without its dash; None for one that is wrong, over or
    answered. Raises ``TooMany`` for guessing."""
    limits.spend(request, "user_code")
    machine = _machine(user_code)
    client = machine and machine.client
    if not machine or not client or machine.data["state"] != PENDING:
        return None
    asking = Asking(
        client_id=client.pk,
        client_name=client.name,
        client_host=clients.vouching_host(client),
        redirect_host="",
        resource=machine.get_resources()[0],
        scopes=tuple(machine.get_scopes()),
    )
    return Pending(id=machine.pk, user_code=user_code, asking=asking)


def _machine(user_code: str) -> Token | None:
    """The machine's row of a code that a person typed."""
    code = normalize_user_code(user_code[:100])
    typed = Token.objects.valid().by_value(code).filter(type=PERSON).first() if code.isascii() else None
    return Token.objects.filter(type=MACHINE, hash=typed.data["machine"]).first() if typed else None


def answered(request: HttpRequest, user_code: str) -> Answered | None:
    """What who is signed in answered the machine just now, in another tab or by a double click: of two answers one
    counts, and the other waits for what comes of it. None where they did not, or the machine has been told since."""
    until = time.monotonic() + once.WAIT_S
    while True:
        machine = _machine(user_code)
        if machine is None or machine.data.get("by") != request.user.pk:
            return None
        if machine.data["state"] != DECIDING or time.monotonic() > until:
            break
        time.sleep(once.EVERY_S)
    match machine.data["state"]:
        case state if state == ALLOWED:
            return Answered(allowed=True, agent_name=consents.agent_name(machine.data["grant_id"]))
        case state if state == DENIED:
            return Answered(allowed=False, agent_name="")
    return None


def allow(request: HttpRequest, pending: Pending, decided: consent.Decision) -> Connected | None:
    """Connects the program as the person decided; its next poll gets tokens. None where the code is over or somebody
    answered it in the meantime. Raises refusals of ``consent.connect``, after which it still waits."""
    machine = _turn(pending.id, PENDING, DECIDING, by=request.user.pk)
    if machine is None:
        return None
    try:
        connected = consent.connect(request, pending.asking, decided, grant_id=machine.data["grant_id"])
    except Refusal:
        _turn(pending.id, DECIDING, PENDING)
        raise
    if connected.replaced_grant:
        families.forget(connected.replaced_grant)
    if _turn(pending.id, DECIDING, ALLOWED, user=request.user.pk, scopes=decided.scopes) is None:
        # The code ran out this very moment: nobody will ever hold a token of what was just connected.
        families.end(machine.data["grant_id"], why="code expired")
        return None
    return connected


def deny(request: HttpRequest, pending: Pending) -> bool:
    """The program's next poll hears that the person said no. False where the code is over or was answered meanwhile."""
    return _turn(pending.id, PENDING, DENIED, by=request.user.pk) is not None


def _turn(
    pk: int,
    before: str,
    after: str,
    *,
    by: int | None = None,
    user: int | None = None,
    scopes: tuple[str, ...] = (),
) -> Token | None:
    """The row after its change of state; ``by`` is who answers, ``user`` for whom there will be tokens."""
    with transaction.atomic():
        row = Token.objects.valid().select_for_update().filter(pk=pk, type=MACHINE, data__state=before).first()
        if row is None:
            return None
        row.data["state"] = after
        if by is not None:
            row.data["by"] = by
        if user is not None:
            row.user_id = user
            row.set_scopes(list(scopes))
        row.save()
        return row


def poll(sent: dict[str, str], resource: str | None) -> Outcome:
    """The machine asks whether its person has answered."""
    value = parameters.need(sent, "device_code")
    with transaction.atomic():
        row = (
            Token.objects.select_for_update(of=("self",))
            .by_value(value)
            .filter(type=MACHINE, client=parameters.need(sent, "client_id"))
            .select_related("user")
            .first()
        )
        if row is None:
            raise InvalidGrantError
        error = _waits(row)
        if error is None and resource and row.get_resources() != [resource]:
            error = InvalidTargetError("The code was granted for another resource.")
        if error is not None:
            return Outcome(refused(error))
        if not connections.live(row.data["grant_id"]):
            raise InvalidGrantError
        body = _issue(row)
        _forget(row)
    return Outcome(HttpResponse(json.dumps(body), content_type="application/json"), granted=True)


def _waits(row: Token) -> OAuth2Error | None:
    """Why there are no tokens yet. What has to be remembered of the poll is saved."""
    now = timezone.now()
    if row.expires_at <= now:
        return ExpiredTokenError()
    data = row.data
    if now.timestamp() < data.get("polled", 0) + data["interval"]:
        # RFC 8628, section 3.5: this and every further poll waits five seconds longer.
        data |= {"interval": data["interval"] + INTERVAL_S, "polled": now.timestamp()}
        row.save(update_fields=["data"])
        return SlowDownError()
    match data["state"]:
        case state if state in (PENDING, DECIDING):
            data["polled"] = now.timestamp()
            row.save(update_fields=["data"])
            return AuthorizationPendingError()
        case state if state == ALLOWED:
            return None
    _forget(row)
    return AccessDeniedError()


def _issue(row: Token) -> dict:
    """The first tokens of the family."""
    context = get_validator_context()
    context.grant_id, context.granted_resources = row.data["grant_id"], row.get_resources()
    request = Request(at(TOKEN), "POST")
    request.client, request.user, request.scopes = row.client, row.user, row.get_scopes()
    server = Server()
    body = server.bearer.create_token(request, refresh_token=True)
    server.validator.save_bearer_token(body, request)
    return dict(body)


def _forget(row: Token) -> None:
    Token.objects.filter(type=PERSON, data__machine=row.hash).delete()
    row.delete()
