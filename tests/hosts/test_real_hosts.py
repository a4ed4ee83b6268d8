"""Claude Code, Codex, Gemini CLI and opencode themselves, with what the instance serves for them, and a scripted server
of context. The proof is what their model was sent."""

import json
from collections.abc import Iterator

import pytest

from tests.conformance.model import DONE, Model, model
from tests.hosts.programs import HOSTS, PROMPT, gemini_install, left_behind, prompts, run, shown
from tests.hosts.project import Project
from tests.hosts.server import CONTEXT, TEXT, Call, Server

pytestmark = pytest.mark.xdist_group("conformance")
QUICK = ("claude-code", "codex")


@pytest.fixture
def fake() -> Iterator[Model]:
    with model("no-such-tool", {}) as made:
        yield made


@pytest.mark.parametrize("host", HOSTS)
def test_the_model_is_given_the_context(project: Project, scripted: Server, fake: Model, host: str) -> None:
    if host == "gemini":
        gemini_install(project, fake)
    run(host, project, fake)
    sent = prompts(fake)
    assert sent, shown(project)
    assert "The launch is on the second of March." in sent[0]
    assert "product/launch/plan.md" in sent[0]
    # What the host says at the start of a session is there too.
    assert "this project is bound to product/launch" in sent[0]
    assert DONE in shown(project)
    assert [call.body["prompt"].strip('"') for call in scripted.to("/api/v1/context")] == [PROMPT]
    assert [call.body["host"] for call in scripted.to("/api/v1/context")] == [host]
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached"]
    assert {call.token for call in scripted.calls if call.path.startswith("/api/")} == {project.token}
    assert left_behind(project) == [".baton.json"]


@pytest.mark.parametrize("host", QUICK)
def test_an_answer_that_is_slow_but_in_time_is_given_to_the_model(
    project: Project, scripted: Server, fake: Model, host: str
) -> None:
    project.bind(policy="required", deadline_ms=10_000)
    scripted.answers["/api/v1/context"] = (200, scripted.slow(2.5, CONTEXT))
    run(host, project, fake)
    assert "The launch is on the second of March." in prompts(fake)[0], shown(project)


@pytest.mark.parametrize("host", QUICK)
def test_a_project_that_is_not_bound_asks_nobody(project: Project, scripted: Server, fake: Model, host: str) -> None:
    (project.root / ".baton.json").unlink()
    run(host, project, fake)
    sent = prompts(fake)
    assert PROMPT in sent[0], shown(project)
    assert "second of March" not in sent[0]
    assert not scripted.to("/api/v1/context")


def _down(project: Project, scripted: Server) -> None:
    project.address = "http://127.0.0.1:9"


def _hanging(project: Project, scripted: Server) -> None:
    project.bind(**json.loads((project.root / ".baton.json").read_text()) | {"deadline_ms": 1_000})
    scripted.answers["/api/v1/context"] = (200, scripted.hang)


def _unauthorized(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (401, {"code": "UNAUTHENTICATED"})


def _failing(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (500, {"code": "INTERNAL"})


def _slow(project: Project, scripted: Server) -> None:
    project.bind(**json.loads((project.root / ".baton.json").read_text()) | {"deadline_ms": 1_000})
    scripted.answers["/api/v1/context"] = (200, scripted.slow(1.6, CONTEXT))


def _oversized(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, {**CONTEXT, "text": TEXT * 1_000})


def _other_form(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, {**CONTEXT, "text": {"of": ["another", "form"]}})


def _not_json(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/context"] = (200, b"<html>The launch is on the second of March.</html>")


FAILURES = {
    "down": _down,
    "hanging": _hanging,
    "401": _unauthorized,
    "500": _failing,
    "slow": _slow,
    "oversized": _oversized,
    "other form": _other_form,
    "not JSON": _not_json,
}
# All of it where CI has to run it, and what covers each way out on those that take several times as long to start.
MATRIX = [
    (host, policy, failure)
    for host in HOSTS
    for policy in ("optional", "required")
    for failure in FAILURES
    if host in QUICK
    or (policy, failure) in {("optional", "500"), ("optional", "hanging"), ("optional", "oversized")}
    or (policy, failure) in {("required", "down"), ("required", "401"), ("required", "slow"), ("required", "not JSON")}
]
WHY = {"401": "unauthorized"}
# Run without a screen, Codex says that a prompt was blocked and keeps the reason to itself.
STOPPED = {"codex": "hook: UserPromptSubmit Blocked"}


@pytest.mark.parametrize(("host", "policy", "failure"), MATRIX)
def test_a_failure_reaches_the_model_or_keeps_the_prompt_from_it(
    project: Project, scripted: Server, fake: Model, host: str, policy: str, failure: str
) -> None:
    project.bind(policy=policy)
    FAILURES[failure](project, scripted)
    run(host, project, fake)
    sent = prompts(fake)
    said = f"memory was unavailable ({WHY.get(failure, 'unavailable')})"
    if policy == "required":
        assert not [asked for asked in map(json.dumps, fake.asked) if PROMPT in asked], shown(project)
        assert sent == []
        assert STOPPED.get(host, "requires it") in shown(project)
    else:
        assert PROMPT in sent[0], shown(project)
        assert said in sent[0]
        assert "second of March" not in sent[0]
        assert DONE in shown(project)
    if host != "codex":
        assert said in shown(project)
    attached = [call for call in scripted.to("/api/v1/receipts") if call.body["stage"] == "attached"]
    assert attached == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_turn_is_kept_where_capture_is_on(project: Project, scripted: Server, fake: Model, host: str) -> None:
    assert project.run("capture", "on").code == 0
    run(host, project, fake)
    kept = scripted.wait(lambda: list(scripted.kept.values()))
    assert len(kept) == 1, shown(project)
    assert PROMPT in kept[0]["content"]
    assert DONE in kept[0]["content"]
    assert (kept[0]["host"], kept[0]["folder"]) == (host, "product/launch")
    assert "second of March" not in kept[0]["content"]


@pytest.mark.parametrize("host", QUICK)
def test_nothing_is_kept_where_nobody_has_switched_capture_on(
    project: Project, scripted: Server, fake: Model, host: str
) -> None:
    project.bind(capture="on")
    run(host, project, fake)
    assert prompts(fake), shown(project)
    assert project.spooled == []
    assert not scripted.to("/api/v1/captures")


def test_a_call_is_told_from_another_by_its_operation(project: Project, scripted: Server, fake: Model) -> None:
    for prompt in (PROMPT, "And who watches the queue?"):
        run("claude-code", project, fake, prompt)
    calls: list[Call] = scripted.to("/api/v1/context")
    assert len({call.body["operation_id"] for call in calls}) == 2
    assert len({call.body["session"] for call in calls}) == 2
