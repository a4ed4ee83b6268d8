"""Programs from npm, each in a folder of its own outside the tree, at exact versions and kept between runs."""

import fcntl
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("BATON_TEST_CACHE") or Path.home() / ".cache" / "baton-tests") / "npm"
_MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package and what in it is run, as a path below ``node_modules``."""

    name: str
    version: str
    program: str

    @property
    def path(self) -> Path:
        """The program, installed. Skips the test where npm cannot install it; in CI that is a failure."""
        return _installed(self) / "node_modules" / self.program.format(machine=_MACHINE)


NODE = Package(name=f"node-linux-{_MACHINE}", version="22.23.5", program="node-linux-{machine}/bin/node")
SUITE = Package(
    name="@modelcontextprotocol/conformance",
    version="0.2.0-alpha.12",
    program="@modelcontextprotocol/conformance/dist/index.js",
)
EARLIER_SUITE = Package(
    name="@modelcontextprotocol/conformance",
    version="0.1.16",
    program="@modelcontextprotocol/conformance/dist/index.js",
)
INSPECTOR = Package(
    name="@modelcontextprotocol/inspector",
    version="2.12.0",
    program="@modelcontextprotocol/inspector",
)
SDK = Package(name="@modelcontextprotocol/sdk", version="1.32.2", program="@modelcontextprotocol/sdk")
CLAUDE_CODE = Package(
    name="@anthropic-ai/claude-code",
    version="2.1.332",
    program="@anthropic-ai/claude-code-linux-{machine}/claude",
)
CODEX = Package(
    name="@openai/codex",
    version="0.171.0",
    program=f"@openai/codex-linux-{{machine}}/vendor/{platform.machine()}-unknown-linux-musl/bin/codex",
)
GEMINI = Package(name="@google/gemini-cli", version="0.61.0", program="@google/gemini-cli/bundle/gemini.js")
OPENCODE = Package(name="opencode-ai", version="1.18.33", program="opencode-linux-{machine}/bin/opencode")
OPENCODE_PLUGIN = Package(name="@opencode-ai/plugin", version="1.18.33", program="@opencode-ai/plugin")


def _installed(package: Package) -> Path:
    """The folder that holds ``package``. Two runs at once install it once."""
    folder = CACHE / f"{package.name.replace('/', '+')}@{package.version}"
    if folder.exists():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        _unavailable("npm is not installed")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        fresh = folder.with_name(folder.name + ".part")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        # Scripts of packages are not run, no lock file is read or written.
        options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        asked = f"{package.name}@{package.version}"
        done = subprocess.run(
            [str(npm), "install", *options, asked], cwd=fresh, capture_output=True, text=True, timeout=600
        )
        if done.returncode:
            _unavailable(f"npm could not install {asked}: {done.stderr[-500:]}")
        fresh.rename(folder)
    return folder


def _unavailable(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
