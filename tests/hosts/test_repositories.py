"""What a host installs from Git: a clone by Git itself is the folder that the zip holds."""

import gzip
import os
import subprocess
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from workspace.hosts.bundles import WHERE, files
from workspace.hosts.repositories import REQUEST_BYTES, Malformed, repository

ADDRESS = "https://baton.example.org"
DEPTHS = pytest.mark.parametrize("options", [(), ("--depth", "1")], ids=["whole", "shallow"])
PROTOCOLS = pytest.mark.parametrize("protocol", [0, 2])


def git(*arguments: str | Path) -> str:
    """What Git says, with nobody's own settings; it fails where Git does."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def held(folder: Path) -> dict[str, str]:
    """What was checked out, by its path."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items() if not name.startswith(".git/")}


@DEPTHS
@PROTOCOLS
@pytest.mark.parametrize("host", WHERE)
def test_git_clones_a_hosts_folder_and_finds_nothing_wrong(
    live_server: LiveServer, tmp_path: Path, settings: object, host: str, options: tuple[str, ...], protocol: int
) -> None:
    settings.BATON_BASE_URL = ADDRESS  # type: ignore[attr-defined]
    address = f"{live_server.url}/connect/{host}.git"
    git("-c", f"protocol.version={protocol}", "clone", *options, address, tmp_path / "clone")
    assert held(tmp_path / "clone") == dict(files(host, ADDRESS))
    git("-C", tmp_path / "clone", "fsck", "--strict")
    assert git("-C", tmp_path / "clone", "symbolic-ref", "HEAD").strip() == "refs/heads/main"


@DEPTHS
def test_a_clone_takes_up_what_the_instance_serves_later(
    live_server: LiveServer, tmp_path: Path, settings: object, options: tuple[str, ...]
) -> None:
    settings.BATON_BASE_URL = ADDRESS  # type: ignore[attr-defined]
    clone = tmp_path / "clone"
    git("clone", *options, f"{live_server.url}/connect/gemini.git", clone)
    settings.BATON_BASE_URL = "https://moved.example.org"  # type: ignore[attr-defined]
    git("-C", clone, "fetch", *options, "origin", "main")
    git("-C", clone, "reset", "--hard", "FETCH_HEAD")
    assert held(clone) == dict(files("gemini", "https://moved.example.org"))


def test_the_same_address_gives_the_same_commit_and_another_address_another() -> None:
    kept = repository("codex", ADDRESS)
    repository.cache_clear()
    assert repository("codex", ADDRESS) == kept
    assert repository("codex", "https://moved.example.org").commit != kept.commit


@pytest.mark.parametrize("path", ["emacs.git/info/refs?service=git-upload-pack", "emacs.git/git-upload-pack"])
def test_there_is_no_other_repository(path: str) -> None:
    client = Client()
    assert (client.get if "refs" in path else client.post)(f"/connect/{path}").status_code == 404


@pytest.mark.parametrize("query", ["", "?service=git-receive-pack"])
def test_nothing_can_be_pushed_and_no_older_git_is_half_answered(query: str) -> None:
    assert Client().get(f"/connect/codex.git/info/refs{query}").status_code == 403


WANT = b"0032want %s\n"
BAD = {
    "nothing": b"",
    "no length": b"want something",
    "cut off": b"0032want ",
    "length of less than itself": b"0003",
    "no commit": b"000awant \n0000",
    "another commit": WANT % (b"0" * 40) + b"00000009done\n",
    "one of two": WANT % b"{commit}" + WANT % (b"0" * 40) + b"00000009done\n",
    "too long": b"0" * (REQUEST_BYTES + 4),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_what_is_no_request_for_the_commit_is_refused(settings: object, name: str, packed: bool) -> None:
    settings.BATON_BASE_URL = ADDRESS  # type: ignore[attr-defined]
    body = BAD[name].replace(b"{commit}", repository("codex", ADDRESS).commit.encode())
    more = {"HTTP_CONTENT_ENCODING": "gzip"} if packed else {}
    answer = Client(raise_request_exception=True, enforce_csrf_checks=True).post(
        "/connect/codex.git/git-upload-pack",
        gzip.compress(body) if packed else body,
        content_type="application/x-git-upload-pack-request",
        **more,  # type: ignore[arg-type]
    )
    assert answer.status_code == 400


def test_what_is_not_compressed_as_it_says_is_refused() -> None:
    answer = Client().post(
        "/connect/codex.git/git-upload-pack", b"want", content_type="text/plain", HTTP_CONTENT_ENCODING="gzip"
    )
    assert answer.status_code == 400


def test_a_request_that_only_asks_has_no_pack_in_its_answer() -> None:
    there = repository("codex", ADDRESS)
    want = WANT % there.commit.encode()
    assert there.answer(want + b"0000") == b"0008NAK\n"
    assert there.answer(want + b"000cdeepen 10000") == b"0000"
    assert there.answer(want + b"00000032have " + b"1" * 40 + b"\n0000") == b"0008NAK\n"
    assert there.answer(want + b"00000009done\n") == b"0008NAK\n" + there.pack
    with pytest.raises(Malformed):
        there.answer(b"0000")
