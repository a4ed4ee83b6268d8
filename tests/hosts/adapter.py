"""Programs that use the package for Python, installed from its wheel as a person installs it, in processes of their
own."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from workspace.hosts import wheels

BAKED = "http://127.0.0.1:9"
"""The instance that the wheel is from where a test names none: nothing listens there."""


def pip(python: Path | str, *arguments: str) -> None:
    """Runs this environment's pip for another one, without any index."""
    command = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "--isolated"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def environment(folder: Path) -> Path:
    """A new virtual environment without anything in it; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    return folder / "bin" / "python"


@cache
def installed() -> Path:
    """The Python of a virtual environment with the wheel in it and nothing else; one for all processes of a run."""
    root = Path(tempfile.gettempdir()) / f"baton-wheel-{os.getuid()}-{os.getppid()}"
    root.mkdir(exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = root / wheels.NAME
        python = root / "venv" / "bin" / "python"
        content = wheels.wheel(BAKED)
        if not file.exists() or file.read_bytes() != content:
            environment(root / "venv")
            file.write_bytes(content)
            pip(python, "install", "--no-index", "--force-reinstall", "--quiet", str(file))
    return python


def packages() -> Path:
    """The folder that the package was installed into."""
    return next((installed().parents[1] / "lib").glob("python3*/site-packages"))


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a program printed last, as JSON, and all that it said."""

    code: int
    out: str
    said: str

    @property
    def json(self) -> Any:
        assert self.out.strip(), self.said
        return json.loads(self.out.splitlines()[-1])


@dataclass(kw_only=True)
class Person:
    """Somebody with a ``home`` and a folder ``root`` that programs of theirs run in, connected to ``address``."""

    root: Path
    home: Path
    address: str
    token: str = "btn_token_of_a_test_that_is_none"
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        made = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.home / "tmp"), **self.more}
        made |= {"BATON_ADDRESS": self.address} if self.address else {}
        return made | ({"BATON_TOKEN": self.token} if self.token else {})

    def start(self, program: str, *arguments: str, python: Path | None = None) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(python or installed()), "-W", "error", "-c", PRELUDE + program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root,
            env=self.environment,
        )

    def run(self, program: str, *arguments: str, python: Path | None = None) -> Ran:
        process = self.start(program, *arguments, python=python)
        out, said = process.communicate(timeout=90)
        return Ran(code=process.returncode, out=out, said=said)

    def command(self, *arguments: str) -> Ran:
        done = subprocess.run(
            [str(installed()), "-m", "baton", *arguments],
            capture_output=True,
            text=True,
            cwd=self.root,
            env=self.environment,
            timeout=90,
        )
        return Ran(code=done.returncode, out=done.stdout, said=done.stderr)

    @property
    def spooled(self) -> list[Path]:
        return sorted(self.home.rglob("spool/python/*.json"))


PRELUDE = """
import asyncio, dataclasses, json, os, sys, threading, time
import baton
def show(value):
    print(json.dumps(value, default=lambda each: getattr(each, "__dict__", str(each))))
"""
