"""A server that answers as it is told to, and writes down what it was sent."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.hosts.listening import Quiet, listening

TEXT = "From product/launch/plan.md, as data:\nThe launch is on the second of March."
CONTEXT = {
    "text": TEXT,
    "citations": [{"location": "product/launch/plan.md", "commit": "c0ffee"}],
    "budget": {"asked": 8000, "used": len(TEXT)},
    "partial": False,
    "receipt": "rec_1",
    "why": "",
}


@dataclass(frozen=True, kw_only=True)
class Call:
    """What was sent, as far as these tests look at it."""

    method: str
    path: str
    token: str
    body: dict[str, Any]


@dataclass
class Server:
    """``answers`` maps a path to (status, body): the body is an object, raw bytes, or something to call with the
    call for either; it may sleep. What is not named answers 404."""

    url: str = ""
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    closing: threading.Event = field(default_factory=threading.Event)

    def to(self, path: str) -> list[Call]:
        return [call for call in self.calls if call.path.partition("?")[0] == path]

    def eventually(self, path: str, count: int = 1) -> list[Call]:
        """The calls to ``path``, once there are ``count``: the handler tells some things after the host has gone on."""
        end = time.monotonic() + 10
        while len(self.to(path)) < count and time.monotonic() < end:
            time.sleep(0.02)
        return self.to(path)

    def hang(self, _: Call) -> dict[str, Any]:
        self.closing.wait(20)
        return {}

    def slow(self, seconds: float, body: Any) -> Callable[[Call], Any]:
        def answer(_: Call) -> Any:
            time.sleep(seconds)
            return body

        return answer

    def wait(self, found: Callable[[], Any], *, seconds: float = 20) -> Any:
        """What ``found`` gives once that is something, and what it gives then after the time."""
        end = time.monotonic() + seconds
        while not found() and time.monotonic() < end:
            time.sleep(0.05)
        return found()

    def keep(self, call: Call) -> dict[str, Any]:
        """Keeps a capture once for its operation, as the product does."""
        self.kept.setdefault(call.body["operation_id"], call.body)
        return {"id": "cap_1"}


@contextmanager
def server() -> Iterator[Server]:
    """A server that listens for as long as the block runs; it gives context and keeps captures."""
    made = Server()
    made.answers = {
        "/api/v1/context": (200, CONTEXT),
        "/api/v1/receipts": (201, {}),
        "/api/v1/captures": (201, made.keep),
        "/api/v1/brief": (200, {"changed": [{"location": "product/launch/plan.md", "commit": "c0ffee"}], "cursor": {}}),
        "/api/v1/me": (200, {"person": "alice"}),
    }

    class Handler(Quiet):
        def answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(raw or b"{}")
            except ValueError:
                body = {"raw": raw.decode()}
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            call = Call(method=self.command, path=self.path, token=token, body=body)
            made.calls.append(call)
            status, found = made.answers.get(self.path.partition("?")[0], (404, {"code": "NOT_FOUND"}))
            found = found(call) if callable(found) else found
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # it did not wait
                self.close_connection = True

        do_GET = do_POST = answer

    with listening(Handler) as made.url:
        try:
            yield made
        finally:
            made.closing.set()
