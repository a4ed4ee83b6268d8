"""Sessions start with a brief, and what a model was given of it is acknowledged once."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.hosts.project import Project
from tests.hosts.server import Server

BRIEF = "/api/v1/brief"


def brief(head: str = "h1", /, **lists: Any) -> dict[str, Any]:
    changed = [{"location": "product/launch/plan.md", "commit": "c0ffee"}]
    return {"claims": [], "changed": changed, "captures": [], "cursor": {"since": None, "head": head}, **lists}


def start(project: Project, session: str, source: str = "startup", host: str = "claude-code") -> str:
    given = project.event(session_id=session, source=source)
    answer = project.run("hook", host, "start", given=given)
    assert answer.code == 0
    return answer.injected or answer.json.get("text", "")


def acknowledged(scripted: Server) -> list[str | None]:
    asked = [parse_qs(urlsplit(call.path).query) for call in scripted.to(BRIEF)]
    return [query.get("ack_through", [None])[0] for query in asked]


def test_what_a_model_was_given_is_acknowledged_by_the_next_session(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief("h1"))
    start(project, "s1")
    project.prompt(session_id="s1")
    scripted.answers[BRIEF] = (200, brief("h2"))
    start(project, "s2")
    project.prompt(session_id="s2")
    start(project, "s3")
    assert acknowledged(scripted) == [None, "h1", "h2"]
    assert {urlsplit(call.path).query.partition("&")[0] for call in scripted.to(BRIEF)} == {"location=product%2Flaunch"}


def test_a_session_that_never_came_to_a_prompt_has_read_nothing(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief())
    start(project, "s1")
    start(project, "s2")
    assert acknowledged(scripted) == [None, None]


def test_a_prompt_that_was_stopped_has_reached_no_model(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief())
    project.bind(policy="required")
    start(project, "s1")
    scripted.answers["/api/v1/context"] = (500, {})
    assert project.prompt(session_id="s1").code == 2
    start(project, "s2")
    assert acknowledged(scripted) == [None, None]


@pytest.mark.parametrize("source", ["resume", "compact"])
def test_a_session_that_goes_on_is_told_again(project: Project, scripted: Server, source: str) -> None:
    scripted.answers[BRIEF] = (200, brief())
    start(project, "s1")
    project.prompt(session_id="s1")
    assert "plan.md" in start(project, "s1", source)
    assert acknowledged(scripted) == [None, None]


def test_another_sessions_prompt_acknowledges_nothing(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief())
    start(project, "s1")
    project.prompt(session_id="s2")
    start(project, "s3")
    assert acknowledged(scripted) == [None, None]


def test_what_was_left_out_is_counted_and_not_acknowledged(project: Project, scripted: Server) -> None:
    many = [{"location": f"product/launch/{number}.md", "commit": "c"} for number in range(30)]
    scripted.answers[BRIEF] = (200, brief(changed=many))
    told = start(project, "s1")
    assert "22 more are left out" in told
    assert "brief_me" in told
    project.prompt(session_id="s1")
    start(project, "s2")
    assert acknowledged(scripted) == [None, None]


@pytest.mark.parametrize("words", ["word " * 400, "日本語" * 400, "🙂" * 900, "```\n" * 300])
def test_a_brief_is_bounded_and_stays_in_its_fence(project: Project, scripted: Server, words: str) -> None:
    lists = {name: [{"title": words}] * 8 for name in ("claims", "waiting", "approvals", "contested", "captures")}
    scripted.answers[BRIEF] = (200, brief(**lists))
    told = start(project, "s1")
    assert len(told) <= 4_000
    assert told.count("```") == 2


def test_an_acknowledgement_of_another_time_is_dropped(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief())
    start(project, "s1")
    project.prompt(session_id="s1")

    def strict(call: Any) -> dict[str, Any]:
        scripted.answers[BRIEF] = (200, brief("h9"))
        return {"code": "INVALID"}

    scripted.answers[BRIEF] = (422, strict)
    assert "plan.md" in start(project, "s2")
    assert acknowledged(scripted) == [None, "h1", None]
    start(project, "s3")
    assert acknowledged(scripted)[-1] is None


def test_opencode_is_given_it_too(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief())
    assert "plan.md" in start(project, "s1", host="opencode")


@pytest.mark.parametrize("body", [[], {"changed": 7, "cursor": 3}, {"changed": [None, 7, {}], "cursor": {"head": []}}])
def test_a_brief_of_another_form_breaks_nothing(project: Project, scripted: Server, body: Any) -> None:
    scripted.answers[BRIEF] = (200, body)
    told = start(project, "s1")
    assert "Traceback" not in told
    assert told
    project.prompt(session_id="s1")
    start(project, "s2")
    assert acknowledged(scripted) == [None, None]


def test_what_the_instance_left_out_is_not_acknowledged_either(project: Project, scripted: Server) -> None:
    scripted.answers[BRIEF] = (200, brief(left_out={"changed": 12, "captures": 1}))
    assert "13 more are left out" in start(project, "s1")
    project.prompt(session_id="s1")
    start(project, "s2")
    assert acknowledged(scripted) == [None, None]


def test_sessions_in_several_folders_take_nothing_from_each_other(project: Project, scripted: Server) -> None:
    """Each acknowledges the brief of its own folder."""
    for number, folder in enumerate(["product/launch", "product/other"] * 2):
        scripted.answers[BRIEF] = (200, brief() | {"cursor": {"since": None, "head": f"{folder} {number}"}})
        project.bind(folder=folder)
        start(project, f"s{number}")
        project.prompt(session_id=f"s{number}")
    assert acknowledged(scripted) == [None, None, "product/launch 0", "product/other 1"]


def test_a_line_tells_where_what_who_and_when(project: Project, scripted: Server) -> None:
    changed = {
        "location": "product/launch/plan.md",
        "title": "Launch plan",
        "summary": "We launch\nin June.",
        "commit": "c0ffee",
        "author": {"kind": "agent", "label": "rover (bob)"},
        "committed_at": "2026-11-29T08:00:00Z",
    }
    scripted.answers[BRIEF] = (200, brief(changed=[changed]))
    line = "- product/launch/plan.md@c0ffee · Launch plan · We launch in June. · by rover (bob) · 2026-11-29T08:00:00Z"
    assert line in start(project, "s1").splitlines()
