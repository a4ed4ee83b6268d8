"""A project without a file, before the product itself: bound by its repository, and told its brief once."""

from pathlib import Path

import pytest

from tests.hosts.door import door
from tests.hosts.product import Product
from tests.hosts.project import Project

pytestmark = pytest.mark.xdist_group("conformance")


def start(project: Project, session: str) -> str:
    given = project.event(session_id=session, source="startup")
    answer = project.run("hook", "claude-code", "start", given=given)
    assert answer.code == 0, answer.said
    return answer.injected


def test_a_repository_bound_at_the_product_gets_its_brief_and_its_context(there: Product, tmp_path: Path) -> None:
    place = there.place()
    root, home = tmp_path / "project", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    (home / "tmp").mkdir(parents=True)
    name = place.partition("/")[0]
    (root / ".git" / "config").write_text(f'[remote "origin"]\n\turl = git@GitHub.com:acme/{name}.git\n')
    with door(there.url) as way:
        project = Project(root=root, home=home, address=way.url, token=there.token("bob", f"rover at {name}", place))
        assert (project.prompt().out, start(project, "s1")) == ("", "")
        there.post(
            "bindings",
            {"repository": f"https://github.com/acme/{name}", "folder": place, "policy": "required"},
            project.token,
        )
        told = start(project, "s1")
        assert f"bound to {place}" in told
        assert f"{place}/plan.md@" in told
        answer = project.prompt(session_id="s1")
        assert "The launch is on the second of March." in answer.injected, answer.said + answer.out
        # What the model was told of the brief is not told to the next session.
        again = start(project, "s2")
        assert "Nothing has changed" in again
        status = project.run("status").out
        assert f"your binding of github.com/acme/{name}" in status
        assert "required" in status
    # It holds, with the product out of reach.
    stopped = project.prompt(session_id="s2", prompt_id="p3")
    assert (stopped.code, "(unavailable)" in stopped.said) == (2, True)


def test_a_turn_that_waits_for_approval_is_taken_and_shown_to_nobody(there: Product, tmp_path: Path) -> None:
    place = there.place()
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    project = Project(
        root=root, home=home, address=there.url, token=there.token("bob", f"rover asks at {place}", place)
    )
    project.bind(folder=place)
    assert project.run("capture", "ask").code == 0
    project.prompt()
    project.stop("We decided on June.")
    sent = project.run("drain")
    assert (sent.code, "1 sent" in sent.out) == (0, True), sent.out
    assert list(home.rglob("*.refused")) == []
    assert there.items("captures", folder=place) == []
