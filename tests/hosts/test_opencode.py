"""opencode itself, with Baton's plugin in it."""

import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.conformance.model import Model, model
from tests.conformance.npm import OPENCODE
from tests.hosts.project import Project
from tests.hosts.server import Server
from tests.hosts.test_real_hosts import PROMPT, plain, unpack

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.fixture
def fake() -> Iterator[Model]:
    with model("no-such-tool", {}) as made:
        yield made


def opencode(project: Project, fake: Model) -> "subprocess.CompletedProcess[str]":
    config = project.home / ".config" / "opencode"
    config.mkdir(parents=True)
    unpack("opencode", project, project.home)
    os.rename(project.home / "baton-opencode", config / "plugin")
    provider = {
        "npm": "@ai-sdk/openai",
        "options": {"baseURL": f"{fake.url}/v1", "apiKey": "none"},
        "models": {"fake": {"name": "fake"}},
    }
    (config / "opencode.json").write_text(json.dumps({"provider": {"fake": provider}, "model": "fake/fake"}))
    environment = plain(
        project,
        XDG_CONFIG_HOME=str(project.home / ".config"),
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_MODELS_FETCH="1",
    )
    return subprocess.run(
        [str(OPENCODE.path), "run", PROMPT],
        cwd=project.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def test_the_model_is_given_the_context(project: Project, scripted: Server, fake: Model) -> None:
    done = opencode(project, fake)
    sent = json.dumps(fake.asked)
    assert PROMPT in sent, done.stdout + done.stderr
    assert "The launch is on the second of March." in sent
    assert "attached" in [call.body["stage"] for call in scripted.to("/api/v1/receipts")]


def test_a_required_memory_that_is_not_there_keeps_the_prompt_from_the_model(
    project: Project, scripted: Server, fake: Model
) -> None:
    project.bind(policy="required")
    scripted.answers["/api/v1/context"] = (500, {})
    done = opencode(project, fake)
    assert scripted.to("/api/v1/context")
    assert not [asked for asked in fake.asked if PROMPT in json.dumps(asked) and asked.get("tools")]
    assert "requires it" in done.stdout + done.stderr
