"""What Help says to paste for hooks does what it says, line by line, with the hosts themselves."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conformance.model import Model, model
from tests.conformance.npm import CLAUDE_CODE, GEMINI, NODE
from tests.hosts.product import Product
from tests.hosts.programs import claude_environment, codex_environment, gemini_environment, plain
from tests.hosts.project import Project
from workspace.hosts.bundles import WHERE
from workspace.web.ways import HANDLERS, WAYS

pytestmark = pytest.mark.xdist_group("conformance")


def pasted(host: str) -> list[str]:
    """Every line of that host's page, in its order."""
    (way,) = (way for way in WAYS if way.key == host)
    return [line for step in way.steps for line in step.lines]


def programs(folder: Path) -> str:
    """A path on which the hosts are called what people call them."""
    folder.mkdir()
    (folder / "claude").symlink_to(CLAUDE_CODE.path)
    gemini = folder / "gemini"
    gemini.write_text(f'#!/bin/sh\nexec {shlex.quote(str(NODE.path))} {shlex.quote(str(GEMINI.path))} "$@"\n')
    gemini.chmod(0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin"


def opencode_environment(project: Project, _: Model) -> dict[str, str]:
    return plain(project)


ENVIRONMENTS = {
    "claude-code": claude_environment,
    "codex": codex_environment,
    "gemini": gemini_environment,
    "opencode": opencode_environment,
}


@pytest.mark.parametrize("host", WHERE)
def test_a_host_is_installed_and_bound_by_the_lines_on_its_page(tmp_path: Path, there: Product, host: str) -> None:
    place = there.place()
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    project = Project(root=root, home=home, address=there.url, token=there.token("alice", f"{host} by hand", place))
    with model("no-such-tool", {}) as fake:
        environment = ENVIRONMENTS[host](project, fake)
        environment |= {"PATH": programs(tmp_path / "bin")}
        # A home as the page means it: these hosts can be told of another folder.
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "BATON_TOKEN"):
            environment.pop(name, None)

        def run(line: str, folder: Path, text: str = "y\n") -> subprocess.CompletedProcess[str]:
            filled = line.replace("{base}", there.url).replace("{folder}", place)
            return subprocess.run(
                ["/bin/sh", "-c", filled],
                cwd=folder,
                env=environment,
                input=text,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )

        (install,) = (line for line in pasted(host) if f"/connect/{host}." in line)
        # Twice: the second is how somebody takes up what the instance serves now.
        for _ in range(2 if host in ("codex", "opencode") else 1):
            done = run(install, home)
            assert done.returncode == 0, done.stdout + done.stderr
        handler = Path(HANDLERS[host].replace("~", str(home)))
        assert there.url in handler.read_text(encoding="utf-8")
        named = [line for line in pasted(host) if HANDLERS[host] in line and line.startswith("python3")]
        assert [line.split()[2] for line in named] == ["connect", "bind", "capture", "status", "test"]
        for line in named:
            more = " --token-stdin" if line.endswith("connect") else ""
            done = run(line + more, root, project.token)
            assert done.returncode == 0, line + done.stdout + done.stderr
        assert f"{there.url} answered in" in done.stdout
        status = run(named[3], root).stdout
        assert f"Folder      {place}" in status
        assert "Capture     ask" in status
    assert os.listdir(root) == [".baton.json"]
