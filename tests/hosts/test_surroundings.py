"""The handler where the machine around it is odd, broken or hostile."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.project import HANDLER, Project
from tests.hosts.server import CONTEXT, TEXT, Server
from tests.hosts.troubled import LAST, Troubled, unshared, whole_session

TREE = Path(__file__).resolve().parents[2]
CONTEXT_PATH = "/api/v1/context"
CAPTURES = "/api/v1/captures"


# --- Where it calls --------------------------------------------------------------------------------------------------


def test_a_session_calls_the_one_address_and_no_other(troubled: Troubled, scripted: Server) -> None:
    assert whole_session(troubled).injected == TEXT
    assert len(scripted.kept) == 1
    host, port = scripted.url.removeprefix("http://").split(":")
    connects = troubled.reached("socket.connect")
    assert len(connects) >= 2
    assert {line[1][1] for line in connects} == {repr((host, int(port)))}
    assert {line[1][0] for line in troubled.reached("socket.getaddrinfo")} == {repr(host)}
    assert troubled.reached("socket.bind", "socket.sendto") == []
    # The one program that it starts is itself, to send what waits.
    for line in troubled.reached("subprocess.Popen"):
        assert repr(str(HANDLER)) in line[1][1] or str(HANDLER) in line[1][1]


INSIDE = """
import fcntl, json, socket, struct, sys
from pathlib import Path
probe = socket.socket()
fcntl.ioctl(probe, 0x8914, struct.pack("16sH14s", b"lo", 0x1 | 0x40, b""))  # SIOCSIFFLAGS: up and running
names = [name for _, name in socket.if_nameindex()]
try:
    probe.connect(("192.0.2.1", 80))
    outside = "reached"
except OSError as error:
    outside = error.strerror
from tests.hosts.server import server
from tests.hosts.troubled import Troubled, whole_session
root, home = Path(sys.argv[1]), Path(sys.argv[2])
with server() as scripted:
    project = Troubled(root=root, home=home, address=scripted.url)
    project.bind()
    answer = whole_session(project)
    scripted.eventually("/api/v1/receipts")
    print(json.dumps({
        "interfaces": names, "outside": outside, "injected": answer.injected, "kept": len(scripted.kept),
        "connects": [line[1][1] for line in project.reached("socket.connect")], "address": scripted.url,
    }))
"""


def test_it_works_where_there_is_nothing_but_loopback(project: Project) -> None:
    command = [*unshared("-rn"), sys.executable, "-c", INSIDE, str(project.root), str(project.home)]
    environment = os.environ | {"PYTHONPATH": str(TREE)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=TREE, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["interfaces"] == ["lo"]
    assert "unreachable" in found["outside"]
    assert (found["injected"], found["kept"]) == (TEXT, 1)
    port = found["address"].rpartition(":")[2]
    assert set(found["connects"]) == {f"('127.0.0.1', {port})"}


@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("trouble", ["names hang", "no name"])
def test_a_name_that_is_not_resolved_ends_at_the_deadline(troubled: Troubled, trouble: str, policy: str) -> None:
    troubled.trouble = trouble
    troubled.bind(policy=policy, deadline_ms=600)
    answer = troubled.prompt()
    assert answer.took < 4
    assert answer.code == (2 if policy == "required" else 0)
    assert "(unavailable)" in (answer.said if policy == "required" else answer.visible)
    troubled.run("capture", "on")
    troubled.stop(LAST)
    assert len(troubled.spooled) == 1


# --- Disks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["optional", "required"])
def test_a_full_disk_keeps_no_prompt_from_its_context(troubled: Troubled, scripted: Server, policy: str) -> None:
    troubled.bind(policy=policy)
    troubled.run("capture", "on")
    troubled.trouble = "full"
    assert troubled.prompt().injected == TEXT
    assert troubled.stop(LAST).out == ""
    assert len(scripted.kept) == 1
    assert list(troubled.home.rglob("*.part")) == []
    scripted.answers[CAPTURES] = (500, {})
    told = troubled.stop("Another.", prompt_id="p2")
    assert "could not be kept" in told.visible
    assert "No space left" in told.visible


def test_a_disk_that_is_really_full_loses_no_turn(project: Project, scripted: Server) -> None:
    """On a file system of 64 KiB with nothing left, which only the handler's own files are on."""
    project.run("capture", "on")
    event = project.home / "event"
    event.write_bytes(project.event(last_assistant_message=LAST))
    own = project.home / ".config" / "baton"
    script = (
        f'cp -a "{own}" "{project.home}/kept" && mount -t tmpfs -o size=64k none "{own}" && '
        f'cp "{project.home}"/kept/*.json "{own}/" && mount -t tmpfs -o size=4k none "{project.home}/tmp" && '
        f'(head -c 1000000 /dev/zero > "{own}/rest"; head -c 1000000 /dev/zero > "{project.home}/tmp/rest"; true) '
        f'2>/dev/null; "{sys.executable}" -I -S "{HANDLER}" hook claude-code stop < "{event}"; df -k "{own}" | tail -1'
    )
    command = [*unshared("-rm"), "sh", "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=project.root, env=project.environment, timeout=60
    )
    assert done.stdout.split()[3] == "0", done.stdout + done.stderr  # nothing is free
    assert len(scripted.kept) == 1, done.stdout + done.stderr


