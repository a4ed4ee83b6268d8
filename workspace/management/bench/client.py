"""The product in a process of its own, and a plain client for it: one kept connection, JSON in and out, and MCP by
bare JSON-RPC."""

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def server() -> Iterator[int]:
    """The product with the references beside it, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "workspace.config.reference", str(port)], cwd=ROOT)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(10)


class Client:
    """One connection to ``127.0.0.1:port`` with an agent's token. Not for several threads at once."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in lower case) and body of one request."""
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, self.headers | (headers or {}))
        answer = self.connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def ok(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """The JSON body of a request that must succeed."""
        status, _, data = self.call(method, path, body, headers)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {data[:300]!r}")
        return json.loads(data)

    def tool(self, name: str, arguments: dict[str, Any], *, path: str = "/mcp") -> dict[str, Any]:
        """The result of one MCP tool call, stateless, by the 2025-06-18 revision."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        status, _, data = self.call("POST", path, message, accept)
        answer = json.loads(data)
        if status != 200 or "error" in answer:
            raise RuntimeError(f"{name}: {status} {data[:300]!r}")
        result: dict[str, Any] = answer["result"]
        return result
