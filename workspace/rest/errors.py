"""Refusals as problem details (RFC 9457), and everything else that can go wrong on the way to a view.

``STATUS`` is the one table from a refusal to its HTTP status; whatever a library raises is first told as a
refusal. A problem holds ``type title status code detail request_id`` and the fields of its code.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions

from workspace.actor import Actor, Via
from workspace.errors import (
    AccessChange,
    AlreadyExists,
    FieldError,
    Forbidden,
    Gone,
    IdempotencyMismatch,
    Invalid,
    NotFound,
    PreconditionRequired,
    RateLimited,
    Refusal,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from workspace.services import audit, bearer

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
REALM = "baton"


class MalformedBody(Invalid):
    """The body is not JSON at all, so that no field of it can be named."""

    def __init__(self, message: str) -> None:
        super().__init__("body", message)


class NoEndpoint(Refusal):
    """No call has this address, whoever asks."""

    code = "NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("No call has this address. The calls are listed in /api/v1/openapi.json.")


class WrongMethod(Refusal):
    """The address exists and does not take this method; the ``Allow`` header lists those it takes."""

    code = "METHOD_NOT_ALLOWED"


class NotAcceptable(Refusal):
    """The caller takes no JSON, and there is nothing else."""

    code = "NOT_ACCEPTABLE"

    def __init__(self) -> None:
        super().__init__("This answers in application/json only. Send an Accept header that takes it.")


class UnsupportedMedia(Refusal):
    """The body is not declared to be JSON in UTF-8."""

    code = "UNSUPPORTED_MEDIA_TYPE"

    def __init__(self) -> None:
        super().__init__("Send the body as UTF-8 with Content-Type: application/json.")


class Unexpected(Refusal):
    """A fault of this program. What it was is in its log, under the request's id."""

    code = "INTERNAL"

    def __init__(self) -> None:
        super().__init__("Something went wrong here. Quote the request_id when you report it.")


STATUS: dict[type[Refusal], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    AlreadyExists: 409,
    IdempotencyMismatch: 409,
    AccessChange: 409,
    Gone: 410,
    TooLarge: 413,
    Invalid: 422,
    PreconditionRequired: 428,
    RateLimited: 429,
    Unavailable: 503,
    MalformedBody: 400,
    NoEndpoint: 404,
    WrongMethod: 405,
    NotAcceptable: 406,
    UnsupportedMedia: 415,
    Unexpected: 500,
}

TITLES: dict[str, str] = {
    "UNAUTHENTICATED": "Not signed in",
    "FORBIDDEN": "Not allowed",
    "NOT_FOUND": "Not found",
    "CONFLICT": "The document has changed",
    "ALREADY_EXISTS": "Already exists",
    "IDEMPOTENCY_MISMATCH": "Key used for something else",
    "ACCESS_CHANGE": "This changes who can read it",
    "GONE": "Deleted",
    "TOO_LARGE": "Too large",
    "INVALID": "Not valid",
    "PRECONDITION_REQUIRED": "A header is missing",
    "RATE_LIMITED": "Too many requests",
    "UNAVAILABLE": "Not available now",
    "METHOD_NOT_ALLOWED": "Method not allowed",
    "NOT_ACCEPTABLE": "Not acceptable",
    "UNSUPPORTED_MEDIA_TYPE": "Unsupported media type",
    "INTERNAL": "Something went wrong",
}


def status_of(refusal: Refusal) -> int:
    """The HTTP status of a refusal."""
    return STATUS[type(refusal)]


@contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Tells what is Invalid in the words of a call whose inputs have other names than the service's."""
    try:
        yield
    except Invalid as refusal:
        told = [FieldError(field=names.get(e.field, e.field), message=e.message) for e in refusal.errors]
        raise Invalid(errors=told) from None


def anchor(code: str) -> str:
    """Where the page of the reference explains a code."""
    return code.lower().replace("_", "-")


def type_of(code: str) -> str:
    """The address that explains a code."""
    return f"{settings.BATON_BASE_URL}/api/v1/docs#{anchor(code)}"


