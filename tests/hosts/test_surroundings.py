"""The handler where the machine around it is odd, broken or hostile."""

import ast
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.npm import NODE
from tests.hosts.project import HANDLER, Answer, Project
from tests.hosts.server import CONTEXT, TEXT, Server

DRIVER = Path(__file__).with_name("driver.py")
TREE = Path(__file__).resolve().parents[2]
CONTEXT_PATH = "/api/v1/context"
CAPTURES = "/api/v1/captures"
LAST = "We decided on June."


@dataclass(kw_only=True)
class Troubled(Project):
    """A project whose handler runs with a trouble of ``driver.py``."""

    trouble: str = ""

    @property
    def told(self) -> Path:
        return self.home / "told"

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-I", "-S", str(DRIVER), self.trouble, str(self.handler), *arguments]
        environment = self.environment | {"TOLD": str(self.told), "APPDATA": str(self.home / "AppData")}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.root, env=environment)

    def reached(self, *events: str) -> list[list[Any]]:
        lines = self.told.read_text().splitlines() if self.told.exists() else []
        return [line for line in map(json.loads, lines) if not events or line[0] in events]


@pytest.fixture
def troubled(project: Project) -> Troubled:
    return Troubled(root=project.root, home=project.home, address=project.address, token=project.token)


def whole_session(project: Project) -> Answer:
    """What a host runs in a session, with capture on."""
    assert project.run("capture", "on").code == 0
    project.run("hook", "claude-code", "start", given=project.event(source="startup"))
    answer = project.prompt()
    project.stop(LAST)
    project.run("hook", "claude-code", "end", given=project.event(reason="exit"))
    end = time.monotonic() + 20
    while project.spooled and time.monotonic() < end:
        time.sleep(0.05)
    return answer


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
from tests.hosts.test_surroundings import Troubled, whole_session
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


def unshared(*flags: str) -> list[str]:
    """A command's beginning that gives it namespaces of its own; skips where the kernel refuses."""
    program = shutil.which("unshare")
    if program is None:
        pytest.skip("there is no unshare here")
    tried = subprocess.run([program, *flags, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"the kernel gives no namespace: {tried.stderr.strip()}")
    return [program, *flags]


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
        f'(head -c 1000000 /dev/zero > "{own}/filler"; head -c 1000000 /dev/zero > "{project.home}/tmp/filler"; true) '
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


# --- Input -----------------------------------------------------------------------------------------------------------


SCRIPTS = {
    "nothing": "",
    "a million": "x" * 1_000_000,
    "a million of four bytes": "🙂" * 1_000_000,
    "binary": "".join(map(chr, range(256))) * 20,
    "halves": "\ud800 \udfff \ud83d",
    "Arabic": "متى الإطلاق؟",
    "Hebrew": "מתי ההשקה?",
    "Hindi": "लॉन्च कब है?",
    "Thai": "เปิดตัวเมื่อไหร่",
    "Korean": "출시는 언제입니까?",
    "Chinese": "什么时候发布？",
    "Cyrillic": "Когда запуск?",
    "Greek": "Πότε είναι η έναρξη;",
    "combining": "e\u0301" * 500 + "Z\u0351\u036b\u0343",
    "joined": "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "directions": "\u202eabc\u202c \u200f",
    "line ends": "a\r\nb\rc\nd\u2028e",
}


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "opencode"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_any_prompt_is_asked_about_as_it_was_written(project: Project, scripted: Server, name: str, host: str) -> None:
    project.bind(deadline_ms=8_000)
    answer = project.prompt(SCRIPTS[name], host=host)
    assert TEXT in (answer.injected or answer.json.get("text", ""))
    sent = scripted.to(CONTEXT_PATH)[0].body["prompt"]
    assert len(sent) <= 100_000
    sound = SCRIPTS[name].encode("utf-8", "replace").decode()
    if name not in ("a million", "a million of four bytes", "binary", "halves"):
        assert sent == sound


@pytest.mark.parametrize(
    "written",
    [
        b'\xef\xbb\xbf{\r\n  "folder": "product/launch",\r\n  "policy": "required"\r\n}\r\n',
        b'{"folder": "product/launch", "policy": "required", "later": {"x": []}}',
        '{"folder": "produit/été 日本 \'q\' \\"d\\" \\\\b", "policy": "required"}'.encode(),
        b'{"folder": "product/\\ud800launch", "policy": "required"}',
    ],
)
def test_a_file_is_read_as_editors_write_it(project: Project, scripted: Server, written: bytes) -> None:
    (project.root / ".baton.json").write_bytes(written)
    assert project.prompt().injected == TEXT
    sent = scripted.to(CONTEXT_PATH)[0].body["location"]
    assert sent.startswith("produ")
    scripted.answers[CONTEXT_PATH] = (500, {})
    assert project.prompt(prompt_id="p2").code == 2


@pytest.mark.parametrize("written", [b"\xff\xfe{\0}\0", b"\0" * 200, b"{" * 60_000, b'{"folder":"x"}' * 9_000, b"7"])
def test_a_file_that_is_none_sends_nothing_and_says_so(project: Project, scripted: Server, written: bytes) -> None:
    (project.root / ".baton.json").write_bytes(written)
    assert ".baton.json" in project.prompt().visible
    assert scripted.calls == []


NAMES = [
    "with space",
    'it\'s "quoted"',
    "back\\slash",
    "日本語 🙂",
    "é NFD e\u0301",
    "-dash",
    "a;b&c$d`e`",
    "new\nline",
    "%s %d",
]


@pytest.mark.parametrize("name", NAMES)
def test_homes_and_projects_may_be_called_anything(
    project: Project, scripted: Server, tmp_path: Path, name: str
) -> None:
    project.root, project.home = tmp_path / name / "project", tmp_path / name / "home"
    project.root.mkdir(parents=True)
    (project.home / "tmp").mkdir(parents=True)
    project.handler = project.home / "baton_hook.py"
    project.handler.write_bytes(HANDLER.read_bytes().replace(b"\n", b"\r\n"))
    project.bind()
    assert whole_session(project).injected == TEXT
    assert len(scripted.kept) == 1
    assert project.run("status").code == 0


def test_two_hosts_at_once_in_one_project_keep_apart(project: Project, scripted: Server) -> None:
    project.run("capture", "on")
    hosts = ["claude-code", "codex", "gemini", "opencode"]

    def session(number: int) -> list[Answer]:
        host, name = hosts[number % 4], f"session {number // 4}"
        given = {"session_id": name, "prompt_id": "p1"}
        asked = project.prompt(f"asked by {host} {name}", host=host, **given)
        event = project.event(last_assistant_message=f"Done by {host} {name}.", **given)
        return [asked, project.run("hook", host, "stop", given=event)]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(session, range(8)))
    for asked, stopped in answers:
        assert TEXT in (asked.injected or asked.json["text"])
        assert stopped.code == 0
        assert stopped.out in ("", "{}")
    scripted.eventually("/api/v1/receipts", 8)
    project.run("drain")
    assert len({call.body["operation_id"] for call in scripted.to(CONTEXT_PATH)}) == 8
    assert len(scripted.kept) == 8
    for kept in scripted.kept.values():
        who = f"{kept['host']} {kept['session']}"
        assert f"asked by {who}" in kept["content"]
        assert f"Done by {who}." in kept["content"]


