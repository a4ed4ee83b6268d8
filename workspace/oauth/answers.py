"""How the endpoints for programs answer: JSON in OAuth's form, for any origin, kept by no cache."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from workspace import errors
from workspace.actor import Via
from workspace.services import audit

CREDENTIALS = ("invalid_client", "invalid_grant", "unauthorized_client", "access_denied")
"""Errors that refuse a credential; the others tell of a malformed request, or that a person has not decided yet."""

RETRY_AFTER_S = 2

logger = logging.getLogger(__name__)

type View = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True)
class Outcome:
    """What the token endpoint answers. ``ended`` is a family that ends by it, outside the request's transaction."""

    response: HttpResponse
    granted: bool = False
    ended: str = ""
    why: str = ""


class TooMany(OAuth2Error):
    """More requests than an address may make. ``seconds`` is after how long it may again."""

    error = "temporarily_unavailable"
    status_code = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, seconds: int) -> None:
        super().__init__("Too many requests from this address. Wait and try again.")
        self.seconds = seconds


def endpoint(**views: View) -> Callable[..., HttpResponseBase]:
    """One address for programs, one function for each verb.

    Pages of other origins may call it, since hosts that run in a browser do: nothing here reads a cookie.
    """
    allowed = [*views, *(["HEAD"] if "GET" in views else []), "OPTIONS"]

    @csrf_exempt
    @login_not_required
    def answer(request: HttpRequest, **_: str) -> HttpResponseBase:
        view = views.get("GET" if request.method == "HEAD" else request.method or "")
        if request.method == "OPTIONS":
            response: HttpResponse = HttpResponse(status=HTTPStatus.NO_CONTENT)
            response["Access-Control-Allow-Methods"] = ", ".join(allowed)
            response["Access-Control-Allow-Headers"] = "Authorization, Content-Type, MCP-Protocol-Version"
            response["Access-Control-Max-Age"] = "600"
        elif view is None:
            response = failed("invalid_request", f"Use {' or '.join(views)}.", HTTPStatus.METHOD_NOT_ALLOWED)
            response["Allow"] = ", ".join(allowed)
        else:
            try:
                response = view(request)
            except OAuth2Error as error:
                response = refused(error)
            except errors.Refusal as refusal:
                response = failed("invalid_request", refusal.detail)
            except (OperationalError, InterfaceError):
                logger.warning("The database does not answer, so %s is unavailable.", request.path)
                response = failed(
                    "temporarily_unavailable",
                    "The database does not answer now. Repeat the request.",
                    HTTPStatus.SERVICE_UNAVAILABLE,
                )
                response["Retry-After"] = str(RETRY_AFTER_S)
        _note(request, response)
        response["Access-Control-Allow-Origin"] = "*"
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answer


def _note(request: HttpRequest, response: HttpResponse) -> None:
    """Records in the audit log that a credential was refused: the name of the client, and nothing that was shown."""
    error = getattr(response, "error", "")
    if error in CREDENTIALS:
        match = request.resolver_match
        audit.denied(
            None,
            "token.refused",
            code=error.upper(),
            subject=request.POST.get("client_id", ""),
            via=Via.WEB,
            data={"call": f"{request.method} /{match.route}" if match else ""},
        )


def refused(error: OAuth2Error) -> HttpResponse:
    """The answer of RFC 6749, section 5.2."""
    response = failed(error.error, error.description, error.status_code)
    for name, value in error.headers.items():
        response[name] = value
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.seconds)
    return response


def failed(error: str, description: str = "", status: int = HTTPStatus.BAD_REQUEST) -> HttpResponse:
    """An error by name."""
    body = {"error": error, **({"error_description": plain(description)} if description else {})}
    response = JsonResponse(body, status=status)
    response.error = error  # type: ignore[attr-defined]
    response["Cache-Control"] = "no-store"
    return response


def plain(description: str) -> str:
    """The characters that RFC 6749, section 5.2, lets a description have."""
    return "".join(
        "'" if character == '"' else character if " " <= character <= "~" and character != "\\" else "?"
        for character in description
    )


def not_found(request: HttpRequest) -> HttpResponse:
    """What lies below ``/oauth/`` and is nothing."""
    return failed("not_found", "There is nothing at this address.", HTTPStatus.NOT_FOUND)


def unread(request: HttpRequest) -> HttpResponse:
    """Django's own refusal, of a wrong Host or of too many fields."""
    response = failed("invalid_request", "The request cannot be answered under this host name or in this form.")
    patch_vary_headers(response, ["Host"])
    return response
