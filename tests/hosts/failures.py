"""What a server, the network or the connection can do to who asks for context."""

import socket
from collections.abc import Callable
from typing import Any, Protocol

from tests.hosts.server import CONTEXT, Server

PATH = "/api/v1/context"


class Asker(Protocol):
    """Who asks: a project, or a person with programs."""

    address: str
    token: str


type Arrange = Callable[[Asker, Server], None]


def answering(status: int, body: Any) -> Arrange:
    def arrange(asker: Asker, scripted: Server) -> None:
        scripted.answers[PATH] = (status, body)

    return arrange


def _down(asker: Asker, scripted: Server) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        asker.address = f"http://127.0.0.1:{probe.getsockname()[1]}"


def _hanging(asker: Asker, scripted: Server) -> None:
    scripted.answers[PATH] = (200, scripted.hang)


def _slow(asker: Asker, scripted: Server) -> None:
    scripted.answers[PATH] = (200, scripted.slow(3.0, CONTEXT))


def _no_token(asker: Asker, scripted: Server) -> None:
    asker.token = ""


def _no_name(asker: Asker, scripted: Server) -> None:
    asker.address = "http://nobody.invalid"


def _no_address(asker: Asker, scripted: Server) -> None:
    asker.address = "file:///etc/passwd"


FAILURES: dict[str, tuple[Arrange, str]] = {
    "down": (_down, "unavailable"),
    "hanging": (_hanging, "unavailable"),
    "slow": (_slow, "unavailable"),
    "401": (answering(401, {"code": "UNAUTHENTICATED"}), "unauthorized"),
    "404": (answering(404, {"code": "NOT_FOUND", "detail": "There is no such folder."}), "unauthorized"),
    "500": (answering(500, b"<h1>Server Error</h1>"), "unavailable"),
    "503": (answering(503, {"code": "UNAVAILABLE"}), "starting"),
    "redirect": (answering(302, {}), "unavailable"),
    "oversized": (answering(200, {**CONTEXT, "text": "x" * 50_000}), "unavailable"),
    "enormous": (answering(200, b"x" * 3_000_000), "unavailable"),
    "not JSON": (answering(200, b"<html>Welcome to the hotel's network"), "unavailable"),
    "a list": (answering(200, []), "unavailable"),
    "another form": (answering(200, {"text": 7}), "unavailable"),
    "starting": (answering(200, {**CONTEXT, "text": "", "why": "starting"}), "starting"),
    "not connected": (_no_token, "unauthorized"),
    "no such name": (_no_name, "unavailable"),
    "no address": (_no_address, "unauthorized"),
}
"""Each with the reason that is told."""
