"""The handler with prompts, files and names of any kind."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hosts.project import HANDLER, Answer, Project
from tests.hosts.server import TEXT, Server
from tests.hosts.troubled import whole_session

CONTEXT_PATH = "/api/v1/context"
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
