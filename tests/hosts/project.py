"""A project on a person's machine, and the handler that a host runs in it, as a process of its own."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HANDLER = Path(__file__).resolve().parents[2] / "workspace" / "hosts" / "handler" / "baton_hook.py"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a run of the handler gave."""

    code: int
    out: str
    said: str
    took: float

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out) if self.out else {}

    @property
    def injected(self) -> str:
        return self.json.get("hookSpecificOutput", {}).get("additionalContext", "")

    @property
    def visible(self) -> str:
        return self.json.get("systemMessage", "")


@dataclass(kw_only=True)
class Project:
    """``root`` holds the project's ``.baton.json``, ``home`` the person's own files."""

    root: Path
    home: Path
    address: str
    token: str = "btn_token_of_a_test_that_is_none"
    handler: Path = HANDLER

    def bind(self, **binding: Any) -> None:
        content = {"folder": "product/launch", "policy": "optional", **binding}
        (self.root / ".baton.json").write_text(json.dumps(content), encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        made = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "BATON_ADDRESS": self.address,
        }
        return made | ({"BATON_TOKEN": self.token} if self.token else {})

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(self.handler), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.root,
            env=self.environment,
        )

    def run(self, *arguments: str, given: bytes = b"") -> Answer:
        begun = time.monotonic()
        process = self.start(*arguments)
        out, said = process.communicate(given, timeout=60)
        return Answer(code=process.returncode, out=out.decode(), said=said.decode(), took=time.monotonic() - begun)

    def event(self, host: str = "claude-code", **more: Any) -> bytes:
        given = {"session_id": "s1", "cwd": str(self.root), "prompt_id": "p1", **more}
        return json.dumps(given).encode()

    def prompt(self, text: str = "When is the launch?", host: str = "claude-code", **more: Any) -> Answer:
        return self.run("hook", host, "prompt", given=self.event(prompt=text, **more))

    def stop(self, last: str = "Done.", **more: Any) -> Answer:
        return self.run("hook", "claude-code", "stop", given=self.event(last_assistant_message=last, **more))

    @property
    def spooled(self) -> list[Path]:
        return sorted(self.home.rglob("spool/*.json"))
