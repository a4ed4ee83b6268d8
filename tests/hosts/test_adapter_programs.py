"""The package in the programs that it is for: workers, loops, CI, and those that help shows; and the real product."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.adapter import Person, packages
from tests.hosts.server import CONTEXT, TEXT, Server
from tests.instance import Instance
from workspace.web.views.help import FOLDER as HELP

CAPTURES = "/api/v1/captures"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", (HELP / "python.md").read_text(encoding="utf-8"), re.M | re.S)
MODEL = """
import builtins
def model(text):
    given.append(text)
    return "The model said: June."
async def amodel(text):
    return model(text)
given = []
builtins.model, builtins.amodel = model, amodel
"""
# A loop as frameworks have it: messages in, a message out, until the model asks for no more tools.
LOOP = """
class Loop:
    def __init__(self, model, tools, memory):
        self.model, self.tools, self.memory, self.messages = model, tools, memory, []

    def invoke(self, text):
        with self.memory.context(text) as found:
            self.messages += [{"role": "user", "content": str(found)}, {"role": "user", "content": text}]
            while True:
                answer = self.model(self.messages)
                self.messages.append({"role": "assistant", **answer})
                if "tool" not in answer:
                    break
                result = self.tools[answer["tool"]](answer["input"])
                self.messages.append({"role": "tool", "content": result})
        self.memory.capture(answer["content"], asked=text)
        return answer["content"]

def scripted(messages):
    if messages[-1]["role"] == "tool":
        return {"content": "It is " + messages[-1]["content"]}
    return {"tool": "upper", "input": "march"}

with baton.session(folder="product/launch", host="loop", session="s1") as s:
    loop = Loop(scripted, {"upper": str.upper}, s)
    said = [loop.invoke("When is the launch?"), loop.invoke("And then?")]
    show([said, loop.messages, dataclasses.asdict(s.report)])
"""
TASKS = """
import os
import baton
from celery import Celery

app = Celery("tasks", broker="filesystem://", backend="file://" + os.environ["QUEUE"] + "/results")
app.conf.broker_transport_options = {name: os.environ["QUEUE"] + "/messages" for name in
                                     ("data_folder_in", "data_folder_out", "control_folder")}
shared = baton.session(folder="product/launch", host="worker", session="shared")
tries = []

@app.task(bind=True, autoretry_for=(RuntimeError,), retry_backoff=False, default_retry_delay=0, max_retries=3)
def answer(self, prompt):
    with baton.session(folder="product/launch", host="worker", session=self.request.id, policy="required") as s:
        with s.context(prompt) as found:
            said = f"answer to {prompt}"
        s.capture(said)
        shared.capture(f"shared: {prompt}")
        if self.request.retries < 2:
            raise RuntimeError("again")
        return [bool(found), os.getpid()]
"""


def test_a_loop_of_messages_is_given_context_and_keeps_its_turns(person: Person, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, lambda call: {**CONTEXT, "receipt": call.body["operation_id"]})
    said, messages, report = person.run(LOOP).json
    assert said == ["It is MARCH", "It is MARCH"]
    assert [each["content"] for each in messages if each["role"] == "user"][:2] == [TEXT, "When is the launch?"]
    assert (report["asked"], report["attached"], report["acknowledged"]) == (2, 2, 2)
    assert len(scripted.kept) == 2  # the same words in another turn


def test_in_ci_the_environment_is_all_there_is(person: Person, scripted: Server, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    person.home, person.more = nothing, {"CI": "true", "TMPDIR": str(tmp_path / "job")}
    (tmp_path / "job").mkdir()
    told = person.run("""
with baton.session(folder="product/launch", host="ci", session=os.environ["CI"], policy="required") as s:
    with s.context("What broke?") as found:
        show([str(found), s.capture("Nothing.").state])
