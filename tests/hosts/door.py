"""A door before a server, which holds answers back: what was asked is done, and who asked does not know it yet."""

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.hosts.listening import Quiet, listening

KEPT = ("Authorization", "Content-Type", "Accept", "Idempotency-Key")


@dataclass
class Door:
    """``held`` maps a path to the seconds for which its answers are held back; ``passed`` is (path, status) of each
    request that the server has answered."""

    url: str = ""
    held: dict[str, float] = field(default_factory=dict)
    passed: list[tuple[str, int]] = field(default_factory=list)


@contextmanager
def door(url: str) -> Iterator[Door]:
    """A door before ``url`` that is there for as long as the block runs."""
    made = Door()
    server_name, server_port = urlsplit(url).hostname, urlsplit(url).port

    class Handler(Quiet):
        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            inner = http.client.HTTPConnection(str(server_name), server_port, timeout=60)
            try:
                headers = {name: self.headers[name] for name in KEPT if name in self.headers}
                inner.request(self.command, self.path, body or None, headers)
                answer = inner.getresponse()
                content = answer.read()
            finally:
                inner.close()
            path = self.path.partition("?")[0]
            made.passed.append((path, answer.status))
            time.sleep(made.held.get(path, 0))
            try:
                self.send_response_only(answer.status, answer.reason)
                self.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # who asked is dead
                self.close_connection = True

        do_GET = do_POST = do_DELETE = pass_on

    with listening(Handler) as made.url:
        yield made
