"""Agent hosts themselves, each in a home of its own, with what the instance serves for it and a scripted model."""

import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tests.conformance.model import Model
from tests.conformance.npm import CLAUDE_CODE, CODEX, GEMINI, NODE, OPENCODE, OPENCODE_PLUGIN
from tests.hosts.project import Project
from workspace.hosts.bundles import bundle

PROMPT = "When is the launch?"


class Start(Protocol):
    """Starts a host with one prompt; starting it again in the same project is the next session of the same person."""

    def __call__(self, project: Project, fake: Model, prompt: str = ...) -> "subprocess.Popen[str]": ...


def unpack(host: str, project: Project) -> Path:
    """The host's bundle as the instance serves it, below the person's home."""
    where = project.home / "plugin"
    with zipfile.ZipFile(io.BytesIO(bundle(host, project.address))) as archive:
        archive.extractall(where)
    return where / f"baton-{host}"


def plain(project: Project, **more: str) -> dict[str, str]:
    """An environment in which a host finds nothing but what the project's person has."""
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    temporary = str(project.home / "tmp")
    made = {"PATH": path, "HOME": str(project.home), "TMPDIR": temporary, "TERM": "dumb", "LANG": "C.UTF-8", **more}
    return made | ({"BATON_TOKEN": project.token} if project.token else {})


def claude_environment(project: Project, fake: Model) -> dict[str, str]:
    return plain(
        project,
        CLAUDE_CONFIG_DIR=str(project.home / "config"),
        ANTHROPIC_BASE_URL=fake.url,
        ANTHROPIC_API_KEY="sk-none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
        DISABLE_ERROR_REPORTING="1",
        DISABLE_TELEMETRY="1",
        # Else the model is shown a search for tools in place of them.
        ENABLE_TOOL_SEARCH="false",
    )


CLAUDE_OPTIONS = ("--output-format", "stream-json", "--verbose", "--allowedTools", "mcp__plugin_baton_baton")
"""As text it prints the last answer alone; these are the lines that a person at its screen is shown."""


def claude(project: Project, fake: Model, prompt: str = PROMPT) -> "subprocess.Popen[str]":
    folder = unpack("claude-code", project)
    command = [str(CLAUDE_CODE.path), "-p", prompt, "--plugin-dir", str(folder / "baton"), *CLAUDE_OPTIONS]
    return launch(command, claude_environment(project, fake), project)


def claude_install(project: Project, fake: Model) -> None:
    """By the host's own commands, as somebody does it for good; ``claude_installed`` then runs it."""
    folder = unpack("claude-code", project)
    for command in (("marketplace", "add", str(folder)), ("install", "baton@baton")):
        done = subprocess.run(
            [str(CLAUDE_CODE.path), "plugin", *command],
            cwd=project.root,
            env=claude_environment(project, fake),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def claude_installed(project: Project, fake: Model, prompt: str = PROMPT) -> "subprocess.Popen[str]":
    return launch([str(CLAUDE_CODE.path), "-p", prompt, *CLAUDE_OPTIONS], claude_environment(project, fake), project)


def codex_environment(project: Project, fake: Model) -> dict[str, str]:
    """As ``install.py`` leaves it beside a person's own settings."""
    home = project.home / "codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        'model = "fake"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
        f'base_url = "{fake.url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n'
    )
    environment = plain(project, CODEX_HOME=str(home), FAKE_KEY="none")
    folder = unpack("codex", project)
    subprocess.run([sys.executable, str(folder / "install.py")], env=environment, check=True, capture_output=True)
    return environment


def codex(project: Project, fake: Model, prompt: str = PROMPT) -> "subprocess.Popen[str]":
    options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return launch([str(CODEX.path), "exec", *options, prompt], codex_environment(project, fake), project)


def gemini_environment(project: Project, fake: Model) -> dict[str, str]:
    own = project.home / ".gemini"
    own.mkdir(exist_ok=True)
    settings = {
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "telemetry": {"enabled": False},
    }
    (own / "settings.json").write_text(json.dumps(settings))
    return plain(project, GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=fake.url, GEMINI_CLI_TRUST_WORKSPACE="true")