def test_a_home_that_is_read_only_gives_context_and_keeps_turns(project: Project, scripted: Server) -> None:
    project.run("capture", "on")
    event = project.home / "event"
    script = (
        f'mount --bind "{project.home}" "{project.home}" && mount -o remount,bind,ro "{project.home}" && '
        f'mount -t tmpfs none "{project.home}/tmp" && ! touch "{project.home}/x" 2>/dev/null && '
        f'"{sys.executable}" -I -S "{HANDLER}" hook claude-code prompt < "{event}" && '
        f'"{sys.executable}" -I -S "{HANDLER}" hook claude-code stop < "{event}" && '
        f'"{sys.executable}" -I -S "{HANDLER}" drain'
    )
    event.write_bytes(project.event(prompt="When?", last_assistant_message=LAST))
    command = [*unshared("-rm"), "sh", "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=project.root, env=project.environment, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "second of March" in done.stdout
    assert len(scripted.kept) == 1


# --- Clocks and tokens -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", ["clock -90000000", "clock 0", "clock 90000000"])
@pytest.mark.parametrize("expires", [1, 4_000_000_000])
def test_a_wrong_clock_keeps_no_one_out(troubled: Troubled, scripted: Server, clock: str, expires: int) -> None:
    own = troubled.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {"client_id": "c", "access_token": "old", "refresh_token": "r1", "expires_at": expires}
    (own / "credentials.json").write_text(json.dumps({scripted.url: held}))
    scripted.answers["/oauth/token"] = (200, {"access_token": "new", "refresh_token": "r2", "expires_in": 3600})

    def only_new(call: Any) -> dict[str, Any]:
        return CONTEXT if call.token == "new" else {}

    def answer(call: Any) -> dict[str, Any]:
        scripted.answers[CONTEXT_PATH] = (200, only_new)
        return {"code": "UNAUTHENTICATED"}

    # What the handler takes for good, the server has ended.
    scripted.answers[CONTEXT_PATH] = (200, only_new) if expires == 1 else (401, answer)
    troubled.token = ""
    troubled.trouble = clock
    assert troubled.prompt().injected == TEXT
    assert troubled.prompt(prompt_id="p2").injected == TEXT
    assert len(scripted.to("/oauth/token")) == 1


def test_a_token_that_cannot_be_renewed_ends_in_unauthorized(project: Project, scripted: Server) -> None:
    own = project.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {"client_id": "c", "access_token": "old", "refresh_token": "r1", "expires_at": 1}
    (own / "credentials.json").write_text(json.dumps({scripted.url: held}))
    scripted.answers["/oauth/token"] = (400, {"error": "invalid_grant"})
    project.token = ""
    project.bind(policy="required")
    answer = project.prompt()
    assert answer.code == 2
    assert "(unauthorized)" in answer.said
    assert "connect" in answer.said


def test_a_token_is_not_renewed_where_its_successor_could_not_be_kept(troubled: Troubled, scripted: Server) -> None:
    own = troubled.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {"client_id": "c", "access_token": "old", "refresh_token": "r1", "expires_at": 1}
    (own / "credentials.json").write_text(json.dumps({scripted.url: held}))
    troubled.token = ""
    troubled.trouble = "full"
    assert "No space left" in troubled.prompt().visible
    assert scripted.calls == []
    assert json.loads((own / "credentials.json").read_text())[scripted.url] == held