def problem(
    request: HttpRequest, code: str, status: int, detail: str, data: dict[str, Any] | None = None
) -> HttpResponse:
    """The answer that tells what went wrong. ``data`` are the fields of this code."""
    body = {
        "type": type_of(code),
        "title": TITLES[code],
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": getattr(request, "request_id", "-"),
        **(data or {}),
    }
    # ASCII, since a message may quote a name that holds a lone surrogate, which has no UTF-8 form.
    response = HttpResponse(json.dumps(body, separators=(",", ":")), status=status, content_type=MEDIA_TYPE)
    response["Cache-Control"] = "no-store"
    return response


def refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The problem that a refusal becomes, with the headers that go with its status."""
    response = problem(request, refusal.code, status_of(refusal), refusal.detail, refusal.data)
    match refusal:
        case Unauthenticated():
            response["WWW-Authenticate"] = challenge(request)
        case RateLimited() | Unavailable():
            response["Retry-After"] = str(refusal.retry_after)
    return response


def challenge(request: HttpRequest, error: str = "") -> str:
    """The ``WWW-Authenticate`` value: where to learn of the authorization server (RFC 9728) and which scopes to ask
    for. It names an error (RFC 6750) only where a credential was sent."""
    if not error and "Authorization" in request.headers:
        error = "invalid_token"
    metadata = f"{settings.BATON_BASE_URL}/.well-known/oauth-protected-resource"
    value = f'Bearer realm="{REALM}", resource_metadata="{metadata}", scope="{" ".join(bearer.SCOPES)}"'
    return value + (f', error="{error}"' if error else "")


def refusal_of(error: Exception) -> Refusal:
    """What any exception comes to for the caller. Unknown ones are ``Unexpected``."""
    match error:
        case Refusal():
            return error
        case OperationalError() | InterfaceError():
            return Unavailable()
        case RequestDataTooBig():
            return TooLarge(field="body", limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        case UnreadablePostError() | exceptions.ParseError() | BadRequest():
            return MalformedBody("could not be read. Send JSON in UTF-8.")
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return Unauthenticated()
        case exceptions.PermissionDenied() | PermissionDenied():
            return Forbidden(str(error) or "You may not do this.")
        case exceptions.NotFound() | Http404():
            return NotFound()
        case exceptions.MethodNotAllowed():
            return WrongMethod(str(error.detail))
        case exceptions.NotAcceptable():
            return NotAcceptable()
        case exceptions.UnsupportedMediaType():
            return UnsupportedMedia()
        case exceptions.Throttled():
            return RateLimited(retry_after=max(1, int(getattr(error, "wait", None) or 1)))
    return Unexpected()


def handler(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """REST framework's exception handler: answers every exception, and logs those nobody foresaw."""
    request = context["request"]
    refusal = refusal_of(error)
    if isinstance(refusal, Unexpected):
        log.error("%s %s failed", request.method, request.path, exc_info=error)
    elif isinstance(refusal, Unavailable) and error is not refusal:
        log.warning("database did not answer: %s", type(error).__name__)
    _note(request, refusal)
    response = refuse(request, refusal)
    if isinstance(refusal, Forbidden) and _reads_only(request):
        response["WWW-Authenticate"] = challenge(request, "insufficient_scope")
    if isinstance(refusal, WrongMethod):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def _reads_only(request: Any) -> bool:
    """Whether the caller showed a token that lets nothing be written. ``_auth``: not to ask who calls once more."""
    actor = getattr(request, "_auth", None)
    return isinstance(actor, Actor) and actor.agent is not None and not actor.may_write


LOCATIONS = ("location", "folder", "parent", "place", "from")
"""Names under which a call is told the place that it is about, in its address, its query or its body."""


def _note(request: Any, refusal: Refusal) -> None:
    """Records a refusal in the audit log. ``_auth``: not to ask who calls once more."""
    actor = getattr(request, "_auth", None)
    match = request.resolver_match
    asked = {**getattr(request._request, "body_of_call", {}), **request.query_params.dict(), **match.kwargs}
    audit.attempt(
        actor if isinstance(actor, Actor) else None,
        refusal,
        call=f"{request.method} /{match.route}",
        location=next((asked[name] for name in LOCATIONS if asked.get(name)), ""),
        subject=match.kwargs.get("id", ""),
        via=Via.REST,
    )
