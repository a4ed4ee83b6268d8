"""``bench hooks``: what the handler of a host's hooks takes before each prompt.

The handler runs as hosts run it, as a program of its own, against the product with 10,000 documents; beside it, in
turn, the same request by a plain client, and a Python that does nothing. Runs in a workspace of its own (a temporary
data folder), which the command made.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection

from workspace.access import person_actor
from workspace.actor import Via
from workspace.management.bench import corpus
from workspace.management.bench.client import ROOT, Client, server
from workspace.management.bench.figures import Figure
from workspace.models import Person
from workspace.services import agents, documents

HANDLER = ROOT / "workspace" / "hosts" / "handler" / "baton_hook.py"
DOCUMENTS, FOLDERS = 10_000, 400
PROMPTS = 60
SEED = 20261130
BUDGETS = (200, 1_000, 8_000)
SCRIPTS = (
    "Wann beginnt der Start?",
    "什么时候开始发布？我们决定了什么",
    "متى يبدأ الإطلاق وما الذي تقرر",
    "🚀🧵 e\u0301e\u0301 launch",
)
"""Prompts whose passages are in scripts of one to four bytes a character."""
WATCHED = """
import runpy, sys
def hook(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        sys.stderr.write("ASKED %r\\n" % (given[-1] if event != "socket.getaddrinfo" else given[:2],))
sys.addaudithook(hook)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project on a machine that is connected, as the handler finds it."""

    folder: Path
    environment: dict[str, str]

    def command(self, *before: str) -> list[str]:
        return [sys.executable, *before, str(HANDLER), "hook", "claude-code", "prompt"]

    def event(self, prompt: str) -> bytes:
        """What the host writes to the handler."""
        given = {"session_id": "bench", "prompt_id": uuid.uuid4().hex, "cwd": str(self.folder), "prompt": prompt}
        return json.dumps(given).encode()

    def asked(self, prompt: str, *before: str) -> "subprocess.CompletedProcess[bytes]":
        """The handler, run to its end. Raises ``RuntimeError`` where it had no context."""
        event = self.event(prompt)
        done = subprocess.run(
            self.command(*before), input=event, env=self.environment, capture_output=True, check=False
        )
        if done.returncode or b"memory was unavailable" in done.stdout:
            raise RuntimeError(f"no context: {done.stdout[:400]!r} {done.stderr[:400]!r}")
        return done


def run() -> list[Figure]:
    """All figures of the benchmark."""
    chance = random.Random(SEED)
    admin = Person.objects.create_superuser("bench@example.org", None)
    owner = person_actor(admin, via=Via.COMMAND)
    folders = corpus.folders(admin, FOLDERS)
    words = corpus.texts(chance)
    corpus.documents(folders, admin, DOCUMENTS)
    place = folders[0].path
    for number, text in enumerate(SCRIPTS):
        documents.create(owner, location=f"{place}/s{number}.md", content=f"# {text}\n\n{f'{text}. ' * 200}\n")
    documents.create(
        owner, location=f"{place}/HANDOFF.md", content="# Handoff\n\n" + "- Decided: begin in June.\n" * 40
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    token = agents.create(owner, name="bench").token
    with server() as port, _project(port, token, place) as project:
        client = Client(port, token)
        return [*_times(project, client, place, words, chance), _budgets(project), _addresses(project, port)]


@contextmanager
def _project(port: int, token: str, place: str) -> Iterator[Project]:
    with tempfile.TemporaryDirectory(prefix="baton-bench-hooks-") as made:
        home, folder = Path(made) / "home", Path(made) / "project"
        home.mkdir()
        folder.mkdir()
        binding = {"folder": place, "policy": "optional", "deadline_ms": 10_000}
        (folder / ".baton.json").write_text(json.dumps(binding))
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(home),
            "BATON_ADDRESS": f"http://127.0.0.1:{port}",
            "BATON_TOKEN": token,
        }
        yield Project(folder=folder, environment=environment)


def _times(project: Project, client: Client, place: str, words: list[str], chance: random.Random) -> list[Figure]:
    whole, own, bare = [], [], []
    for turn in range(PROMPTS + 5):
        prompt = " ".join(chance.choices(words[:400], k=8))
        body = {"prompt": prompt, "location": place, "budget_chars": 8_000, "host": "bench", "session": "plain"}
        begun = time.perf_counter()
        found = client.ok("POST", "/api/v1/context", body)
        client.ok("POST", "/api/v1/receipts", {"receipt": found["receipt"], "stage": "attached"})
        answered = time.perf_counter() - begun
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
        nothing = time.perf_counter() - begun
        begun = time.perf_counter()
        project.asked(prompt)
        took = time.perf_counter() - begun
        if turn >= 5:
            whole.append(1000 * took)
            own.append(1000 * (took - answered))
            bare.append(1000 * nothing)
    return [
        Figure(
            name="handler, beyond the server's answers",
            value=statistics.median(own),
            unit="ms",
            bound=100,
            against=f"python3 -S -c pass {statistics.median(bare):.0f} ms",
        ),
        Figure(
            name=f"prompt to attached, 95th of a hundred, {DOCUMENTS:,} documents",
            value=statistics.quantiles(whole, n=20)[-1],
            unit="ms",
            bound=300,
            against=f"median {statistics.median(whole):.0f} ms",
        ),
    ]


def _budgets(project: Project) -> Figure:
    """The largest part of its budget that a text took, over budgets and scripts."""
    most, path = 0.0, project.folder / ".baton.json"
    kept = path.read_text()
    for budget in BUDGETS:
        path.write_text(json.dumps(json.loads(kept) | {"budget_chars": budget}))
        for prompt in SCRIPTS:
            answer: dict[str, Any] = json.loads(project.asked(prompt).stdout)
            text = answer["hookSpecificOutput"]["additionalContext"]
            most = max(most, len(text) / budget)
    path.write_text(kept)
    return Figure(name="text for the model, of its budget", value=most, unit="x", bound=1, against="three budgets")


def _addresses(project: Project, port: int) -> Figure:
    """How many calls went elsewhere than to the instance, by the interpreter's own audit of sockets."""
    asked = []
    for prompt in SCRIPTS:
        done = project.asked(prompt, "-c", WATCHED)
        asked += [line for line in done.stderr.decode().splitlines() if line.startswith("ASKED ")]
    if not asked:
        raise RuntimeError("the audit saw no call at all, so it says nothing")
    strange = [line for line in asked if line not in (f"ASKED ('127.0.0.1', {port})",)]
    return Figure(
        name="calls to other addresses", value=len(strange), unit="", bound=0, against=f"{len(asked)} calls in all"
    )
