"""Claude Code whose person signs in by a browser: its tools by OAuth, and its hooks by the code of a device."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conformance.model import DONE, Model, model, offered
from tests.conformance.npm import CLAUDE_CODE
from tests.conformance.terminal import Terminal
from tests.conformance.visitor import Visitor
from tests.hosts.product import PASSWORD, Product
from tests.hosts.programs import (
    claude_environment,
    claude_install,
    claude_installed,
    plain,
    processes,
    prompts,
    run,
    shown,
    unpack,
    until,
)
from tests.hosts.project import Project

pytestmark = pytest.mark.xdist_group("conformance")
TOOLS = "tools of a laptop"


@pytest.fixture
def place(there: Product) -> str:
    return there.place()


@pytest.fixture
def alice(there: Product) -> Iterator[Visitor]:
    """At a browser of her own, not signed in yet."""
    made = Visitor(there.email("alice"), PASSWORD)
    yield made
    made.http.close()


@pytest.fixture
def project(tmp_path: Path, there: Product, place: str) -> Project:
    """Bound to a place, with no token anywhere."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    made = Project(root=root, home=home, address=there.url, token="")
    made.bind(folder=place, policy="required")
    return made


def connect_hooks(project: Project, alice: Visitor, name: str, *, action: str = "grant") -> tuple[int, str]:
    """Runs ``connect`` as the host's command does, while alice decides about the code that it shows."""
    handler = unpack("claude-code", project) / "baton" / "hooks" / "baton_hook.py"
    terminal = Terminal(
        [sys.executable, "-I", "-S", str(handler), "connect"], folder=project.root, environment=plain(project)
    )
    try:
        address = terminal.expect(rf"{project.address}/device\?code=\S+(?=\s)")
        code = terminal.expect(r"(?<=type the code )\S+(?=\s)")
        assert code in address
        said = alice.answer(address, name=name, action=action)
        assert (name in said) is (action == "grant")
        return terminal.wait(), terminal.shown
    finally:
        terminal.close()


def log_in(project: Project, fake: Model, alice: Visitor) -> None:
    """Lets Claude Code sign the plugin's server in by itself."""
    command = [str(CLAUDE_CODE.path), "mcp", "login", "plugin:baton:baton"]
    environment = claude_environment(project, fake) | {"TERM": "xterm"}
    terminal = Terminal(command, folder=project.root, environment=environment)
    try:
        alice.allow(terminal.expect(rf"{project.address}/oauth/authorize\?\S+(?=\s)"), name=TOOLS)
        assert terminal.wait() == 0, terminal.shown
    finally:
        terminal.close()


def test_hooks_and_tools_act_for_the_person_who_let_them_in(
    there: Product, place: str, project: Project, alice: Visitor
) -> None:
    status, said = connect_hooks(project, alice, "hooks of a laptop")
    assert status == 0, said
    assert f"Connected to {there.url}" in said
    (held,) = project.home.rglob("credentials.json")
    assert held.stat().st_mode & 0o777 == 0o600
    assert project.root not in held.parents
    assert list(json.loads(held.read_text())) == [there.url]
    with model("identity", {"action": "self"}) as fake:
        claude_install(project, fake)
        log_in(project, fake, alice)
        claude_installed(project, fake).wait(timeout=120)
    sent = prompts(fake)
    assert sent, shown(project)
    # The hooks' context is there before anything is called, and the tool's answer after that.
    assert "The launch is on the second of March." in sent[0]
    assert f"{place}/plan.md" in sent[0]
    assert fake.called, offered(fake.asked[0])
    assert TOOLS in sent[-1]
    assert there.email("alice") in sent[-1]
    assert DONE in shown(project)
    attached = there.items("receipts", kind="attached", location=place)
    assert {(fact["by"]["label"], fact["host"]) for fact in attached} == {("hooks of a laptop", "claude-code")}


def test_a_connection_that_was_denied_or_has_ended_says_so_and_stops_what_requires_it(
    there: Product, project: Project, alice: Visitor
) -> None:
    status, said = connect_hooks(project, alice, "hooks again", action="deny")
    assert status == 1
    assert "Not connected" in said
    assert list(project.home.rglob("credentials.json")) == []
    with model("no-such-tool", {}) as fake:
        run("claude-code", project, fake)
    assert prompts(fake) == []
    assert "memory was unavailable (unauthorized)" in shown(project)
    # It says what to do, and doing that is enough.
    assert re.search(r"baton_hook\.py\S* connect", shown(project))
    assert connect_hooks(project, alice, "hooks again")[0] == 0
    with model("no-such-tool", {}) as fake:
        run("claude-code", project, fake)
    assert "The launch is on the second of March." in prompts(fake)[0]
    handler = unpack("claude-code", project) / "baton" / "hooks" / "baton_hook.py"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", str(handler), "uninstall"],
        env=plain(project),
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert urlsplit(there.url).netloc in ended.stdout
    (project.home / "host.log").unlink()
    with model("no-such-tool", {}) as fake:
        run("claude-code", project, fake)
    assert prompts(fake) == []
    assert "memory was unavailable (unauthorized)" in shown(project)
    assert until(lambda: not processes(project))
