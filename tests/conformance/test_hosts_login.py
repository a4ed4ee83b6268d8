"""Claude Code and Codex sign in by themselves, and then a model in them calls a tool of this server."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conformance.conftest import EMAIL, Peer
from tests.conformance.model import DONE, Model, model, offered
from tests.conformance.npm import CLAUDE_CODE, CODEX
from tests.conformance.terminal import Terminal
from tests.conformance.visitor import Visitor

WRITING = {"doc_create", "doc_update", "doc_delete"}


@dataclass(frozen=True, kw_only=True)
class Host:
    """How a host is run. ``prepare`` writes what it is told of the server and of the model, ``ask`` is its command for
    one prompt; ``redirect`` is where its browser is sent back to."""

    command: Callable[[], str]
    environment: Callable[[Path, Model], Mapping[str, str]]
    prepare: Callable[[Path, str, Model], None]
    ask: tuple[str, ...]
    redirect: str
    says: str


def plain(home: Path, **more: str) -> dict[str, str]:
    """An environment in which a host finds nothing of ours, and keeps what it has to itself."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **more}


def claude_environment(home: Path, made: Model) -> Mapping[str, str]:
    return plain(
        home,
        CLAUDE_CONFIG_DIR=str(home / "config"),
        ANTHROPIC_BASE_URL=made.url,
        ANTHROPIC_API_KEY="sk-none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
        DISABLE_ERROR_REPORTING="1",
        DISABLE_TELEMETRY="1",
        # Else the model is shown a search for tools in place of them.
        ENABLE_TOOL_SEARCH="false",
    )


def claude_prepare(home: Path, url: str, made: Model) -> None:
    command = [str(CLAUDE_CODE.path), "mcp", "add", "--transport", "http", "--scope", "user", "baton", url]
    subprocess.run(command, env=claude_environment(home, made), cwd=home, check=True, capture_output=True, timeout=60)


def codex_environment(home: Path, made: Model) -> Mapping[str, str]:
    return plain(home, CODEX_HOME=str(home / "codex"), FAKE_KEY="none")


def codex_prepare(home: Path, url: str, made: Model) -> None:
    (home / "codex").mkdir()
    (home / "codex" / "config.toml").write_text(
        'model = "fake"\n'
        'model_provider = "fake"\n'
        'mcp_oauth_credentials_store = "file"\n'
        "[model_providers.fake]\n"
        'name = "fake"\n'
        f'base_url = "{made.url}/v1"\n'
        'wire_api = "responses"\n'
        'env_key = "FAKE_KEY"\n'
        "[mcp_servers.baton]\n"
        f'url = "{url}"\n'
    )


HOSTS = {
    "claude-code": Host(
        command=lambda: str(CLAUDE_CODE.path),
        environment=claude_environment,
        prepare=claude_prepare,
        ask=("-p", "Who am I?", "--allowedTools", "mcp__baton"),
        redirect="http://localhost:",
        says="Authenticated with",
    ),
    "codex": Host(
        command=lambda: str(CODEX.path),
        environment=codex_environment,
        prepare=codex_prepare,
        ask=("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Who am I?"),
        redirect="http://127.0.0.1:",
        says="Successfully logged in",
    ),
}


@pytest.mark.parametrize("read_only", [False, True], ids=["whole", "reading"])
@pytest.mark.parametrize("name", HOSTS)
def test_the_host_signs_in_and_calls(peer: Peer, visitor: Visitor, folder: Path, name: str, read_only: bool) -> None:
    host = HOSTS[name]
    with model("identity", {"action": "self"}) as made:
        host.prepare(folder, f"{peer.url}/mcp", made)
        environment = host.environment(folder, made)
        terminal = Terminal([host.command(), "mcp", "login", "baton"], folder=folder, environment=environment)
        try:
            address = terminal.expect(rf"{peer.url}/oauth/authorize\?\S+(?=\s)")
            sent = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
            agent = f"{name} {'reading' if read_only else 'whole'}"
            visitor.allow(address, name=agent, read_only="1" if read_only else None)
            assert terminal.wait() == 0, terminal.shown
            assert host.says in terminal.shown
        finally:
            terminal.close()
        assert sent["redirect_uri"].startswith(host.redirect)
        assert sent["resource"] == f"{peer.url}/mcp"
        assert sent["code_challenge_method"] == "S256"
        asked = subprocess.run(
            [host.command(), *host.ask],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert asked.returncode == 0, asked.stderr
    assert DONE in asked.stdout
    assert made.called, f"the host offered {offered(made.asked[0])}"
    shown = {tool.rpartition("__")[2].removeprefix("baton") for tool in offered(made.asked[0])}
    assert {"browse", "read", "search"} <= shown
    assert bool(WRITING & shown) is not read_only
    # What the model was given after its call is what the server said of the agent that was let in.
    given = json.dumps(made.asked[-1])
    assert EMAIL in given
    assert agent in given
