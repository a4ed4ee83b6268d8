"""What the handler itself takes of a prompt's time."""

import os
import re
import statistics
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.hosts.project import HANDLER, Project
from tests.hosts.server import CONTEXT, Server

RUNS = 15
OWN_MS = 100
AT_REST_MS = 10
HEAVY = {
    "asyncio",
    "ctypes",
    "dataclasses",
    "email",
    "hashlib",
    "http",
    "inspect",
    "logging",
    "random",
    "ssl",
    "typing",
}
HEAVY |= {"subprocess", "tempfile", "urllib", "uuid", "zipfile"}


def ended(process: "subprocess.Popen[bytes]") -> float:
    """The milliseconds of a processor that it took, once it has ended."""
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    return (used.ru_utime + used.ru_stime) * 1_000


@pytest.mark.xdist_group("conformance")
def test_it_takes_less_than_a_tenth_of_a_second_beside_the_servers_answer(
    project: Project, scripted: Server, record_property: Any
) -> None:
    """In time that a processor spends on it, whatever else runs; and by the clock as well, where a Python that does
    nothing starts as fast as on a machine at rest. On one that is busy the clock is allowed as much more as that takes
    longer."""
    answered: list[float] = []

    def timed(call: Any) -> dict[str, Any]:
        begun = time.monotonic()
        time.sleep(0.05)
        answered.append(time.monotonic() - begun)
        return CONTEXT

    scripted.answers["/api/v1/context"] = (200, timed)
    clock, spent, bare = [], [], []
    for turn in range(RUNS):
        begun = time.monotonic()
        subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
        bare.append((time.monotonic() - begun) * 1_000)
        begun = time.monotonic()
        process = project.start("hook", "claude-code", "prompt")
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with process.stdin, process.stdout, process.stderr:
            process.stdin.write(project.event(prompt="When?", prompt_id=f"p{turn}"))
            process.stdin.close()
            assert b"second of March" in process.stdout.read()
            spent.append(ended(process))
            clock.append((time.monotonic() - begun - answered[-1]) * 1_000)
    own, idle = statistics.median(clock), statistics.median(bare)
    figures = (
        f"clock {own:.0f} ms, processor {statistics.median(spent):.0f} ms, a Python that does nothing {idle:.0f} ms"
    )
    record_property("figures", figures)
    print(figures)
    assert statistics.median(spent) <= OWN_MS, figures
    assert own <= OWN_MS * max(1.0, idle / AT_REST_MS), figures


def test_it_loads_nothing_heavy(project: Project, scripted: Server) -> None:
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(HANDLER), "hook", "claude-code", "prompt"]
    done = subprocess.run(
        command,
        input=project.event(prompt="When?"),
        capture_output=True,
        cwd=project.root,
        env=project.environment,
        timeout=30,
    )
    loaded = {name.partition(".")[0] for name in re.findall(r"\| +([\w.]+)$", done.stderr.decode(), re.M)}
    assert "json" in loaded
    assert b"second of March" in done.stdout
    assert loaded & HEAVY == set()
    assert len(scripted.to("/api/v1/context")) == 1
