"""The handler's own commands."""

import json
import os
import re
import runpy
from pathlib import Path

from tests.hosts.project import HANDLER, Project
from tests.hosts.server import Call, Server


def credentials(project: Project) -> Path:
    return project.home / ".config" / "baton" / "credentials.json"


def arrange_device(scripted: Server) -> None:
    answers = iter([(400, {"error": "authorization_pending"})])
    granted = {"access_token": "at_1", "refresh_token": "rt_1", "expires_in": 3600}

    def poll(_: Call) -> dict[str, str]:
        scripted.answers["/oauth/token"] = (200, granted)
        return next(answers)[1]

    scripted.answers |= {
        "/oauth/register": (201, {"client_id": "client_1"}),
        "/oauth/device/code": (
            200,
            {
                "device_code": "d",
                "user_code": "ABCD-EFGH",
                "verification_uri": f"{scripted.url}/device",
                "verification_uri_complete": f"{scripted.url}/device?code=ABCD-EFGH",
                "expires_in": 60,
                "interval": 0.1,
            },
        ),
        "/oauth/token": (400, poll),
        "/oauth/revoke": (200, {}),
    }


def test_connect_shows_a_code_and_keeps_what_comes_of_it(project: Project, scripted: Server) -> None:
    project.token = ""
    arrange_device(scripted)
    answer = project.run("connect")
    assert answer.code == 0, answer.out + answer.said
    assert "ABCD-EFGH" in answer.out
    assert "at_1" not in answer.out
    assert f"Next: bind FOLDER in a project, or its repository at {scripted.url}/bindings." in answer.out
    assert os.stat(credentials(project)).st_mode & 0o777 == 0o600
    project.prompt()
    assert scripted.to("/api/v1/context")[0].token == "at_1"
    assert not list(project.root.rglob("*credential*"))


def test_a_person_who_says_no_connects_nothing(project: Project, scripted: Server) -> None:
    project.token = ""
    arrange_device(scripted)
    scripted.answers["/oauth/token"] = (400, {"error": "access_denied"})
    assert project.run("connect").code == 1
    assert not credentials(project).exists()


def test_a_token_is_taken_from_stdin_once_it_is_good(project: Project, scripted: Server) -> None:
    project.token = ""
    assert project.run("connect", "--token-stdin", given=b"btn_given\n").code == 0
    assert json.loads(credentials(project).read_text()) == {scripted.url: {"token": "btn_given"}}
    scripted.answers["/api/v1/me"] = (401, {})
    assert project.run("connect", "--token-stdin", given=b"btn_bad\n").code == 1
    assert "btn_bad" not in credentials(project).read_text()


def test_bind_writes_what_prompts_then_use(project: Project, scripted: Server) -> None:
    assert project.run("bind", "product/other", "--required").code == 0
    project.prompt()
    assert scripted.to("/api/v1/context")[0].body["location"] == "product/other"
    assert "required" in project.run("status").out


def test_status_and_test_tell_what_is_missing(project: Project, scripted: Server) -> None:
    assert project.run("status").code == 0
    assert "not bound" not in project.run("test").out
    (project.root / ".baton.json").rename(project.root / "aside")
    told = project.run("test")
    assert (told.code, "not bound, so no prompt asks: bind FOLDER" in told.out) == (0, True)
    (project.root / "aside").rename(project.root / ".baton.json")
    scripted.answers["/api/v1/context"] = (401, {"detail": "The token is not known."})
    told = project.run("test")
    assert (told.code, "401" in told.out) == (1, True)
    project.token = ""
    told = project.run("status")
    assert (told.code, "not connected" in told.out) == (1, True)


def test_uninstall_loses_nothing_unless_told_to(project: Project, scripted: Server) -> None:
    project.run("connect", "--token-stdin", given=b"btn_given\n")
    project.run("capture", "on")
    project.stop("Done.")
    scripted.answers["/api/v1/captures"] = (401, {})
    assert project.run("uninstall").code == 1
    assert len(project.spooled) == 1
    assert project.run("uninstall", "--force").code == 0
    assert project.spooled == []
    assert json.loads(credentials(project).read_text()) == {}


def test_a_wrong_call_shows_what_there_is(project: Project) -> None:
    answer = project.run("frobnicate")
    assert (answer.code, "hook HOST EVENT" in answer.out) == (1, True)


def test_the_page_on_hooks_tells_the_commands_and_the_limits_that_there_are() -> None:
    handler = runpy.run_path(str(HANDLER))
    text = (HANDLER.parents[2] / "web" / "help" / "hooks.md").read_text()
    table = text.split("## Commands\n", 1)[1].partition("\n## ")[0]
    assert {name.split()[0] for name in re.findall(r"^\| `([^`]+)`", table, flags=re.M)} == set(handler["COMMANDS"])
    for host, most in handler["INJECTED_CHARS"].items():
        assert f"{most:,}" in text, host
    assert f"{handler['PROMPT_CHARS']:,} characters" in text
    assert f"{handler['CAPTURE_BYTES'] // 1024} KiB" in text
    assert set(handler["WHAT_TO_DO"]) <= set(re.findall(r"`([a-z ]+)`", text))
