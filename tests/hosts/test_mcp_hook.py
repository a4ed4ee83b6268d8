"""Claude Code held to its prompts by a hook that calls Baton's tool: what a command hook cannot do there."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conformance.model import Model, model
from tests.conformance.npm import CLAUDE_CODE
from tests.hosts.listening import Quiet, listening
from tests.hosts.product import Product
from tests.hosts.programs import PROMPT, claude_environment, prompts, unpack
from tests.hosts.project import Project
from tests.hosts.server import Server

pytestmark = pytest.mark.xdist_group("conformance")
FACT = "The launch is on the second of March."
HOOK = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": FACT}}


@dataclass
class Tools:
    """An MCP server with the tool ``context``, which answers with ``answer`` as its result, or ``status``."""

    answer: dict[str, Any] = field(default_factory=lambda: text(json.dumps(HOOK)))
    status: int = 200
    hangs: bool = False
    called: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}], **more}


@contextmanager
def tools() -> Iterator[Tools]:
    made = Tools()
    schema = {"type": "object", "properties": {"prompt": {"type": "string"}}}
    results = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "baton", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "context", "description": "Context", "inputSchema": schema}]},
    }

    class Handler(Quiet):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            method = asked.get("method")
            if method == "tools/call":
                made.called.append(asked["params"]["arguments"])
                if made.hangs:
                    made.closing.wait(60)
            found = made.answer if method == "tools/call" else results.get(method)
            error = {"error": {"code": -32601, "message": "no such method"}}
            answer = {"jsonrpc": "2.0", "id": asked.get("id"), **({"result": found} if found else error)}
            if made.status != 200:
                self.put(made.status, {})
            elif "id" in asked:
                self.put(200, answer)
            else:
                self.put(202, None)

        def do_GET(self) -> None:
            self.put(405, None)

        def put(self, status: int, found: Any) -> None:
            raw = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    with listening(Handler) as made.url:
        try:
            yield made
        finally:
            made.closing.set()


@pytest.fixture
def served() -> Iterator[Tools]:
    with tools() as made:
        yield made


@pytest.fixture
def fake() -> Iterator[Model]:
    with model("no-such-tool", {}) as made:
        yield made


def run(
    project: Project,
    fake: Model,
    url: str,
    *,
    required: bool = True,
    path: str = "",
    token: str = "",
    place: str = "product/launch",
) -> tuple[list[str], str]:
    """What the model was sent, and what the person was shown, in a project with the plugin's ``required.json``."""
    plugin = unpack("claude-code", project) / "baton"
    server: dict[str, Any] = {"type": "http", "url": url + "/mcp"}
    if token:
        server["headers"] = {"Authorization": f"Bearer {token}"}
    (plugin / ".mcp.json").write_text(json.dumps({"mcpServers": {"baton": server}}))
    if required:
        settings = json.loads((plugin / "required.json").read_text())
        hook = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]
        hook["timeout"] = 5
        hook["input"]["location"] = place
        (project.root / ".claude").mkdir(exist_ok=True)
        (project.root / ".claude" / "settings.json").write_text(json.dumps(settings))
    environment = claude_environment(project, fake) | ({"PATH": path} if path else {})
    command = [str(CLAUDE_CODE.path), "-p", PROMPT, "--plugin-dir", str(plugin)]
    done = subprocess.run(
        command,
        cwd=project.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return prompts(fake), done.stdout + done.stderr


def test_the_product_itself_answers_such_a_hook(project: Project, fake: Model, there: Product) -> None:
    place = there.place()
    token = there.token("alice", "scout by a tool", place)
    sent, shown = run(project, fake, there.url, token=token, place=place)
    assert sent, shown
    assert FACT in sent[0]
    assert f"{place}/plan.md@" in sent[0]
    assert {"invoked", "retrieved", "attached"} <= {fact["kind"] for fact in there.items("receipts", token)}
    fake.asked.clear()
    sent, shown = run(project, fake, there.url, token="btn_ended", place=place)
    assert sent == [], shown


def test_the_tools_answer_is_injected_once_and_the_command_leaves_it_to_that(
    project: Project, scripted: Server, fake: Model, served: Tools
) -> None:
    project.bind(policy="required")
    sent, shown = run(project, fake, served.url)
    assert sent, shown
    assert sent[0].count(FACT) == 1
    (asked,) = served.called
    assert (asked["prompt"], asked["location"], asked["hook"]) == (PROMPT, "product/launch", True)
    assert asked["session"] not in ("", "${session_id}")
    assert scripted.to("/api/v1/context") == []


def test_without_python_a_command_goes_on_with_nothing_and_the_tool_does_not(
    project: Project, scripted: Server, fake: Model, served: Tools
) -> None:
    project.bind(policy="required")
    nothing = project.home / "no programs"
    nothing.mkdir()
    sent, shown = run(project, fake, served.url, required=False, path=str(nothing))
    assert sent, shown  # what only a host could mend: the hook never ran
    assert FACT not in sent[0]
    fake.asked.clear()
    sent, shown = run(project, fake, served.url, path=str(nothing))
    assert FACT in sent[0], shown


def _refused(served: Tools) -> None:
    served.status = 401


def _broken(served: Tools) -> None:
    served.status = 500


def _hanging(served: Tools) -> None:
    served.hangs = True


def _failed(served: Tools) -> None:
    served.answer = text("UNAVAILABLE: The database is not there.", isError=True)


def _plain(served: Tools) -> None:
    served.answer = text(FACT)


def _blocked(served: Tools) -> None:
    served.answer = text(json.dumps({"decision": "block", "reason": "Baton: memory was unavailable (unavailable)."}))


FAILURES = {
    "401": (_refused, "not connected"),
    "500": (_broken, "not connected"),
    "hanging": (_hanging, "timed out"),
    "an error": (_failed, "returned an error"),
    "plain text": (_plain, "not a hook's JSON"),
    "what the tool says": (_blocked, "memory was unavailable"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_the_prompt_is_stopped_and_the_person_told_why(
    project: Project, fake: Model, served: Tools, failure: str
) -> None:
    arrange, said = FAILURES[failure]
    arrange(served)
    begun = time.monotonic()
    sent, shown = run(project, fake, served.url)
    assert sent == [], shown
    assert said in shown
    assert time.monotonic() - begun < 60
