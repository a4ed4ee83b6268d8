"""Who calls: an agent by its bearer token, or a person by the session of their browser."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.request import Request

from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.errors import Forbidden, Invalid, Unauthenticated
from workspace.services import bearer

SESSION_HEADER = "Baton-Session"
LONGEST_SESSION = 200


def host_session(request: HttpRequest | Request) -> str:
    """The session of its host that an agent names, for commits and receipts; "" where it names none."""
    session = request.headers.get(SESSION_HEADER, "")
    if len(session) > LONGEST_SESSION or not session.isprintable():
        raise Invalid(SESSION_HEADER, f"takes at most {LONGEST_SESSION} printable characters.")
    return session


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer TOKEN``.

    A request that carries the header stands or falls by it: a revoked token beside a live session must not act
    as the person whose browser it is.
    """

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token or not token.isascii():
            raise Unauthenticated("Send the header as Authorization: Bearer TOKEN.")
        actor = bearer.authenticate(token, via=Via.REST, session=host_session(request))
        return AnonymousUser(), actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BrowserAuthentication(BaseAuthentication):
    """The signed-in person; whatever is not a safe method must carry the CSRF token."""

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        user = request._request.user
        if not user.is_authenticated or not user.is_active:
            return None
        check = CSRFCheck(_unused)
        check.process_request(request._request)
        if check.process_view(request._request, _unused, (), {}):
            raise Forbidden("The CSRF token is missing or wrong. Reload the page and try again.")
        return user, person_actor(user, via=Via.REST)


def _unused(request: HttpRequest) -> HttpResponse:
    """Middleware wants something to call; only its check is used."""
    return HttpResponse()
