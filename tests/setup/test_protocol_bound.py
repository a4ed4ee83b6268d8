"""A request's head is bounded, and a client that never finishes is let go."""

import socket
import threading
from typing import Any

import pytest
import uvicorn

from tests.instance import Instance, free_port, wait_until
from workspace.config import protocol


def answer_to(live: Instance, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as wire:
        received = b""
        try:
            for start in range(0, len(data), 16_384):
                wire.sendall(data[start : start + 16_384])
            while part := wire.recv(65_536):
                received += part
                if b"\r\n\r\n" in received:
                    break
        except (ConnectionResetError, BrokenPipeError):
            pass
        return received


@pytest.mark.parametrize("head", [b"X-Long: " + b"a" * 5_000_000, b"".join(b"X-%d: a\r\n" % n for n in range(300_000))])
def test_an_endless_head_is_cut_off(live: Instance, head: bytes) -> None:
    received = answer_to(live, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head + b"\r\n\r\n")
    assert not received.startswith(b"HTTP/1.1 200")


def test_an_ordinary_head_is_answered(live: Instance) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"a" * 30_000 + b"\r\n\r\n"
    assert answer_to(live, head).startswith(b"HTTP/1.1 200")


def test_a_wrong_host_is_told_in_the_form_of_the_surface(live: Instance) -> None:
    for path, kind in ((b"/api/v1/me", b"application/problem+json"), (b"/", b"text/html")):
        received = answer_to(live, b"GET " + path + b" HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert received.startswith(b"HTTP/1.1 400")
        assert kind in received


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


@pytest.mark.parametrize(
    "part", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\na"]
)
def test_a_request_that_does_not_arrive_in_time_is_given_up(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "ARRIVES_IN_S", 0.5)
    port = free_port()
    config = uvicorn.Config(hello, port=port, http=protocol.BoundedProtocol, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started, what="the server")
        with socket.create_connection(("127.0.0.1", port), timeout=5) as wire:
            wire.sendall(part)
            while wire.recv(65_536):
                pass  # returns empty when the server closes; a time-out fails the test
    finally:
        server.should_exit = True
        thread.join(10)