# --- Other Pythons, other systems -----------------------------------------------------------------------------------


def older() -> str | None:
    """A Python 3.9 of this machine."""
    folders = [Path.home() / ".pyenv" / "versions", Path(os.environ.get("PYENV_ROOT", "/nowhere")) / "versions"]
    found = [path / "bin" / "python3.9" for folder in folders if folder.is_dir() for path in folder.glob("3.9.*")]
    return next((str(path) for path in found if path.exists()), None) or shutil.which("python3.9")


def test_it_runs_under_python_3_9(project: Project, scripted: Server) -> None:
    ast.parse(HANDLER.read_text(encoding="utf-8"), feature_version=(3, 9))
    program = older()
    if program is None or subprocess.run([program, "-c", ""], capture_output=True).returncode:
        pytest.skip("there is no Python 3.9 here; its grammar was checked")

    class Older(Project):
        def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
            pipe = subprocess.PIPE
            command = [str(program), "-I", "-S", str(self.handler), *arguments]
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.root, env=self.environment)

    made = Older(root=project.root, home=project.home, address=project.address, token=project.token)
    assert whole_session(made).injected == TEXT
    assert len(scripted.kept) == 1
    scripted.answers[CONTEXT_PATH] = (500, {})
    made.bind(policy="required")
    assert made.prompt(prompt_id="p2").code == 2


def test_what_windows_does_otherwise_is_done(troubled: Troubled, scripted: Server) -> None:
    troubled.trouble = "windows"
    assert whole_session(troubled).injected == TEXT
    assert len(scripted.kept) == 1
    assert [call.body["stage"] for call in scripted.to("/api/v1/receipts")] == ["attached"]
    assert (troubled.home / "AppData" / "baton" / "captures.json").exists()
    troubled.bind(policy="required")
    scripted.answers[CONTEXT_PATH] = (500, {})
    assert troubled.prompt(prompt_id="p2").code == 2
    with contextlib.suppress(StopIteration):
        pytest.fail(f"left behind: {next(troubled.home.rglob('*.part'))}")


PLUGGED = """
import { Baton } from %s
const hooks = await Baton({ client: undefined, directory: process.argv[1] })
const output = { parts: [{ type: "text", id: "prt_1", messageID: "msg_1", text: "When is the launch?" }] }
try {
  await hooks["chat.message"]({ sessionID: "s1", messageID: "msg_1" }, output)
  console.log(JSON.stringify(output.parts.map((part) => part.text)))
} catch (error) {
  console.log("stopped: " + error.message)
}
"""


@pytest.mark.xdist_group("conformance")
@pytest.mark.parametrize("policy", ["optional", "required"])
def test_opencode_without_python_follows_the_projects_file(project: Project, policy: str) -> None:
    project.bind(policy=policy)
    below = project.root / "deep"
    below.mkdir()
    plugin = project.home / "baton.mjs"
    plugin.write_bytes((HANDLER.parents[1] / "files" / "opencode" / "baton.js").read_bytes())
    nothing = project.home / "no programs"
    nothing.mkdir()
    command = [str(NODE.path), "--input-type=module", "-e", PLUGGED % json.dumps(plugin.as_uri()), str(below)]
    environment = {"PATH": str(nothing), "HOME": str(project.home)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert "no Python" in done.stdout, done.stderr
    assert done.stdout.startswith("stopped: ") == (policy == "required")
