"""Claude Code and Codex themselves, with what the instance serves for them. The proof is what their model was sent."""

import io
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance.model import DONE, Model, model
from tests.conformance.npm import CLAUDE_CODE, CODEX
from tests.hosts.project import Project
from tests.hosts.server import CONTEXT, TEXT, Server
from workspace.hosts.bundles import bundle

pytestmark = pytest.mark.xdist_group("conformance")
PROMPT = "When is the launch?"


@pytest.fixture
def fake() -> Iterator[Model]:
    with model("no-such-tool", {}) as made:
        yield made


def unpack(host: str, project: Project, where: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(bundle(host, project.address))) as archive:
        archive.extractall(where)
    return where / f"baton-{host}"


def plain(project: Project, **more: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    made = {"PATH": path, "HOME": str(project.home), "TERM": "dumb", "LANG": "C.UTF-8", **more}
    return made | ({"BATON_TOKEN": project.token} if project.token else {})


def claude(project: Project, fake: Model, *, wait: bool = True) -> "subprocess.Popen[str]":
    folder = unpack("claude-code", project, project.home / "plugin")
    environment = plain(
        project,
        CLAUDE_CONFIG_DIR=str(project.home / "config"),
        ANTHROPIC_BASE_URL=fake.url,
        ANTHROPIC_API_KEY="sk-none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
        DISABLE_ERROR_REPORTING="1",
        DISABLE_TELEMETRY="1",
    )
    return run([str(CLAUDE_CODE.path), "--plugin-dir", str(folder / "baton"), "-p", PROMPT], environment, project, wait)


def codex(project: Project, fake: Model, *, wait: bool = True) -> "subprocess.Popen[str]":
    home = project.home / "codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        'model = "fake"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
        f'base_url = "{fake.url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n'
    )
    environment = plain(project, CODEX_HOME=str(home), FAKE_KEY="none")
    folder = unpack("codex", project, project.home / "plugin")
    subprocess.run([sys.executable, str(folder / "install.py")], env=environment, check=True, capture_output=True)
    options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return run([str(CODEX.path), "exec", *options, PROMPT], environment, project, wait)


def run(command: list[str], environment: dict[str, str], project: Project, wait: bool) -> "subprocess.Popen[str]":
    log = (project.home / "host.log").open("a+")
    process = subprocess.Popen(
        command, cwd=project.root, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True
    )
    log.close()
    if wait:
        process.wait(timeout=120)
    return process


Run = Callable[..., "subprocess.Popen[str]"]
HOSTS: dict[str, Run] = {"claude-code": claude, "codex": codex}


def prompts(fake: Model) -> list[str]:
    """What the model was sent for the prompt; hosts also ask it for titles and the like, without tools."""
    return [json.dumps(asked, ensure_ascii=False) for asked in fake.asked if asked.get("tools")]


def shown(project: Project) -> str:
    return (project.home / "host.log").read_text(errors="replace")


@pytest.mark.parametrize("host", HOSTS)
def test_the_model_is_given_the_context(project: Project, scripted: Server, fake: Model, host: str) -> None:
    HOSTS[host](project, fake)
    sent = prompts(fake)
    assert sent, shown(project)
    assert "The launch is on the second of March." in sent[0]
    assert "product/launch/plan.md" in sent[0]
    assert DONE in shown(project)
    assert [call.body["prompt"] for call in scripted.to("/api/v1/context")] == [PROMPT]
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached"]


def _down(project: Project, scripted: Server) -> None:
    project.address = "http://127.0.0.1:9"


def _hanging(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, scripted.hang)


def _unauthorized(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (401, {})


def _oversized(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, {**CONTEXT, "text": TEXT * 1_000})


FAILURES = {"down": _down, "hanging": _hanging, "401": _unauthorized, "oversized": _oversized}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_failure_reaches_the_model_or_keeps_the_prompt_from_it(
    project: Project, scripted: Server, fake: Model, host: str, policy: str, failure: str
) -> None:
    project.bind(policy=policy)
    FAILURES[failure](project, scripted)
    HOSTS[host](project, fake)
    sent = prompts(fake)
    if policy == "required":
        assert sent == [], shown(project)
        # Without its own screen Codex shows that a prompt was blocked, and keeps the reason to itself.
        assert ("hook: UserPromptSubmit Blocked" if host == "codex" else "requires it") in shown(project)
    else:
        assert "Baton: memory was unavailable" in sent[0], shown(project)
        assert "second of March" not in sent[0]


@pytest.mark.parametrize("after", [None, 0.2, 1.0, 1.4])
@pytest.mark.parametrize("host", HOSTS)
def test_a_turn_is_kept_once_whenever_the_host_is_killed(
    project: Project, scripted: Server, fake: Model, host: str, after: float | None
) -> None:
    assert project.run("capture", "on").code == 0
    process = HOSTS[host](project, fake, wait=False)
    end = time.monotonic() + 90
    while not project.spooled and not scripted.kept and time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
    if after is not None:
        time.sleep(after)
        process.kill()
    process.wait(timeout=90)
    if not scripted.kept:
        # What the next start does; the hook of the end may never have run.
        project.run("hook", host, "start", given=project.event(source="startup"))
    while (project.spooled or not scripted.kept) and time.monotonic() < end:
        time.sleep(0.05)
    assert len(scripted.kept) == 1, shown(project)
    (kept,) = scripted.kept.values()
    assert PROMPT in kept["content"]
    assert DONE in kept["content"]
    assert os.listdir(project.root) == [".baton.json"]
