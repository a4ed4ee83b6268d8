"""HTTP servers of tests: they listen on loopback for as long as a block runs, and say nothing of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(BaseHTTPRequestHandler):
    """Writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server that answers by ``handler``."""
    server = _Listening(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
