"""A project on a machine that something is wrong with."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.project import Answer, Project

DRIVER = Path(__file__).with_name("driver.py")
LAST = "We decided on June."


@dataclass(kw_only=True)
class Troubled(Project):
    """A project whose handler runs with a trouble of ``driver.py``."""

    trouble: str = ""

    @property
    def told(self) -> Path:
        return self.home / "told"

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-I", "-S", str(DRIVER), self.trouble, str(self.handler), *arguments]
        environment = self.environment | {"TOLD": str(self.told), "APPDATA": str(self.home / "AppData")}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.root, env=environment)

    def reached(self, *events: str) -> list[list[Any]]:
        lines = self.told.read_text().splitlines() if self.told.exists() else []
        return [line for line in map(json.loads, lines) if not events or line[0] in events]


def whole_session(project: Project) -> Answer:
    """What a host runs in a session, with capture on."""
    assert project.run("capture", "on").code == 0
    project.run("hook", "claude-code", "start", given=project.event(source="startup"))
    answer = project.prompt()
    project.stop(LAST)
    project.run("hook", "claude-code", "end", given=project.event(reason="exit"))
    end = time.monotonic() + 20
    while project.spooled and time.monotonic() < end:
        time.sleep(0.05)
    return answer


def unshared(*flags: str) -> list[str]:
    """A command's beginning that gives it namespaces of its own; skips where the kernel refuses."""
    program = shutil.which("unshare")
    if program is None:
        pytest.skip("there is no unshare here")
    tried = subprocess.run([program, *flags, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"the kernel gives no namespace: {tried.stderr.strip()}")
    return [program, *flags]
