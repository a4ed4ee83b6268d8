"""The door of ``/mcp``: who may speak to it at all. Nothing behind it runs without an actor.

In order: Host (421) and Origin (403), against DNS rebinding and foreign pages; the bearer token (401); the method
(405). The refusals are JSON with the same ``code`` and ``detail`` as everywhere.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http.request import split_domain_port, validate_host
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from workspace.actor import Actor, Via
from workspace.errors import Unauthenticated
from workspace.mcp.threads import in_thread
from workspace.services import audit, bearer

ACTOR = "baton.actor"
"""Key of the ASGI scope under which the door leaves the actor."""

RETRY_AFTER_S = 2
_LONGEST_TOKEN = 4096
logger = logging.getLogger(__name__)


def actor_of(request: Request) -> Actor:
    """The actor whom the door let in with this request."""
    actor = request.scope[ACTOR]
    assert isinstance(actor, Actor)
    return actor


def challenge(*, error: str = "", description: str = "") -> str:
    """The value of ``WWW-Authenticate`` (RFC 6750): where to learn of the authorization server (RFC 9728), and which
    scopes to ask it for. Without a token there is no ``error``, as section 3.1 wants."""
    parameters = {
        "realm": "baton",
        "resource_metadata": f"{settings.BATON_BASE_URL}/.well-known/oauth-protected-resource/mcp",
        "scope": " ".join(bearer.SCOPES),
    }
    if error:
        parameters |= {"error": error, "error_description": description}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parameters.items())


class Door:
    """ASGI middleware that lets a request in with an actor or answers it itself."""

    def __init__(self, inside: ASGIApp) -> None:
        self.inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # White space around a value is no part of it (RFC 9110, 5.5); the parser of HTTP leaves what follows it.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        headers = Headers(scope=scope)
        refusal = self._foreign(headers, scope) or await self._enter(headers, scope) or _method(scope["method"])
        await (refusal or self.inside)(scope, receive, send)

    def _foreign(self, headers: Headers, scope: Scope) -> Response | None:
        domain, _ = split_domain_port(headers.get("host", "").lower())
        if not (domain and validate_host(domain, settings.ALLOWED_HOSTS)):
            return _answer(421, "INVALID", "This server does not go by the name in the Host header.")
        if not _origin_allowed(headers, scope):
            return _answer(403, "FORBIDDEN", "Pages of this origin may not speak to this server.")
        return None

    async def _enter(self, headers: Headers, scope: Scope) -> Response | None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            return _unauthenticated(
                "Connect by OAuth, or send an agent token: Authorization: Bearer TOKEN.", challenge()
            )
        if len(token) > _LONGEST_TOKEN or not token.isascii():
            await in_thread(_note)
            return _invalid_token()
        try:
            scope[ACTOR] = await in_thread(_authenticate, token)
        except Unauthenticated:
            await in_thread(_note)
            return _invalid_token()
        except (OperationalError, InterfaceError):
            logger.warning("The database does not answer, so no token can be checked.")
            return _answer(
                503,
                "UNAVAILABLE",
                "The database does not answer now. Repeat the request.",
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        return None


def _authenticate(token: str) -> Actor:
    return bearer.authenticate(token, via=Via.MCP)


def _note() -> None:
    """Records in the audit log that a token was not good. Without any, a host only asks where to get one."""
    audit.attempt(None, Unauthenticated(), call="/mcp", via=Via.MCP)


def _origin_allowed(headers: Headers, scope: Scope) -> bool:
    """No origin (every agent host), this instance's own, or one that the settings trust."""
    origin = headers.get("origin")
    if origin is None:
        return True
    if origin in (settings.BATON_BASE_URL, *settings.CSRF_TRUSTED_ORIGINS):
        return True
    parts = urlsplit(origin)
    return bool(parts.netloc) and parts.scheme in ("http", "https") and parts.netloc == headers.get("host")


def _method(method: str) -> Response | None:
    """POST goes in. Sessions and standing streams do not exist here: each request stands for itself.

    A host of the handshake versions opens a stream by GET and takes 405 for "none offered"; it ends its session by
    DELETE, and there being nothing to end, that has happened.
    """
    match method:
        case "POST":
            return None
        case "DELETE":
            return Response(status_code=204)
        case _:
            return _answer(
                405, "INVALID", "Send JSON-RPC by POST; no stream is offered.", headers={"Allow": "POST, DELETE"}
            )


def _invalid_token() -> Response:
    return _unauthenticated(
        "This token is not valid here, or not any more. Connect again, or get a new one.",
        challenge(error="invalid_token", description="The token is unknown, revoked, expired or not for this server"),
    )


def _unauthenticated(detail: str, header: str) -> Response:
    return _answer(401, "UNAUTHENTICATED", detail, headers={"WWW-Authenticate": header})


def _answer(status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> Response:
    body: dict[str, Any] = {"status": status, "code": code, "detail": detail}
    return Response(
        json.dumps(body), status, {"Cache-Control": "no-store", **(headers or {})}, media_type="application/json"
    )
