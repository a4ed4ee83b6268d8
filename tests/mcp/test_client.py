"""The official client against the running server, in the stateless and in the handshake protocol."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from tests import loops
from tests.cast import PLAN, Cast
from tests.mcp.conftest import PLACE
from tests.mcp.rpc import Rpc

MODES = ("2026-07-28", "legacy", "auto")


def with_client[T](rpc: Rpc, mode: str, work: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {rpc.token}"}, timeout=30) as http:
            transport = streamable_http_client(f"{rpc.address}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return loops.run(run())


def words(result: Any) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_an_agent_hands_a_document_to_another(live_scout: Rpc, live_rover: Rpc, mode: str) -> None:
    async def write(client: Client) -> str:
        tools = await client.list_tools()
        assert {"browse", "read", "doc_create"} <= {tool.name for tool in tools.tools}
        given = {"action": "document", "folder_path": ["product", "launch"], "name": "plan.md", "content": PLAN}
        made = await client.call_tool("doc_create", {**given, "idempotency_key": "1"})
        again = await client.call_tool("doc_create", {**given, "idempotency_key": "1"})
        assert made.structured_content["commit"] == again.structured_content["commit"]
        assert again.structured_content["outcome"] == "replayed"
        return str(made.structured_content["commit"])

    async def read(client: Client) -> None:
        listed = await client.call_tool("browse", {"action": "documents", "location": "product"})
        assert [row["location"] for row in listed.structured_content["documents"]] == [PLACE]
        found = await client.call_tool("read", {"location": PLACE})
        assert found.structured_content["content"] == PLAN
        assert found.structured_content["commit"] == commit
        assert PLAN in words(found)

    commit = with_client(live_scout, mode, write)
    with_client(live_rover, mode, read)


@pytest.mark.parametrize("mode", MODES)
def test_a_refusal_and_a_conflict_reach_the_client_whole(live_scout: Rpc, mode: str) -> None:
    async def work(client: Client) -> None:
        # The client checks what it gets against the schema that the tool published, refusals too.
        await client.list_tools()
        absent = await client.call_tool("read", {"location": "product/launch/none.md"})
        assert absent.is_error
        assert absent.structured_content["code"] == "NOT_FOUND"
        assert words(absent).startswith("NOT_FOUND: ")
        made = await client.call_tool(
            "doc_create", {"action": "document", "folder_path": ["product", "launch"], "name": "a.md", "content": "a\n"}
        )
        given = {
            "action": "replace",
            "location": "product/launch/a.md",
            "expected_commit": made.structured_content["commit"],
        }
        assert not (await client.call_tool("doc_update", {**given, "content": "b\n"})).is_error
        told = await client.call_tool("doc_update", {**given, "content": "c\n", "on_conflict": "merge"})
        assert told.is_error
        assert told.structured_content["hunks"][0]["mine"] == "c\n"

    with_client(live_scout, mode, work)


@pytest.mark.parametrize("mode", MODES)
def test_resources_and_prompts_are_there(live_scout: Rpc, mode: str) -> None:
    async def work(client: Client) -> None:
        await client.call_tool(
            "doc_create",
            {"action": "document", "folder_path": ["product", "launch"], "name": "ä b.md", "content": PLAN},
        )
        listed = await client.list_resources()
        assert [str(resource.uri) for resource in listed.resources] == ["baton://product/launch/%C3%A4%20b.md"]
        templates = await client.list_resource_templates()
        assert templates.resource_templates[0].uri_template == "baton://{+location}"
        contents = await client.read_resource(str(listed.resources[0].uri))
        assert PLAN in contents.contents[0].text
        with pytest.raises(MCPError, match="NOT_FOUND"):
            await client.read_resource("baton://product/launch/none.md")
        with pytest.raises(MCPError, match="INVALID"):
            await client.read_resource("https://example.org/")
        prompts = await client.list_prompts()
        assert {prompt.name for prompt in prompts.prompts} == {"catch-up", "hand-off", "sync-conversation"}
        got = await client.get_prompt("catch-up", {"folder": "product/launch"})
        assert "in product/launch" in got.messages[0].content.text
        with pytest.raises(MCPError, match="INVALID"):
            await client.get_prompt("catch-up", {"place": "x"})

    with_client(live_scout, mode, work)


def test_sixteen_agents_append_at_once_and_every_line_is_there_once(committed_cast: Cast, live_scout: Rpc) -> None:
    live_scout.data(
        "doc_create", action="document", folder_path=["product", "launch"], name="log.md", content="# Log\n"
    )

    async def run() -> list[bool]:
        limits = httpx2.Limits(max_connections=16)
        async with httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {live_scout.token}"}, timeout=60, limits=limits
        ) as http:
            transport = streamable_http_client(f"{live_scout.address}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as client:

                async def writer(number: int) -> list[bool]:
                    done = []
                    for turn in range(5):
                        result = await client.call_tool(
                            "doc_update",
                            {
                                "action": "append",
                                "location": "product/launch/log.md",
                                "content": f"writer {number} turn {turn}",
                                "idempotency_key": f"{number}-{turn}",
                            },
                        )
                        done.append(not result.is_error)
                    return done

                return [ok for done in await asyncio.gather(*map(writer, range(16))) for ok in done]

    assert all(loops.run(run()))
    lines = live_scout.data("read", location="product/launch/log.md")["content"].splitlines()
    assert sorted(lines[1:]) == sorted(f"writer {n} turn {t}" for n in range(16) for t in range(5))
