"""The official suite's command for authorization servers against the running product."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.conformance import suite
from tests.conformance.conftest import Peer
from tests.conformance.npm import NODE, SUITE
from tests.conformance.visitor import Visitor
from tests.instance import free_port

VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.fixture(scope="module")
def fetching(peer: Peer) -> Iterator[Peer]:
    """The instance as one that may fetch documents of clients: the suite wants to see that offered.

    Not for all: programs that see it offered have documents on servers that no test can reach.
    """
    usual = dict(peer.instance.extra)
    _again(peer, {**usual, "BATON_OAUTH_CLIENT_HOSTS": "clients.example.org"})
    yield peer
    _again(peer, usual)


def _again(peer: Peer, extra: dict[str, str]) -> None:
    peer.instance.stop()
    peer.instance.extra = extra
    peer.instance.start()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_authorization_server_passes(fetching: Peer, visitor: Visitor, tmp_path: Path, version: str) -> None:
    peer, port = fetching, free_port()
    described = {"client_name": f"Suite {version}", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    client = httpx2.post(f"{peer.url}/oauth/register", json=described).raise_for_status().json()
    options = ["--url", peer.url, "--client-id", client["client_id"], "--resource", f"{peer.url}/mcp"]
    options += ["--port", str(port), "--spec-version", version, "--output-dir", str(tmp_path)]
    command = [str(NODE.path), str(SUITE.path), "authorization", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        assert running.stdout is not None
        said: list[str] = []
        for line in running.stdout:
            said.append(line)
            if re.match(rf"{re.escape(peer.url)}/oauth/authorize\?", line):
                visitor.allow(line.strip())
        running.wait(60)
    found = suite.read(tmp_path, prefix="authorization-server-")
    assert set(found) == {"authorization-server-metadata-endpoint", "authorization-code-grant"}, "".join(said)
    for scenario, checks in found.items():
        wrong = [f"{check.status} {check.id}: {check.told[:300]}" for check in checks if check.status != "SUCCESS"]
        assert checks, f"{scenario}: nothing was checked"
        assert wrong == []
    (grant,) = found["authorization-code-grant"]
    assert grant.details["body"]["token_type"] == "Bearer"
    metadata = found["authorization-server-metadata-endpoint"][0]
    assert metadata.details["body"]["issuer"] == peer.url


def test_every_version_and_scenario_is_run() -> None:
    assert suite.versions(SUITE, "authorization") == set(VERSIONS)
    names = suite.everything(SUITE, "authorization")
    assert names == {"authorization-server-metadata-endpoint", "authorization-code-grant"}
    assert all(suite.scenarios(SUITE, "authorization", version) == names for version in VERSIONS)
