"""What the handler does before a prompt, whatever the server does."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.failures import FAILURES
from tests.hosts.project import HANDLER, Project
from tests.hosts.server import CONTEXT, TEXT, Server

CONTEXT_PATH = "/api/v1/context"


def test_the_context_is_attached_and_reported(project: Project, scripted: Server) -> None:
    answer = project.prompt()
    assert (answer.code, answer.injected, answer.visible) == (0, TEXT, "")
    assert answer.json["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    (asked,) = scripted.to(CONTEXT_PATH)
    assert asked.token == project.token
    assert asked.body["location"] == "product/launch"
    assert asked.body["prompt"] == "When is the launch?"
    assert 0 < asked.body["deadline_ms"] < 2000
    (reported,) = scripted.eventually("/api/v1/receipts")
    assert reported.body == {"receipt": "rec_1", "stage": "attached"}
    assert len(scripted.calls) == 2


def test_the_same_event_has_the_same_operation_and_another_turn_another(project: Project, scripted: Server) -> None:
    project.prompt()
    project.prompt()
    project.prompt(prompt_id="p2")
    first, again, other = (call.body["operation_id"] for call in scripted.to(CONTEXT_PATH))
    assert first == again != other


def test_gemini_is_told_under_the_name_of_its_own_event(project: Project) -> None:
    answer = project.prompt(host="gemini")
    assert answer.json["hookSpecificOutput"] == {"hookEventName": "BeforeAgent", "additionalContext": TEXT}


def test_a_project_without_a_binding_sends_nothing(project: Project, scripted: Server) -> None:
    (project.root / ".baton.json").unlink()
    answer = project.prompt()
    assert (answer.code, answer.out, scripted.calls) == (0, "", [])


def test_nothing_to_say_is_said_and_stops_nothing(project: Project, scripted: Server) -> None:
    project.bind(policy="required")
    scripted.answers[CONTEXT_PATH] = (200, {**CONTEXT, "text": "", "citations": [], "why": "nothing to say"})
    answer = project.prompt()
    assert answer.code == 0
    assert "nothing to say" in answer.injected


def test_the_state_of_the_server_is_passed_on(project: Project, scripted: Server) -> None:
    scripted.answers[CONTEXT_PATH] = (200, {**CONTEXT, "text": "", "citations": [], "why": "starting"})
    assert "(starting)" in project.prompt().visible


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini"])
@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_told_or_stops_the_prompt(
    project: Project, scripted: Server, failure: str, policy: str, host: str
) -> None:
    arrange, why = FAILURES[failure]
    arrange(project, scripted)
    project.bind(policy=policy, deadline_ms=1_500)
    answer = project.prompt(host=host)
    assert answer.took < 8
    if policy == "required":
        # Every host stops at 2, and at nothing else that a process can end with.
        assert answer.code == 2
        assert answer.out == ""
        assert f"({why})" in answer.said
        assert "stopped" in answer.said
    else:
        assert answer.code == 0
        assert f"({why})" in answer.visible
        assert "unavailable" in answer.injected
        assert "xxxx" not in answer.out


def test_what_was_not_attached_is_reported_as_withheld(project: Project, scripted: Server) -> None:
    scripted.answers[CONTEXT_PATH] = (200, {**CONTEXT, "text": "x" * 50_000})
    project.prompt()
    (reported,) = scripted.eventually("/api/v1/receipts")
    assert reported.body["stage"] == "withheld"
    assert "budget" in reported.body["reason"]


def eventually_spooled(project: Project) -> list[Path]:
    end = time.monotonic() + 10
    while not project.spooled and time.monotonic() < end:
        time.sleep(0.02)
    return project.spooled


def test_a_report_that_cannot_be_made_is_made_later(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/receipts"] = (500, {})
    assert project.prompt().injected == TEXT
    assert len(eventually_spooled(project)) == 1
    scripted.answers["/api/v1/receipts"] = (201, {})
    project.run("drain")
    assert project.spooled == []
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached", "attached"]


@pytest.mark.parametrize("prompt", ["", "x" * 1_000_000, "\0\x01\ud800\udfff binary", "日本語とقصة और 🙂 " * 400])
def test_any_prompt_is_asked_about(project: Project, scripted: Server, prompt: str) -> None:
    answer = project.prompt(prompt)
    assert answer.injected == TEXT
    assert len(scripted.to(CONTEXT_PATH)[0].body["prompt"]) <= 100_000


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\x00", b"[]", b"{" * 50_000, b'{"cwd": 7, "prompt": {}}'])
@pytest.mark.parametrize("policy", ["optional", "required"])
def test_an_event_that_is_none_follows_the_policy(project: Project, raw: bytes, policy: str) -> None:
    project.bind(policy=policy)
    answer = project.run("hook", "claude-code", "prompt", given=raw)
    if raw.startswith(b'{"cwd"'):
        assert answer.injected == TEXT
    else:
        assert answer.code == (2 if policy == "required" else 0)


def test_codex_gets_what_it_takes_in_scripts_of_several_bytes(project: Project, scripted: Server) -> None:
    def fitting(call: Any) -> dict[str, Any]:
        return {**CONTEXT, "text": "日" * call.body["budget_chars"]}

    scripted.answers[CONTEXT_PATH] = (200, fitting)
    answer = project.prompt(host="codex")
    assert 6_000 < len(answer.injected.encode()) <= 9_000
    assert answer.injected.strip("日") == ""


def test_the_budget_of_the_binding_is_asked_for_and_held(project: Project, scripted: Server) -> None:
    project.bind(budget_chars=300)
    scripted.answers[CONTEXT_PATH] = (200, {**CONTEXT, "text": "x" * 301})
    answer = project.prompt()
    assert scripted.to(CONTEXT_PATH)[0].body["budget_chars"] == 300
    assert "unavailable" in answer.visible


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"policy": "requird", "folder": "product/launch"}',
        '{"policy": "required"}',
        '{"policy": "required",',
    ],
)
def test_a_binding_that_cannot_be_understood_sends_nothing(project: Project, scripted: Server, content: str) -> None:
    (project.root / ".baton.json").write_text(content)
    answer = project.prompt()
    assert scripted.calls == []
    assert answer.code == (2 if "requi" in content else 0)
    assert ".baton.json" in answer.said + answer.visible


def test_a_strangers_binding_gets_no_token(project: Project, scripted: Server) -> None:
    project.address = "http://127.0.0.1:9"
    project.bind(address=scripted.url)
    answer = project.prompt()
    assert scripted.calls == []
    assert "not connected" in answer.visible


def test_an_address_that_the_person_connected_gets_its_own_token(project: Project, scripted: Server) -> None:
    own = project.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {scripted.url: {"token": "btn_of_this_one"}, "http://127.0.0.1:9": {"token": "btn_of_another"}}
    (own / "credentials.json").write_text(json.dumps(held))
    project.address = "http://127.0.0.1:9"
    project.bind(address=scripted.url)
    assert project.prompt().injected == TEXT
    assert {call.token for call in scripted.calls} == {"btn_of_this_one"}


@pytest.mark.parametrize("name", ["with space", 'it\'s "quoted"', "back\\slash", "日本語 🙂", "-dash", "a;b&c$d"])
def test_any_path_will_do(project: Project, tmp_path: Path, name: str) -> None:
    project.root = tmp_path / name / "project"
    project.root.mkdir(parents=True)
    project.bind()
    project.handler = project.root / "baton_hook.py"
    project.handler.write_bytes(HANDLER.read_bytes().replace(b"\n", b"\r\n"))
    below = project.root / "deep" / "er"
    below.mkdir(parents=True)
    assert project.prompt(cwd=str(below)).injected == TEXT


def test_a_token_that_ran_out_is_renewed_once(project: Project, scripted: Server) -> None:
    own = project.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {"client_id": "c", "access_token": "old", "refresh_token": "r1", "expires_at": 1}
    (own / "credentials.json").write_text(json.dumps({scripted.url: held}))
    given = {"access_token": "new", "refresh_token": "r2", "expires_in": 3600}
    scripted.answers["/oauth/token"] = (200, given)
    project.token = ""
    assert project.prompt().injected == TEXT
    assert project.prompt(prompt_id="p2").injected == TEXT
    assert len(scripted.to("/oauth/token")) == 1
    assert {call.token for call in scripted.to(CONTEXT_PATH)} == {"new"}
    assert os.stat(own / "credentials.json").st_mode & 0o777 == 0o600


def test_the_start_of_a_session_gives_orientation(project: Project, scripted: Server) -> None:
    answer = project.run("hook", "claude-code", "start", given=project.event(source="startup"))
    assert "product/launch" in answer.injected
    assert "plan.md" in answer.injected
    assert answer.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert [call.path for call in scripted.calls] == ["/api/v1/brief?location=product%2Flaunch"]
