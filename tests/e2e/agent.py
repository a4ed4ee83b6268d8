"""An agent that talks to the running product."""

from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests import loops

PASSWORD = "a battery staple, correct"


@dataclass(frozen=True, kw_only=True)
class Agent:
    """A fresh client of the official SDK for each call, as a new session of a host is."""

    url: str
    token: str

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call, refusals and conflicts included."""

        async def run() -> dict[str, Any]:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}, timeout=60) as http:
                transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
                async with Client(transport) as client:
                    result = await client.call_tool(tool, arguments)
                    assert result.structured_content is not None, result.content
                    return dict(result.structured_content)

        return loops.run(run())

    def rest(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return httpx2.request(
            method,
            f"{self.url}/api/v1/{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.token}"} | headers,
            timeout=60,
        )
