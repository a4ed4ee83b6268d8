"""The outermost ring of the ASGI application: every answer passes here, whoever makes it.

It names the request, refuses bodies that are too large before anybody buffers them, and
counts. It also tells Django the scheme that the person's browser sees.
"""

import json
import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workspace import request
from workspace.config import middleware
from workspace.config.metrics import LATENCY, REQUESTS, route_class
from workspace.oauth import addresses

log = logging.getLogger("workspace.access")
ID = middleware.HEADER.lower().encode()
SNIFFING = (b"x-content-type-options", b"nosniff")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class TooLarge(Exception):
    """The body went over the limit while it was read."""


class Edge:
    """Wraps `application`. `most` is in bytes; `scheme` is `https` where the instance's address is."""

    def __init__(self, application: ASGIApp, *, most: int, scheme: str | None = None, access_log: bool = False) -> None:
        self.application = application
        self.most = most
        self.scheme = scheme
        self.access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        sent = next((value for name, value in headers if name == ID), b"")
        identifier = middleware.request_id(sent.decode("latin-1"))
        request.current.set(identifier)
        request.client.set((scope.get("client") or ("",))[0])
        scope["headers"] = [pair for pair in headers if pair[0] != ID] + [(ID, identifier.encode())]
        if self.scheme:
            scope["scheme"] = self.scheme
        begun = time.perf_counter()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                # To the first byte: a live stream ends when its reader leaves.
                LATENCY.labels(route_class(scope["path"])).observe(time.perf_counter() - begun)
                kept = [pair for pair in message.get("headers", ()) if bytes(pair[0]).lower() != ID]
                if not any(bytes(name).lower() == SNIFFING[0] for name, _ in kept):
                    kept.append(SNIFFING)
                message["headers"] = [*kept, (ID, identifier.encode())]
            await send(message)

        try:
            await self._answer(scope, receive, answer, identifier)
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if status:
                raise  # half an answer is out: the server has to cut the connection
            await _refuse(scope, answer, identifier, 500, "INTERNAL", "Something went wrong on our side.")
        finally:
            spent = time.perf_counter() - begun
            route = route_class(scope["path"])
            REQUESTS.labels(route, scope["method"] if scope["method"] in METHODS else "OTHER", status).inc()
            if self.access_log:
                log.info("%s %s %s %.0f ms", scope["method"], scope["path"], status, spent * 1000)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, identifier: str) -> None:
        length = next((value for name, value in scope["headers"] if name == b"content-length"), None)
        chunked = any(name == b"transfer-encoding" for name, _ in scope["headers"])
        try:
            if length is not None and int(length) > self.most:
                await _drain(receive, self.most * 8)
                raise TooLarge
            if chunked:
                receive = await _buffered(receive, self.most)
        except TooLarge:
            detail = f"The request is over the limit of {self.most:,} bytes. Split it into several."
            await _refuse(scope, send, identifier, 413, "TOO_LARGE", detail, limit=self.most)
            return
        await self.application(scope, receive, send)


async def _drain(receive: Receive, most: int) -> None:
    """Reads and forgets: a client that still sends when the connection closes never sees the answer."""
    read = 0
    while read < most:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body"):
            return
        read += len(message.get("body", b""))


async def _buffered(receive: Receive, most: int) -> Receive:
    """A body of unknown length, read whole before the application sees it; raises TooLarge."""
    chunks: list[Message] = []
    size = 0
    while True:
        message = await receive()
        chunks.append(message)
        size += len(message.get("body", b""))
        if size > most:
            if message.get("more_body"):  # nothing comes after the last part but the end of the connection
                await _drain(receive, most * 8)
            raise TooLarge
        if message["type"] != "http.request" or not message.get("more_body"):
            break
    waiting = iter(chunks)

    async def replay() -> Message:
        return next(waiting, None) or await receive()

    return replay


async def _refuse(
    scope: Scope, send: Send, identifier: str, status: int, code: str, detail: str, **fields: Any
) -> None:
    """The refusal in the form of the surface that was asked."""
    if route_class(scope["path"]) in {"rest", "mcp"}:
        kind = b"application/problem+json"
        problem = {"type": "about:blank", "title": detail.partition(".")[0], "status": status, "code": code}
        body = json.dumps({**problem, "detail": detail, "request_id": identifier, **fields}).encode()
    elif addresses.is_interface(scope["path"]):
        kind = b"application/json"
        body = json.dumps({"error": "invalid_request", "error_description": detail}).encode()
    else:
        kind = b"text/plain; charset=utf-8"
        body = f"{detail}\n\n{code} · {identifier}\n".encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
