"""A door that shows a token for those who cannot: the suite has no option for one."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-authorization"}


@contextmanager
def bearing(url: str, token: str) -> Iterator[str]:
    """An address that hands every request on to ``url`` as it is, Host and Origin too, with ``token`` beside it."""
    host, port = urlsplit(url).hostname, urlsplit(url).port

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            inner = http.client.HTTPConnection(str(host), port, timeout=60)
            try:
                inner.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in HOP:
                        inner.putheader(name, value)
                if "Authorization" not in self.headers:
                    inner.putheader("Authorization", f"Bearer {token}")
                inner.endheaders(body or None)
                answer = inner.getresponse()
                content = answer.read()
                self.send_response_only(answer.status, answer.reason)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP | {"content-length"}:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            finally:
                inner.close()

        do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = pass_on

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