""").json
    assert told == [TEXT, "acknowledged"]
    assert {call.token for call in scripted.calls} == {person.token}


def test_a_celery_task_that_is_retried_in_any_process_captures_once(
    person: Person, scripted: Server, tmp_path: Path
) -> None:
    for name in ("messages", "results"):
        (tmp_path / "queue" / name).mkdir(parents=True)
    (person.root / "tasks.py").write_text(TASKS)
    environment = person.environment | {"QUEUE": str(tmp_path / "queue"), "PYTHONPATH": str(packages())}
    log = tmp_path / "worker.log"
    options = ["-A", "tasks", "worker", "--pool", "prefork", "-c", "3", "--without-gossip", "--without-mingle"]
    with log.open("wb") as file:
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", *options],
            cwd=person.root,
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    ask = """
import json, sys
from tasks import answer
asked = [answer.delay(f"prompt {n}") for n in range(6)]
print(json.dumps([one.get(timeout=80) for one in asked]))
"""
    try:
        done = subprocess.run(
            [sys.executable, "-c", ask], cwd=person.root, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr + log.read_text()
    finally:
        worker.send_signal(signal.SIGTERM)
        try:
            worker.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
    results = json.loads(done.stdout.splitlines()[-1])
    assert [found for found, _ in results] == [True] * 6
    assert len({process for _, process in results}) > 1
    kept = sorted(each["content"] for each in scripted.kept.values())
    assert kept == sorted([f"answer to prompt {n}" for n in range(6)] + [f"shared: prompt {n}" for n in range(6)])
    # Three tries of each of six: the same prompt of the same task is one operation.
    assert len(scripted.to("/api/v1/context")) == 18
    assert len({call.body["operation_id"] for call in scripted.to("/api/v1/context")}) == 6


def test_help_has_three_examples() -> None:
    assert len(EXAMPLES) == 3
    assert all(len(example.splitlines()) <= 14 for example in EXAMPLES)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_of_help_runs_as_it_stands(person: Person, scripted: Server, number: int) -> None:
    example, more = EXAMPLES[number], "print(json.dumps(given))"
    if "celery" in example:
        person.more = {"PYTHONPATH": str(packages())}
        more = "from celery import Celery; Celery(set_as_current=True); answer.apply(['When?']).get(); " + more
    python = Path(sys.executable) if "celery" in example else None
    given = person.run(MODEL + example + more, python=python).json
    assert len(given) == 1
    assert TEXT in given[0]
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached"]
    (kept,) = scripted.kept.values()
    assert "The model said: June." in kept["content"]


def test_the_wheel_runs_as_a_program(person: Person, scripted: Server) -> None:
    person.root.joinpath(".baton.json").write_text('{"folder": "product/launch"}')
    assert "answered in" in person.command("test").out
    told = person.command("status").out
    assert scripted.url in told
    assert "product/launch" in told


@pytest.fixture(scope="module")
def token(live: Instance) -> str:
    """That of alice's agent, on the product."""
    live.manage("createperson", "alice-programs@example.org", "--password-stdin", text="correct horse battery\n")
    return live.manage("mint_token", "--person", "alice-programs@example.org", "--agent", "scout").stdout.strip()


@pytest.fixture
def alice(live: Instance, token: str, tmp_path: Path) -> Person:
    """Alice on her machine, connected to the product."""
    root, home = tmp_path / "work", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    return Person(root=root, home=home, address=live.url, token=token)


def call(person: Person, method: str, path: str, body: Any = None, **headers: str) -> Any:
    asked = urllib.request.Request(
        person.address + "/api/v1" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {person.token}", "Content-Type": "application/json", **headers},
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


FACTS = {"sync": "The launch is on the second of March.", "async": "The caravan leaves Bergen every other Tuesday."}


@pytest.mark.parametrize("kind", FACTS)
def test_the_product_gives_context_and_keeps_what_came_of_it(alice: Person, kind: str) -> None:
    folder = f"{kind}-{time.time_ns()}"
    call(alice, "POST", "/folders", {"location": folder})
    plan = {"location": f"{folder}/plan.md", "content": f"{FACTS[kind]}\n"}
    call(alice, "POST", "/documents", plan, **{"Idempotency-Key": folder})
    end = time.monotonic() + 60
    while not call(alice, "GET", f"/search?q={FACTS[kind].split()[1]}")["items"] and time.monotonic() < end:
        time.sleep(0.3)
    program = {
        "sync": """
with baton.session(folder=sys.argv[1], host="nightly", session=sys.argv[1], policy="required", deadline_ms=10000) as s:
    brief = s.brief()
    with s.context("When is the launch?") as found:
        pass
    kept = [s.capture("We decided on June.", turn="t1") for _ in range(10)]
    show([found.text, found.receipt, kept[0].id, kept[-1].id, found.citations[0].location, bool(brief),
          dataclasses.asdict(s.report)])
""",
        "async": """
async def main():
    async with baton.asession(folder=sys.argv[1], host="nightly", session=sys.argv[1], policy="required",
                              deadline_ms=10000) as s:
        brief = await s.brief()
        async with await s.context("When does the caravan leave?") as found:
            pass
        kept = await asyncio.gather(*(s.capture("We decided on June.", turn="t1") for _ in range(10)))
        show([found.text, found.receipt, kept[0].id, kept[-1].id, found.citations[0].location, bool(brief),
              dataclasses.asdict(s.report)])
asyncio.run(main())
""",
    }[kind]
    ran = alice.run(program, folder)
    text, receipt, first, last, location, oriented, report = ran.json
    assert FACTS[kind] in text
    assert location == f"{folder}/plan.md"
    assert first == last != ""
    assert oriented
    assert (report["failed"], report["attached"], report["acknowledged"]) == (0, 1, 1)

    rows = call(alice, "GET", f"/receipts?session={folder}&limit=100")["items"]
    assert [row["id"] for row in rows if row["kind"] == "invoked"] == [receipt]
    kinds = [row["kind"] for row in rows]
    assert {"invoked", "retrieved", "attached", "read"} <= set(kinds)
    assert kinds.count("attached") == 1
    kept = call(alice, "GET", f"/captures?folder={folder}")["items"]
    assert [(each["id"], each["host"], each["session"]) for each in kept] == [(first, "nightly", folder)]


@pytest.mark.parametrize("kind", ["wrong token", "no such folder"])
def test_the_product_refuses_and_the_program_is_told_why(alice: Person, kind: str) -> None:
    if kind == "wrong token":
        alice.token = "btn_" + "x" * 40
    ran = alice.run("s = baton.session(folder='nowhere-at-all', policy='required'); s.context('p')")
    assert "MemoryUnavailable: Baton: memory was unavailable (unauthorized)" in ran.said
