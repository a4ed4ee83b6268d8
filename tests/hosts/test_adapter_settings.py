"""What a program is set up with: its arguments, the project's file, and what this machine keeps."""

import json

import pytest

from tests.hosts.adapter import Person
from tests.hosts.server import TEXT, Server

PATH = "/api/v1/context"


@pytest.mark.parametrize(
    "options",
    ["policy='perhaps'", "deadline_ms=5", "deadline_ms=True", "budget_chars=10**9", "host=''", "session='\\n'",
     "session='x' * 201", "address='javascript:x'"],
)  # fmt: skip
def test_wrong_arguments_are_refused_at_once(person: Person, options: str) -> None:
    ran = person.run(f"baton.session({options})")
    assert "ValueError" in ran.said


def test_the_projects_file_gives_what_is_left_out(person: Person, scripted: Server) -> None:
    binding = {"folder": "product/launch", "policy": "required", "deadline_ms": 400, "budget_chars": 300}
    (person.root / ".baton.json").write_text(json.dumps(binding))
    program = "s = baton.session(); show([str(s.context('p')), s.report.policy])"
    assert person.run(program).json == [TEXT, "required"]
    body = scripted.to(PATH)[0].body
    assert (body["location"], body["budget_chars"]) == ("product/launch", 300)
    assert body["deadline_ms"] < 400


def test_what_the_project_demands_is_not_undone_by_an_argument(person: Person, scripted: Server) -> None:
    (person.root / ".baton.json").write_text('{"folder": "product/launch", "policy": "required"}')
    scripted.answers[PATH] = (500, {})
    ran = person.run("baton.session(policy='optional').context('p')")
    assert "MemoryUnavailable" in ran.said


@pytest.mark.parametrize("content", ["{", "[]", '{"policy": "required",', '{"folder": 7}'])
def test_a_file_that_cannot_be_understood_sends_nothing(person: Person, scripted: Server, content: str) -> None:
    (person.root / ".baton.json").write_text(content)
    ran = person.run("s = baton.session(folder='a'); show([s.context('p').why, s.capture('x').state])")
    assert scripted.calls == []
    if "required" in content:
        assert "MemoryUnavailable" in ran.said
    else:
        assert ran.json == ["unavailable", "lost"]
    assert ".baton.json" in ran.said


@pytest.mark.parametrize("token", ["", "token='btn_token_of_the_program_itself'"])
def test_a_strangers_file_gets_no_token(person: Person, scripted: Server, token: str) -> None:
    person.address = "http://127.0.0.1:9"
    (person.root / ".baton.json").write_text(json.dumps({"folder": "product/launch", "address": scripted.url}))
    ran = person.run(f"show(baton.session({token}).context('p').detail)")
    assert scripted.calls == []
    assert "not connected" in ran.json


def test_the_address_and_token_of_the_arguments_go_first(person: Person, scripted: Server) -> None:
    address, person.address = person.address, "http://127.0.0.1:9"
    ran = person.run(
        "show(str(baton.session(address=sys.argv[1], token='btn_given_by_the_program').context('p')))", address
    )
    assert ran.json == TEXT
    assert {call.token for call in scripted.calls} == {"btn_given_by_the_program"}


def test_the_credentials_of_this_machine_are_used_and_renewed_once(person: Person, scripted: Server) -> None:
    own = person.home / ".config" / "baton"
    own.mkdir(parents=True)
    held = {"client_id": "c", "access_token": "old", "refresh_token": "r1", "expires_at": 1}
    (own / "credentials.json").write_text(json.dumps({scripted.url: held}))
    scripted.answers["/oauth/token"] = (200, {"access_token": "new", "refresh_token": "r2", "expires_in": 3600})
    person.token = ""
    assert person.run("s = baton.session(); show([str(s.context('p')), str(s.context('q'))])").json == [TEXT, TEXT]
    assert len(scripted.to("/oauth/token")) == 1
    assert {call.token for call in scripted.to(PATH)} == {"new"}
