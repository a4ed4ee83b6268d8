"""Agent hosts themselves before the product itself: what their models were sent, and what the product then knows."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.model import DONE, Model, model
from tests.hosts.door import door
from tests.hosts.product import Product
from tests.hosts.programs import HOSTS, PROMPT, processes, prompts, run, shown, until
from tests.hosts.project import Project

pytestmark = pytest.mark.xdist_group("conformance")
STAGES = {"invoked", "retrieved", "attached", "captured", "acknowledged"}
DECIDED = "We decided that the import runs as a background job. It is still open who watches the queue at night."
ANSWERED = "We decided that Mallory's team watches the queue at night. The import stays a background job."

KILLS = [(host, after) for host in ("claude-code", "codex") for after in (0.2, 1.0, 1.4)]
KILLS += [("gemini", 0.2), ("opencode", 0.2)]

Connect = Callable[..., Project]


@pytest.fixture
def connect(tmp_path: Path, there: Product) -> Connect:
    """Makes somebody's project, bound to a place in the product, with a token in the environment."""

    def make(name: str, agent: str, place: str, *, address: str = "", **binding: str) -> Project:
        root, home = tmp_path / agent / "project", tmp_path / agent / "home"
        root.mkdir(parents=True)
        (home / "tmp").mkdir(parents=True)
        made = Project(root=root, home=home, address=address or there.url, token=there.token(name, agent, place))
        made.bind(folder=place, **binding)
        assert made.run("capture", "on").code == 0
        return made

    return make


@pytest.mark.parametrize("host", HOSTS)
def test_every_stage_of_a_prompt_can_be_shown(there: Product, connect: Connect, host: str) -> None:
    place = there.place()
    project = connect("alice", f"scout in {host}", place, policy="required")
    with model("no-such-tool", {}) as fake:
        run(host, project, fake)
    sent = prompts(fake)
    assert sent, shown(project)
    assert "The launch is on the second of March." in sent[0]
    assert f"{place}/plan.md" in sent[0]
    kept = there.captured(place, 1)
    assert len(kept) == 1, shown(project)
    assert (kept[0]["host"], kept[0]["author"]["label"]) == (host, f"scout in {host}")
    assert DONE in kept[0]["content"]
    facts = there.items("receipts", session=kept[0]["session"])
    assert {fact["kind"] for fact in facts} >= STAGES
    # Three of them are of one prompt, and so have one name.
    stages = [fact for fact in facts if fact["kind"] in ("invoked", "retrieved", "attached")]
    assert len({fact["operation"] for fact in stages}) == 1
    assert {fact["host"] for fact in stages} == {host}
    retrieved = [fact["location"] for fact in facts if fact["kind"] == "retrieved"]
    assert f"{place}/plan.md" in retrieved
    assert project.spooled == []


@pytest.mark.parametrize(("host", "after"), KILLS)
def test_a_killed_turn_is_drained_once_by_the_next_start(
    there: Product, connect: Connect, host: str, after: float
) -> None:
    place = there.place()
    with door(there.url) as before, model("no-such-tool", {}) as fake:
        project = connect("alice", f"{host} killed at {after}", place, address=before.url)
        # Done at once and answered late: the first two are killed when it is there and nobody knows it.
        before.held["/api/v1/captures"] = 1.2
        process = HOSTS[host](project, fake)
        assert until(lambda: project.spooled or process.poll() is not None), shown(project)
        assert project.spooled, shown(project)
        time.sleep(after)
        for number in (process.pid, *processes(project)):
            kill(number)
        process.wait(timeout=30)
        before.held.clear()
        time.sleep(0.1)
        assert len(project.spooled) + len(there.items("captures", folder=place)) >= 1
        run(host, project, fake, "And who watches the queue?")
        assert until(lambda: len(there.items("captures", folder=place)) >= 2 and not project.spooled), shown(project)
    contents = [each["content"] for each in there.captures(place)]
    assert sorted(text.count(PROMPT) for text in contents) == [0, 1]
    assert sorted(text.count("who watches the queue?") for text in contents) == [0, 1]
    assert list(project.home.rglob("*.refused")) == []


def kill(number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def handed_over(there: Product, place: str, words: str) -> bool:
    """Whether these words are in the folder's hand-over by now."""
    found = there.items("search", q=words, location=place)
    return any(item["location"].endswith("HANDOFF.md") for item in found)


def test_two_agents_in_two_hosts_hand_over_and_back(there: Product, connect: Connect) -> None:
    place = there.place()
    scout = connect("alice", "scout hands over", place)
    rover = connect("bob", "rover takes over", place)

    def turn(host: str, project: Project, prompt: str, says: str, count: int) -> Model:
        with model("no-such-tool", {}, says=says) as fake:
            run(host, project, fake, prompt)
        assert len(there.captured(place, count)) == count, shown(project)
        return fake

    turn("claude-code", scout, "How does the import run?", DECIDED, 1)
    assert until(lambda: handed_over(there, place, "background job"), seconds=60)
    given = turn("codex", rover, "Who watches the queue at night?", ANSWERED, 2)
    assert "the import runs as a background job" in prompts(given)[0], shown(rover)
    assert f"{place}/HANDOFF.md" in prompts(given)[0]
    assert until(lambda: handed_over(there, place, "Mallory's team watches the queue"), seconds=60)
    back = turn("claude-code", scout, "Does anybody watch the queue?", DONE, 3)
    assert "team watches the queue at night" in prompts(back)[0], shown(scout)
    # What was handed over is known to have been read by the other's agent.
    readers = {
        (fact["by"]["label"], fact["location"])
        for fact in there.items("receipts", kind="read", location=place)
        if fact["location"].endswith("HANDOFF.md")
    }
    assert {label for label, _ in readers} >= {"rover takes over", "scout hands over"}
