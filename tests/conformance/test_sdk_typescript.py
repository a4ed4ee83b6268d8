"""The official TypeScript client finds its own way in: discovery, registration, consent, a call, a refresh, a call."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.conformance.conftest import Peer
from tests.conformance.npm import NODE, SDK
from tests.conformance.visitor import Visitor

PROGRAM = Path(__file__).with_name("sdk_client.mjs")


def test_the_client_signs_in_calls_refreshes_and_calls(peer: Peer, visitor: Visitor) -> None:
    command = [str(NODE.path), str(PROGRAM), str(SDK.path), f"{peer.url}/mcp", "TypeScript SDK"]
    told: dict[str, Any] = {}
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stderr is not None
        for line in client.stdout:
            told |= json.loads(line)
            if "authorize" in told and "back" not in told:
                told["back"] = visitor.decide(told["authorize"])
                client.stdin.write(told["back"] + "\n")
                client.stdin.flush()
        failure = client.stderr.read()
    assert client.returncode == 0, failure
    sent, back = (parse_qs(urlsplit(told[name]).query) for name in ("authorize", "back"))
    assert sent["resource"] == [f"{peer.url}/mcp"]
    assert sent["code_challenge_method"] == ["S256"]
    assert set(sent["scope"][0].split()) == {"workspace:read", "workspace:write"}
    assert back["state"] == sent["state"]
    assert back["iss"] == [peer.url]
    assert "doc_create" in told["tools"]
    assert told["first"]["structuredContent"]["agent"]["name"] == "TypeScript SDK"
    assert told["first"]["structuredContent"] == told["second"]["structuredContent"]
    granted, _, refreshed = told["tokens"]
    assert granted["access_token"] != refreshed["access_token"]
    assert granted["refresh_token"] != refreshed["refresh_token"]
    steps = [step.rpartition(" ")[0] for step in told["seen"]]
    assert told["seen"][0] == "POST /mcp 401"
    assert steps.count("POST /oauth/register") == 1
    assert steps.count("POST /oauth/token") == 2
    assert "GET /.well-known/oauth-protected-resource/mcp 200" in told["seen"]
    assert "GET /.well-known/oauth-authorization-server 200" in told["seen"]
