"""MCP Inspector's command line with an agent token."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conftest import PLACE, Peer
from tests.conformance.npm import INSPECTOR, NODE

ERAS = ["legacy", "modern"]


def inspect(peer: Peer, home: Path, *options: str, token: str = "") -> subprocess.CompletedProcess[str]:
    program = INSPECTOR.path / "clients" / "launcher" / "build" / "index.js"
    command = [str(NODE.path), str(program), "--cli", f"{peer.url}/mcp", "--transport", "http", "--stored-auth-only"]
    command += ["--header", f"Authorization: Bearer {token or peer.token}", "--format", "json", *options]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return dict(found.get("result", found))


@pytest.mark.parametrize("era", ERAS)
def test_it_lists_the_tools_and_finds_their_schemas_portable(peer: Peer, tmp_path: Path, era: str) -> None:
    # With --strict it ends with 6 where a schema would not be taken by every host.
    done = inspect(peer, tmp_path, "--method", "tools/list", "--strict", "--protocol-era", era)
    names = {tool["name"] for tool in answer(done)["tools"]}
    assert {"browse", "read", "search", "doc_create", "identity"} <= names


@pytest.mark.parametrize("era", ERAS)
def test_it_calls_a_tool(peer: Peer, tmp_path: Path, era: str) -> None:
    arguments = json.dumps({"location": f"{PLACE}/plan.md"})
    options = ["--method", "tools/call", "--tool-name", "read", "--tool-args-json", arguments, "--protocol-era", era]
    found = answer(inspect(peer, tmp_path, *options))
    assert not found.get("isError")
    assert "second of March" in found["structuredContent"]["content"]


def test_it_is_told_that_a_wrong_token_is_one(peer: Peer, tmp_path: Path) -> None:
    done = inspect(peer, tmp_path, "--method", "tools/list", token="btn_" + "0" * 38)
    assert done.returncode != 0
    assert "auth" in done.stderr
