"""The request's name: one identifier in the answer, in the log and in what a refusal tells."""

import logging
import re
import secrets
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from workspace.request import client, current

HEADER = "X-Request-Id"
# What other systems send: UUIDs, ULIDs, trace ids. Anything else could forge log lines.
SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{7,63}\Z", re.ASCII)


def request_id(sent: str | None) -> str:
    """What the caller sent if it is sane, else a fresh one."""
    return sent if sent and SANE.match(sent) else f"req_{secrets.token_hex(10)}"


class RequestIdFilter(logging.Filter):
    """Gives each log record a `request_id`; `-` outside a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current.get() or "-"
        return True


def _begin(request: HttpRequest) -> str:
    # The ASGI application has named it already; under WSGI and in tests nobody has.
    name = request_id(request.headers.get(HEADER))
    request.request_id = name  # type: ignore[attr-defined]
    current.set(name)
    client.set(request.META.get("REMOTE_ADDR") or "")
    return name


def _end(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response.headers[HEADER] = name
    # A browser's cache is one for all who sign in with it, so it must ask every time.
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


@sync_and_async_middleware
def observe(
    get_response: Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Sets `request.request_id`, the `X-Request-Id` header of every response, and `Cache-Control` where nobody did."""
    if iscoroutinefunction(get_response):

        async def handle_async(request: HttpRequest) -> HttpResponseBase:
            name = _begin(request)
            return _end(await get_response(request), name)

        return handle_async

    def handle(request: HttpRequest) -> HttpResponseBase:
        name = _begin(request)
        response = get_response(request)
        assert isinstance(response, HttpResponseBase)
        return _end(response, name)

    return handle
