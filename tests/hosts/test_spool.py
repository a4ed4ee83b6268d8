"""What a turn leaves is kept on disk and sent once, however often it is told and whenever it is killed."""

import contextlib
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hosts.project import Project
from tests.hosts.server import Server

CAPTURES = "/api/v1/captures"
LAST = "We decided on June.\nNext step: tell support.\nDone."


@pytest.fixture(autouse=True)
def _switched_on(project: Project) -> None:
    answer = project.run("capture", "on")
    assert answer.code == 0, answer.out


def eventually_empty(project: Project) -> None:
    end = time.monotonic() + 20
    while project.spooled and time.monotonic() < end:
        time.sleep(0.05)
    assert project.spooled == []


def test_capture_says_what_is_sent_before_it_is_on(project: Project) -> None:
    told = project.run("capture", "on").out
    for needed in ("What is sent", "Never the transcript", "product/launch", "Who can read it", "how long"):
        assert needed in told


def test_a_turn_is_kept_and_sent_after_the_session(project: Project, scripted: Server) -> None:
    project.prompt("When is the launch?")
    project.stop(LAST)
    assert len(project.spooled) == 1
    assert scripted.to(CAPTURES) == []
    project.run("hook", "claude-code", "end", given=project.event(reason="exit"))
    eventually_empty(project)
    (kept,) = scripted.kept.values()
    assert kept["folder"] == "product/launch"
    for part in ("## Asked\n\nWhen is the launch?", "- We decided on June.", "- Next step: tell support.", LAST):
        assert part in kept["content"]
    assert "propose" not in kept


def test_the_next_start_sends_what_was_left(project: Project, scripted: Server) -> None:
    project.stop(LAST)
    project.run("hook", "claude-code", "start", given=project.event(source="startup"))
    eventually_empty(project)
    assert len(scripted.to(CAPTURES)) == 1


def test_the_same_event_ten_times_is_one_capture(project: Project, scripted: Server) -> None:
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: project.stop(LAST), range(10)))
    assert len(project.spooled) == 1
    project.run("drain")
    project.stop(LAST)
    project.run("drain")
    assert len(scripted.kept) == 1


def test_processes_that_drain_at_once_send_once(project: Project, scripted: Server) -> None:
    for turn in range(5):
        project.stop(LAST, prompt_id=f"p{turn}")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: project.run("drain"), range(4)))
    project.run("drain")
    assert len(scripted.to(CAPTURES)) == len(scripted.kept) == 5


def test_an_unknown_outcome_is_tried_again_under_the_same_identity(project: Project, scripted: Server) -> None:
    answers = iter([(500, {}), (503, {}), (429, {})])

    def unsure(call: object) -> dict[str, str]:
        status, _ = next(answers, (201, {}))
        scripted.answers[CAPTURES] = (status if status != 201 else 201, unsure)
        return scripted.keep(call)  # type: ignore[arg-type]

    scripted.answers[CAPTURES] = (500, unsure)
    project.stop(LAST)
    assert project.run("drain").code == 0
    tried = [call.body["operation_id"] for call in scripted.to(CAPTURES)]
    assert len(tried) > 1
    assert len(set(tried)) == len(scripted.kept) == 1
    assert project.spooled == []


def test_what_is_refused_for_good_is_set_aside_and_the_rest_goes_on(project: Project, scripted: Server) -> None:
    project.stop("first", prompt_id="p1")
    project.stop("second", prompt_id="p2")

    def picky(call: object) -> dict[str, str]:
        body = call.body  # type: ignore[attr-defined]
        scripted.answers[CAPTURES] = (201, picky)
        return scripted.keep(call) if body else {}  # type: ignore[arg-type]

    scripted.answers[CAPTURES] = (422, picky)
    project.run("drain")
    assert project.spooled == []
    assert len(list(project.home.rglob("*.refused"))) == 1
    assert "1 refused" in project.run("status").out


def test_a_mismatch_tells_that_the_turn_is_kept(project: Project, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (409, {"code": "IDEMPOTENCY_MISMATCH"})
    project.stop(LAST)
    project.run("drain")
    assert project.spooled == []


@pytest.mark.parametrize("status", [401, 500])
def test_nothing_is_lost_while_it_is_not_taken(project: Project, scripted: Server, status: int) -> None:
    scripted.answers[CAPTURES] = (status, {})
    project.stop(LAST)
    process = project.start("drain")
    assert scripted.eventually(CAPTURES)
    process.kill()
    process.communicate()
    assert len(project.spooled) == 1
    scripted.answers[CAPTURES] = (201, scripted.keep)
    project.run("drain")
    assert len(scripted.kept) == 1


@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.08, 0.12, 0.2])
def test_a_kill_at_any_moment_leaves_one_capture_or_the_next_event_makes_it(
    project: Project, scripted: Server, after: float
) -> None:
    stopping = project.start("hook", "claude-code", "stop")
    assert stopping.stdin is not None
    stopping.stdin.write(project.event(last_assistant_message=LAST))
    stopping.stdin.close()
    time.sleep(after)
    stopping.kill()
    stopping.wait()
    for pipe in (stopping.stdout, stopping.stderr):
        assert pipe is not None
        pipe.close()
    for path in project.spooled:
        json.loads(path.read_text())  # whole, or not there
    sending = project.start("drain")
    time.sleep(after)
    sending.kill()
    sending.communicate()
    project.stop(LAST)
    assert project.run("drain").code == 0
    assert len(scripted.kept) == 1
    assert project.spooled == []


