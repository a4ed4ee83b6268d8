"""Django's part of the process: one thread for a request, and what must still hold."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from tests import loops
from workspace.config.handler import Handler

seen: list[tuple[str, int]] = []


def note_thread(get_response: Any) -> Any:
    def middleware(request: HttpRequest) -> HttpResponse:
        seen.append(("middleware", threading.get_ident()))
        answer: HttpResponse = get_response(request)
        return answer

    return middleware


@login_not_required
def plain(request: HttpRequest) -> HttpResponse:
    seen.append(("view", threading.get_ident()))
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    seen.append(("connection", id(connection.connection)))
    return HttpResponse("plain")


@login_not_required
async def slow(request: HttpRequest) -> HttpResponse:
    await asyncio.sleep(0.01)
    return HttpResponse("slow")


@login_not_required
def live(request: HttpRequest) -> StreamingHttpResponse:
    async def parts() -> AsyncIterator[bytes]:
        for number in range(3):
            await asyncio.sleep(0.01)
            yield f"{number} ".encode()

    return StreamingHttpResponse(parts())


@login_not_required
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("secret detail")


urlpatterns = [path("plain", plain), path("slow", slow), path("live", live), path("broken", broken)]


@pytest.fixture
def handler(settings: Any) -> Iterator[Handler]:
    seen.clear()
    middleware = [*settings.MIDDLEWARE, f"{__name__}.note_thread"]
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=middleware):
        yield Handler()


def ask(handler: Handler, place: str) -> tuple[int, bytes]:
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": place,
        "raw_path": place.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
    }
    loops.run(handler(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(part.get("body", b"") for part in sent[1:])


@pytest.mark.django_db(transaction=True)
def test_middleware_and_view_share_a_thread_that_is_not_the_loop_s(handler: Handler) -> None:
    assert ask(handler, "/plain") == (200, b"plain")
    threads = {thread for what, thread in seen if what != "connection"}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_an_asynchronous_view_and_a_live_stream_still_work(handler: Handler) -> None:
    assert ask(handler, "/slow") == (200, b"slow")
    assert ask(handler, "/live") == (200, b"0 1 2 ")


def test_a_view_that_fails_tells_nothing(handler: Handler) -> None:
    status, body = ask(handler, "/broken")
    assert status == 500
    assert b"secret detail" not in body
    assert b"Traceback" not in body


def test_what_is_not_there_is_not_found(handler: Handler) -> None:
    assert ask(handler, "/nowhere")[0] == 404