def gemini_install(project: Project, fake: Model) -> None:
    """By the host's own command; ``gemini`` puts the folder where that puts it, which is faster."""
    command = [str(NODE.path), str(GEMINI.path), "extensions", "install", str(unpack("gemini", project)), "--consent"]
    environment = gemini_environment(project, fake)
    launch(command, environment, project).wait(timeout=120)


def gemini(project: Project, fake: Model, prompt: str = PROMPT) -> "subprocess.Popen[str]":
    environment = gemini_environment(project, fake)
    extension = project.home / ".gemini" / "extensions" / "baton"
    if not extension.exists():
        shutil.copytree(unpack("gemini", project), extension)
    return launch([str(NODE.path), str(GEMINI.path), "-m", "gemini-2.5-flash", "-p", prompt], environment, project)


def opencode(project: Project, fake: Model, prompt: str = PROMPT) -> "subprocess.Popen[str]":
    config = project.home / ".config" / "opencode"
    config.mkdir(parents=True, exist_ok=True)
    shutil.copytree(unpack("opencode", project), config / "plugin", dirs_exist_ok=True)
    provider = {
        "npm": "@ai-sdk/openai",
        "options": {"baseURL": f"{fake.url}/v1", "apiKey": "none"},
        "models": {"fake": {"name": "fake"}},
    }
    settings = {"provider": {"fake": provider}, "model": "fake/fake", "share": "disabled", "autoupdate": False}
    (config / "opencode.json").write_text(json.dumps(settings))
    _opencode_plugins(config)
    environment = plain(
        project,
        XDG_CONFIG_HOME=str(project.home / ".config"),
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1",
        OPENCODE_DISABLE_MODELS_FETCH="1",
    )
    return launch([str(OPENCODE.path), "run", prompt], environment, project)


def _opencode_plugins(config: Path) -> None:
    """What opencode fetches into every new home, from the cache: else each test would wait for npm."""
    if (config / "node_modules").exists():
        return
    fetched = OPENCODE_PLUGIN.path.parents[1]
    wanted = {"dependencies": {OPENCODE_PLUGIN.name: OPENCODE_PLUGIN.version}}
    lock = json.loads((fetched / ".package-lock.json").read_text())
    lock["packages"] = {"": wanted, **lock["packages"]}
    (config / "package.json").write_text(json.dumps(wanted))
    (config / "package-lock.json").write_text(json.dumps(lock))
    (config / "node_modules").symlink_to(fetched)


HOSTS: dict[str, Start] = {"claude-code": claude, "codex": codex, "gemini": gemini, "opencode": opencode}


def launch(command: list[str], environment: dict[str, str], project: Project) -> "subprocess.Popen[str]":
    """Starts a program whose screen is a file; ``shown`` reads it."""
    with (project.home / "host.log").open("a") as log:
        return subprocess.Popen(
            command,
            cwd=project.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
        )


def run(host: str, project: Project, fake: Model, prompt: str = PROMPT) -> None:
    """One whole session of a host."""
    HOSTS[host](project, fake, prompt).wait(timeout=120)


def prompts(fake: Model) -> list[str]:
    """What the model was sent for prompts; hosts also ask it for titles and the like, without tools."""
    return [json.dumps(asked, ensure_ascii=False) for asked in fake.asked if asked.get("tools")]


def shown(project: Project) -> str:
    """All that the person was shown."""
    return (project.home / "host.log").read_text(errors="replace")


def processes(project: Project) -> list[int]:
    """All that runs in the project's home, what its hooks left behind too."""
    found = []
    needle = f"HOME={project.home}".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and needle in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def until(condition: Callable[[], object], *, seconds: float = 30) -> bool:
    """Whether ``condition`` comes to hold within that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def left_behind(project: Project) -> list[str]:
    """What lies in the project's folder."""
    return sorted(os.listdir(project.root))
