"""JSON-RPC over HTTP as hosts send it, in one protocol revision."""

from dataclasses import dataclass, field
from typing import Any

import httpx2

MODERN = "2026-07-28"
HANDSHAKE = ("2025-03-26", "2025-06-18", "2025-11-25")
EVERY = (*HANDSHAKE, MODERN)
ACCEPT = "application/json, text/event-stream"
_META = {
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@dataclass
class Rpc:
    """Requests to one server with one token."""

    address: str
    token: str | None
    version: str = MODERN
    headers: dict[str, str] = field(default_factory=dict)
    path: str = "/mcp"

    def head(self, **more: str) -> dict[str, str]:
        """The headers of every request."""
        headers = {"Accept": ACCEPT, "Content-Type": "application/json", "MCP-Protocol-Version": self.version}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return {**headers, **more, **self.headers}

    def send(self, body: bytes | str, *, verb: str = "POST", **headers: str) -> httpx2.Response:
        return httpx2.request(verb, self.address + self.path, content=body, headers=self.head(**headers), timeout=30)

    def post(self, method: str, params: dict[str, Any] | None = None) -> httpx2.Response:
        """One request, with the envelope of its revision."""
        params = dict(params or {})
        headers = self.head()
        if self.version not in HANDSHAKE:
            params["_meta"] = {**_META, "io.modelcontextprotocol/protocolVersion": self.version}
            headers["Mcp-Method"] = method
            if name := params.get("name") or params.get("uri"):
                headers["Mcp-Name"] = name
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx2.post(self.address + self.path, json=body, headers=headers, timeout=30)

    def answer(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request."""
        response = self.post(method, params)
        assert response.status_code == 200, response.text
        body = response.json()
        assert "result" in body, body
        return dict(body["result"])

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        return self.answer("tools/call", {"name": tool, "arguments": arguments})

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that was not refused."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result["content"]
        return dict(result["structuredContent"])
