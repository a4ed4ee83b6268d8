"""What binds a project that has no file of its own: what the instance says of its repository."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.failures import FAILURES
from tests.hosts.project import HANDLER, Project
from tests.hosts.server import TEXT, Server

BINDINGS = "/api/v1/bindings"
CONTEXT = "/api/v1/context"
CAPTURES = "/api/v1/captures"
ASKED = f"{BINDINGS}?repository=github.com%2Facme%2Fshop"
OWN = {
    "id": "bnd_1",
    "repository": "github.com/acme/shop",
    "folder": "product/shop",
    "policy": "optional",
    "deadline_ms": 1_500,
    "budget_chars": 4_000,
    "capture": "off",
    "own": True,
    "updated_at": "2026-11-30T09:00:00Z",
}


def arrange(scripted: Server, *items: dict[str, Any]) -> None:
    scripted.answers[BINDINGS] = (200, {"items": list(items), "next_cursor": None})


@pytest.fixture
def repository(project: Project, scripted: Server) -> Path:
    """The project is a work tree of ``github.com/acme/shop`` and has no ``.baton.json``; alice has bound it."""
    (project.root / ".baton.json").unlink()
    origin(project.root, "git@github.com:acme/shop.git")
    arrange(scripted, OWN)
    return project.root


def origin(root: Path, url: str) -> None:
    (root / ".git").mkdir(exist_ok=True)
    (root / ".git" / "config").write_text(
        f'[core]\n\tbare = false\n[remote "fork"]\n\turl = https://example.org/x\n[remote "origin"]\n\turl = {url}\n'
    )


def start(project: Project, session: str = "s1", **more: Any) -> str:
    return project.run("hook", "claude-code", "start", given=project.event(session_id=session, **more)).injected


@pytest.mark.usefixtures("repository")
def test_a_repository_is_bound_by_what_the_instance_says(project: Project, scripted: Server) -> None:
    assert project.prompt().injected == TEXT
    assert [call.path for call in scripted.calls][:2] == [ASKED, CONTEXT]
    (asked,) = scripted.to(CONTEXT)
    assert (asked.body["location"], asked.body["budget_chars"]) == ("product/shop", 4_000)
    assert asked.body["deadline_ms"] < 1_500


@pytest.mark.usefixtures("repository")
def test_once_it_is_known_a_prompt_makes_one_request(project: Project, scripted: Server) -> None:
    start(project)
    scripted.eventually("/api/v1/brief")
    scripted.calls.clear()
    for turn in range(3):
        project.prompt(prompt_id=f"p{turn}")
    scripted.eventually("/api/v1/receipts", 3)
    assert [call.path for call in scripted.calls if call.path != "/api/v1/receipts"] == [CONTEXT] * 3


@pytest.mark.usefixtures("repository")
def test_a_repository_that_is_not_bound_is_asked_about_once(project: Project, scripted: Server) -> None:
    arrange(scripted)
    assert [project.prompt(prompt_id=f"p{turn}").out for turn in range(3)] == [""] * 3
    assert [call.path for call in scripted.calls] == [ASKED]
    assert start(project) == ""
    assert [call.path for call in scripted.calls] == [ASKED] * 2


@pytest.mark.usefixtures("repository")
def test_the_next_start_learns_what_was_changed(project: Project, scripted: Server) -> None:
    start(project)
    arrange(scripted, {**OWN, "folder": "product/other"})
    assert "product/other" in start(project)
    project.prompt()
    assert scripted.to(CONTEXT)[0].body["location"] == "product/other"
    arrange(scripted)
    start(project)
    assert project.prompt().out == ""


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("failure", FAILURES)
def test_what_is_required_holds_while_the_instance_fails(project: Project, scripted: Server, failure: str) -> None:
    arrange(scripted, {**OWN, "policy": "required"})
    start(project)
    instance = project.address
    fail, why = FAILURES[failure]
    fail(project, scripted)
    if project.address != instance:  # what another address has said is not known here
        kept = project.home / ".config" / "baton" / "bindings"
        (found,) = kept.iterdir()
        content = json.loads(found.read_text())
        found.rename(kept / kept_name(project, content["repository"]))
    answer = project.prompt()
    assert (answer.code, answer.out) == (2, "")
    assert f"({why})" in answer.said
    assert "your binding of github.com/acme/shop" in answer.said


def kept_name(project: Project, repository: str) -> str:
    code = "import runpy,sys; h = runpy.run_path(sys.argv[1]); print(h['kept_name'](*sys.argv[2:]))"
    command = ["python3", "-I", "-S", "-c", code, str(HANDLER), project.address, repository]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("failure", ["down", "401", "500", "not JSON", "hanging"])
def test_what_was_never_known_is_told_and_stops_nothing(project: Project, scripted: Server, failure: str) -> None:
    fail, why = FAILURES[failure]
    fail(project, scripted)
    scripted.answers[BINDINGS] = scripted.answers[CONTEXT]
    answer = project.prompt()
    assert answer.code == 0
    assert f"({why})" in answer.visible
    assert answer.took < 6


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("body", [{}, {"items": 7}, {"items": None}, []])
def test_an_answer_of_another_form_binds_nothing(project: Project, scripted: Server, body: Any) -> None:
    scripted.answers[BINDINGS] = (200, body)
    assert "unavailable" in project.prompt().visible
    assert scripted.to(CONTEXT) == []
    arrange(scripted, OWN)
    assert project.prompt().injected == TEXT


@pytest.mark.usefixtures("repository")
def test_an_instance_that_is_not_connected_is_told_nothing(project: Project, scripted: Server) -> None:
    project.token = ""
    assert (project.prompt().out, start(project), scripted.calls) == ("", "", [])


def test_a_project_outside_of_any_repository_sends_nothing(project: Project, scripted: Server) -> None:
    (project.root / ".baton.json").unlink()
    origin(project.root, "/srv/git/shop.git")
    assert (project.prompt().out, start(project), scripted.calls) == ("", "", [])


def test_the_projects_own_file_goes_first(project: Project, scripted: Server) -> None:
    origin(project.root, "https://github.com/acme/shop")
    arrange(scripted, {**OWN, "policy": "required"})
    assert "product/launch" in start(project)
    project.prompt()
    assert scripted.to(CONTEXT)[0].body["location"] == "product/launch"
    scripted.answers[CONTEXT] = (500, {})
    assert project.prompt(prompt_id="p2").code == 0


@pytest.mark.usefixtures("repository")
def test_ones_own_binding_goes_before_the_instances(project: Project, scripted: Server) -> None:
    arrange(scripted, {**OWN, "folder": "product/default", "own": False}, OWN)
    assert "product/shop" in start(project)


@pytest.mark.usefixtures("repository")
def test_status_tells_where_the_binding_is_from(project: Project, scripted: Server) -> None:
    assert "has not been asked" in project.run("status").out
    start(project)
    assert "your binding of github.com/acme/shop" in project.run("status").out
    arrange(scripted, {**OWN, "own": False})
    assert project.run("test").code == 0
    assert "the instance's binding of github.com/acme/shop" in project.run("status").out
    arrange(scripted)
    start(project)
    assert "has none for it" in project.run("status").out
    project.bind()
    assert str(project.root / ".baton.json") in project.run("status").out


def test_a_work_tree_beside_the_first_and_a_submodule_have_their_repositories(
    project: Project, scripted: Server, tmp_path: Path
) -> None:
    (project.root / ".baton.json").unlink()
    main = tmp_path / "it's a main tree"
    git = ["git", "-c", "user.name=alice", "-c", "user.email=alice@example.org"]
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "-C", str(main), "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(
        [*git, "-C", str(main), "remote", "add", "origin", "ssh://git@GitHub.com:22/acme/shop.git/"], check=True
    )
    project.root = tmp_path / "beside"
    subprocess.run([*git, "-C", str(main), "worktree", "add", "-q", str(project.root)], check=True)
    arrange(scripted, OWN)
    (project.root / "deep").mkdir()
    assert project.prompt(cwd=str(project.root / "deep")).injected == TEXT
    assert scripted.calls[0].path == ASKED

    inner = main / ".git" / "modules" / "part"
    inner.mkdir(parents=True)
    (inner / "config").write_text('[remote "origin"]\n\turl = https://git.example.org:8443/part.git\n')
    project.root = main / "part"
    project.root.mkdir()
    (project.root / ".git").write_text("gitdir: ../.git/modules/part\n")
    project.prompt()
    assert f"{BINDINGS}?repository=git.example.org%3A8443%2Fpart" in [call.path for call in scripted.calls]


ADDRESSES = {
    "https://github.com/acme/shop.git": "github.com/acme/shop",
    "https://alice:s3cret@GitHub.COM:443/acme/shop.git/?x=1#y": "github.com/acme/shop",
    "git@github.com:acme/shop.git": "github.com/acme/shop",
    "github.com:/acme/shop": "github.com/acme/shop",
    "ssh://git@github.com:22/acme/shop": "github.com/acme/shop",
    "ssh://git@git.example.org:2222/a/b.git": "git.example.org:2222/a/b",
    "git://github.com/acme/shop": "github.com/acme/shop",
    "git+ssh://git@github.com/acme/shop": "github.com/acme/shop",
    "https://[::1]:8080/a": "[::1]:8080/a",
    "https://git.example.org/グループ/店.git": "git.example.org/グループ/店",
    '"https://github.com/acme/shop"': "github.com/acme/shop",
    "https://github.com/acme/shop ; of ours": "github.com/acme/shop",
    "file:///srv/shop.git": "",
    "/srv/shop.git": "",
    "../shop": "",
    "C:\\\\work\\\\shop": "",
    "C:/src/shop": "",
    "https://github.com/": "",
    "https://github.com/" + "a" * 300: "",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_remote_has_one_name_in_every_form(project: Project, url: str) -> None:
    (project.root / ".baton.json").unlink()
    origin(project.root, url)
    told = project.run("status").out
    assert f"Repository  {ADDRESSES[url] or 'none'}" in told
    assert "s3cret" not in told


@pytest.mark.parametrize(
    "config",
    [
        b'\xef\xbb\xbf[Remote "origin"]\r\n\tURL=https://github.com/acme/shop.git\r\n',
        b'[remote "origin"] url = https://github.com/acme/shop\n',
        b"[remote.origin]\nurl = https://github.com/acme/shop\n",
        b'[remote "upstream"]\nfetch = x\nurl = https://github.com/acme/shop\n',
        b'\xff\xfe\0[\n[remote "origin"]\nurl = https://github.com/acme/shop',
    ],
)
def test_gits_own_file_is_read_as_git_reads_it(project: Project, config: bytes) -> None:
    (project.root / ".baton.json").unlink()
    origin(project.root, "")
    (project.root / ".git" / "config").write_bytes(config)
    assert "Repository  github.com/acme/shop" in project.run("status").out


@pytest.mark.parametrize("git", ["gitdir: /nowhere/at/all", "gitdir:", "", "\0\xff", "gitdir: ../.git"])
def test_a_broken_work_tree_is_no_repository(project: Project, scripted: Server, git: str) -> None:
    (project.root / ".baton.json").unlink()
    (project.root / ".git").write_text(git)
    assert (project.prompt().out, scripted.calls) == ("", [])


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(("mode", "proposed"), [("on", None), ("ask", True)])
def test_capture_that_was_switched_on_in_the_browser_keeps_turns(
    project: Project, scripted: Server, mode: str, proposed: bool | None
) -> None:
    arrange(scripted, {**OWN, "capture": mode})
    start(project)
    project.prompt()
    project.stop("We decided on June.")
    project.run("drain")
    (kept,) = scripted.kept.values()
    assert (kept["folder"], kept.get("propose")) == ("product/shop", proposed)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "said", [{"capture": "off"}, {"capture": "on", "own": False}, {"capture": "yes"}, {"capture": None}]
)
def test_nobody_else_switches_capture_on(project: Project, said: dict[str, Any], scripted: Server) -> None:
    arrange(scripted, {**OWN, **said})
    start(project)
    project.stop("We decided on June.")
    assert project.spooled == []


@pytest.mark.parametrize(
    ("folder", "narrowed", "kept"),
    [
        ("product/launch", {}, "on"),
        ("product/shop", {}, None),
        ("product/launch", {"capture": "off"}, None),
        ("product/launch", {"capture": "ask"}, "ask"),
    ],
)
def test_a_file_narrows_what_was_switched_on_for_its_folder(
    project: Project, scripted: Server, folder: str, narrowed: dict[str, str], kept: str | None
) -> None:
    origin(project.root, "https://github.com/acme/shop")
    project.bind(**narrowed)
    arrange(scripted, {**OWN, "folder": folder, "capture": "on"})
    start(project)
    assert scripted.eventually(BINDINGS)
    known(project)
    project.stop("We decided on June.")
    assert bool(project.spooled) == (kept is not None)
    if kept:
        assert json.loads(project.spooled[0].read_text())["body"].get("propose") == (True if kept == "ask" else None)


def known(project: Project) -> None:
    end = time.monotonic() + 10
    while not list(project.home.rglob("bindings/*.json")):
        assert time.monotonic() < end, "what the instance said was not kept"
        time.sleep(0.02)


@pytest.mark.usefixtures("repository")
def test_off_on_this_machine_is_off_whatever_the_browser_says(project: Project, scripted: Server) -> None:
    arrange(scripted, {**OWN, "capture": "on"})
    start(project)
    assert "on, as said for the binding" in project.run("status").out
    assert project.run("capture", "off").code == 0
    project.stop("We decided on June.")
    assert project.spooled == []
    assert "off, as said on this machine" in project.run("status").out


@pytest.mark.usefixtures("repository")
def test_a_binding_is_kept_for_its_owner_alone(project: Project) -> None:
    start(project)
    (kept,) = project.home.rglob("bindings/*.json")
    assert (kept.stat().st_mode & 0o077, kept.parent.stat().st_mode & 0o077) == (0, 0)
    assert project.token not in kept.read_text()


@pytest.mark.usefixtures("repository")
def test_uninstall_forgets_what_was_bound_and_told(project: Project, scripted: Server) -> None:
    scripted.answers["/api/v1/brief"] = (200, {"changed": [], "cursor": {"since": None, "head": "h1"}})
    start(project)
    project.prompt()
    assert list(project.home.rglob("bindings/*.json"))
    assert list(project.home.rglob("*.brief"))
    assert project.run("uninstall").code == 0
    assert list(project.home.rglob("bindings/*.json")) == []
    assert list(project.home.rglob("*.brief")) == []
    assert "has not been asked" in project.run("status").out
