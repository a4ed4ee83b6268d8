"""The handler on the oldest Python that it takes, as Windows has it, and where there is no Python."""

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance.npm import NODE
from tests.hosts.project import HANDLER, Project
from tests.hosts.server import TEXT, Server
from tests.hosts.troubled import Troubled, whole_session

CONTEXT_PATH = "/api/v1/context"


def older() -> str | None:
    """A Python 3.9 of this machine."""
    folders = [Path.home() / ".pyenv" / "versions", Path(os.environ.get("PYENV_ROOT", "/nowhere")) / "versions"]
    found = [path / "bin" / "python3.9" for folder in folders if folder.is_dir() for path in folder.glob("3.9.*")]
    return next((str(path) for path in found if path.exists()), None) or shutil.which("python3.9")


def test_it_runs_under_python_3_9(project: Project, scripted: Server) -> None:
    ast.parse(HANDLER.read_text(encoding="utf-8"), feature_version=(3, 9))
    program = older()
    if program is None or subprocess.run([program, "-c", ""], capture_output=True).returncode:
        pytest.skip("there is no Python 3.9 here; its grammar was checked")

    class Older(Project):
        def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
            pipe = subprocess.PIPE
            command = [str(program), "-I", "-S", str(self.handler), *arguments]
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.root, env=self.environment)

    made = Older(root=project.root, home=project.home, address=project.address, token=project.token)
    assert whole_session(made).injected == TEXT
    assert len(scripted.kept) == 1
    scripted.answers[CONTEXT_PATH] = (500, {})
    made.bind(policy="required")
    assert made.prompt(prompt_id="p2").code == 2


def test_what_windows_does_otherwise_is_done(troubled: Troubled, scripted: Server) -> None:
    troubled.trouble = "windows"
    assert whole_session(troubled).injected == TEXT
    assert len(scripted.kept) == 1
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached"]
    assert (troubled.home / "AppData" / "baton" / "captures.json").exists()
    troubled.bind(policy="required")
    scripted.answers[CONTEXT_PATH] = (500, {})
    assert troubled.prompt(prompt_id="p2").code == 2
    assert list(troubled.home.rglob("*.part")) == []


PLUGGED = """
import { Baton } from %s
const hooks = await Baton({ client: undefined, directory: process.argv[1] })
const output = { parts: [{ type: "text", id: "prt_1", messageID: "msg_1", text: "When is the launch?" }] }
try {
  await hooks["chat.message"]({ sessionID: "s1", messageID: "msg_1" }, output)
  console.log(JSON.stringify(output.parts.map((part) => part.text)))
} catch (error) {
  console.log("stopped: " + error.message)
}
"""


@pytest.mark.xdist_group("conformance")
@pytest.mark.parametrize("policy", ["optional", "required"])
def test_opencode_without_python_follows_the_projects_file(project: Project, policy: str) -> None:
    project.bind(policy=policy)
    below = project.root / "deep"
    below.mkdir()
    plugin = project.home / "baton.mjs"
    plugin.write_bytes((HANDLER.parents[1] / "files" / "opencode" / "baton.js").read_bytes())
    nothing = project.home / "no programs"
    nothing.mkdir()
    command = [str(NODE.path), "--input-type=module", "-e", PLUGGED % json.dumps(plugin.as_uri()), str(below)]
    environment = {"PATH": str(nothing), "HOME": str(project.home)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert "no Python" in done.stdout, done.stderr
    assert done.stdout.startswith("stopped: ") == (policy == "required")
