"""The official Python client finds its own way in: discovery, registration, consent, a call, a refresh, a call."""

import time
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests import loops
from tests.conformance.conftest import Peer
from tests.conformance.visitor import Visitor

BACK = "http://127.0.0.1:4/callback"


class Kept:
    """What the client stores between its requests."""

    def __init__(self) -> None:
        self.tokens: list[OAuthToken] = []
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens[-1] if self.tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens.append(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_the_client_signs_in_calls_refreshes_and_calls(peer: Peer, visitor: Visitor, mode: str) -> None:
    kept, asked, answers = Kept(), [], []
    seen: list[str] = []

    async def show(address: str) -> None:
        asked.append(address)

    async def answer() -> AuthorizationCodeResult:
        query = {name: values[0] for name, values in parse_qs(urlsplit(visitor.decide(asked[-1])).query).items()}
        answers.append(query)
        return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))

    async def note(request: httpx2.Request) -> None:
        seen.append(f"{request.method} {request.url.path}")

    async def run() -> None:
        described = OAuthClientMetadata(
            client_name=f"Python SDK {mode}",
            redirect_uris=[BACK],  # type: ignore[list-item]
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        )
        provider = OAuthClientProvider(
            server_url=f"{peer.url}/mcp",
            client_metadata=described,
            storage=kept,
            redirect_handler=show,
            callback_handler=answer,
        )
        async with httpx2.AsyncClient(auth=provider, timeout=30, event_hooks={"request": [note]}) as http:
            transport = streamable_http_client(f"{peer.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                tools = await client.list_tools()
                assert "doc_create" in {tool.name for tool in tools.tools}
                me = await client.call_tool("identity", {"action": "self"})
                assert me.structured_content["agent"]["name"] == f"Python SDK {mode}"
                # Its clock says that the token is over: the next call must be made with a new one.
                provider.context.token_expiry_time = time.time() - 1
                again = await client.call_tool("identity", {"action": "self"})
                assert again.structured_content["agent"] == me.structured_content["agent"]

    loops.run(run())
    assert len(asked) == 1, "the person was asked once"
    sent = parse_qs(urlsplit(asked[0]).query)
    assert sent["resource"] == [f"{peer.url}/mcp"]
    assert sent["code_challenge_method"] == ["S256"]
    assert answers[0]["iss"] == peer.url
    assert len(kept.tokens) == 2
    first, second = kept.tokens
    assert first.access_token != second.access_token
    assert first.refresh_token != second.refresh_token
    assert set((first.scope or "").split()) == {"workspace:read", "workspace:write"}
    order = [seen.index(step) for step in ("POST /mcp", "POST /oauth/register", "POST /oauth/token")]
    assert order == sorted(order)
    assert any("/.well-known/oauth-protected-resource" in step for step in seen)
    assert seen.count("POST /oauth/token") == 2