def test_asking_first_proposes(project: Project, scripted: Server) -> None:
    project.run("capture", "ask")
    project.stop(LAST)
    project.run("drain")
    assert scripted.to(CAPTURES)[0].body["propose"] is True


@pytest.mark.parametrize("mode", ["on", "ask"])
def test_a_strangers_project_switches_nothing_on(project: Project, tmp_path: Path, mode: str) -> None:
    project.root = tmp_path / "strangers"
    project.root.mkdir()
    project.bind(capture=mode)
    project.stop(LAST)
    assert project.spooled == []


def test_a_project_can_narrow_what_is_switched_on(project: Project, scripted: Server) -> None:
    project.bind(capture="off")
    project.stop(LAST)
    assert project.spooled == []
    project.bind(capture="ask")
    project.stop(LAST)
    project.run("drain")
    assert scripted.to(CAPTURES)[0].body["propose"] is True


def test_secrets_stay_here(project: Project, scripted: Server) -> None:
    secrets = ["btn_" + "a1B2" * 8, "ghp_" + "x9Y8" * 9, "AKIA" + "ABCD1234" * 2, "hunter2hunter2"]
    project.prompt(f"use {secrets[0]} please")
    last = f"token {secrets[1]}\nkey {secrets[2]}\npassword={secrets[3]}\npostgres://bob:{secrets[3]}@db/x"
    project.stop(last)
    everything = b"".join(path.read_bytes() for path in project.home.rglob("*") if path.is_file()).decode()
    project.run("drain")
    sent = scripted.to(CAPTURES)[0].body["content"]
    for secret in secrets:
        assert secret not in sent
        assert secret not in everything


def test_a_long_turn_is_cut_and_its_files_are_named(project: Project, scripted: Server) -> None:
    record = project.root / "record.jsonl"
    written = {"type": "tool_use", "name": "Edit", "input": {"file_path": str(project.root / "src" / "launch.py")}}
    outside = {"type": "tool_use", "name": "Write", "input": {"file_path": "/etc/passwd"}}
    read = {"type": "tool_use", "name": "Read", "input": {"file_path": str(project.root / "unread.md")}}
    record.write_text("\n".join(json.dumps({"message": {"content": [each]}}) for each in (written, outside, read)))
    project.stop("日本語🙂" * 20_000, transcript_path=str(record))
    project.run("drain")
    content = scripted.to(CAPTURES)[0].body["content"]
    assert len(content.encode()) <= 16 * 1024
    assert "- src/launch.py" in content
    assert "passwd" not in content
    assert "unread.md" not in content


def test_what_waits_is_for_its_owner_alone(project: Project) -> None:
    project.stop(LAST)
    (path,) = project.spooled
    assert os.stat(path).st_mode & 0o077 == 0
    assert os.stat(path.parent).st_mode & 0o077 == 0


def test_a_home_that_cannot_be_written_keeps_it_elsewhere(project: Project, scripted: Server) -> None:
    spool = project.home / ".config" / "baton" / "spool"
    spool.write_text("in the way: as root, no mode would keep a folder from being written")
    assert project.stop(LAST).out == ""
    assert [path.is_relative_to(project.home / "tmp") for path in project.spooled] == [True]
    project.run("drain")
    assert len(scripted.kept) == 1


def test_where_nothing_can_be_written_it_is_sent_at_once(project: Project, scripted: Server) -> None:
    (project.home / ".config" / "baton" / "spool").write_text("")
    (project.home / "tmp").rmdir()
    (project.home / "tmp").write_text("")
    assert project.stop(LAST).out == ""
    assert len(scripted.kept) == 1
    scripted.answers[CAPTURES] = (500, {})
    assert "could not be kept" in project.stop(LAST, prompt_id="p2").visible


def test_the_spool_outlives_a_host_that_ends_its_hooks(project: Project, scripted: Server) -> None:
    scripted.answers[CAPTURES] = (201, scripted.slow(1.0, {"id": "cap_1"}))
    project.stop(LAST)
    ending = subprocess.Popen(
        project_command(project),
        stdin=subprocess.PIPE,
        env=project.environment,
        cwd=project.root,
        start_new_session=True,
    )
    ending.communicate(project.event(reason="exit"), timeout=10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(ending.pid, 9)
    eventually_empty(project)
    assert len(scripted.to(CAPTURES)) == 1


def project_command(project: Project) -> list[str]:
    return ["python3", "-I", "-S", str(project.handler), "hook", "claude-code", "end"]
