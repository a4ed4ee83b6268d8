"""What a person who sits before a host reads on its screen when memory is not there."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.model import DONE, Model, model
from tests.conformance.npm import CLAUDE_CODE, CODEX
from tests.conformance.terminal import Terminal
from tests.hosts.programs import PROMPT, claude_environment, codex_environment, prompts, unpack
from tests.hosts.project import Project
from tests.hosts.server import Server

pytestmark = pytest.mark.xdist_group("conformance")


def claude(project: Project, fake: Model) -> tuple[list[str], dict[str, str]]:
    environment = claude_environment(project, fake)
    config = Path(environment["CLAUDE_CONFIG_DIR"])
    config.mkdir()
    # As somebody leaves it who has been asked what it asks when it is new.
    asked = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [environment["ANTHROPIC_API_KEY"]], "rejected": []},
        "projects": {str(project.root): {"hasTrustDialogAccepted": True, "allowedTools": []}},
    }
    (config / ".claude.json").write_text(json.dumps(asked))
    folder = unpack("claude-code", project)
    return [str(CLAUDE_CODE.path), "--plugin-dir", str(folder / "baton"), PROMPT], environment


def codex(project: Project, fake: Model) -> tuple[list[str], dict[str, str]]:
    environment = codex_environment(project, fake)
    config = Path(environment["CODEX_HOME"]) / "config.toml"
    with config.open("a") as file:
        file.write(f'[projects."{project.root}"]\ntrust_level = "trusted"\n')
    return [str(CODEX.path), "--dangerously-bypass-hook-trust", "--no-alt-screen", PROMPT], environment


Screen = Callable[[Project, Model], tuple[list[str], dict[str, str]]]
SCREENS: dict[str, Screen] = {"claude-code": claude, "codex": codex}


@pytest.mark.parametrize("policy", ["optional", "required"])
@pytest.mark.parametrize("host", SCREENS)
def test_the_person_reads_that_memory_was_unavailable_and_what_to_do(
    project: Project, scripted: Server, host: str, policy: str
) -> None:
    project.bind(policy=policy)
    scripted.answers["/api/v1/context"] = (500, {"code": "INTERNAL"})
    with model("no-such-tool", {}) as fake:
        command, environment = SCREENS[host](project, fake)
        terminal = Terminal(command, folder=project.root, environment=environment | {"TERM": "xterm-256color"})
        try:
            terminal.expect(r"Baton: memory was unavailable \(unavailable\): \S+ answered 500")
            terminal.expect(r"baton_hook\.py test` says whether it does")
            if policy == "required":
                terminal.expect("This project requires it")
                # It waits for the next prompt, and asks the model nothing meanwhile.
                terminal.pause(1)
                assert prompts(fake) == []
            else:
                # A screen is drawn in pieces, and blanks are jumped over.
                terminal.expect(r"\s*".join(DONE.split()))
                assert len(prompts(fake)) == 1
        finally:
            terminal.close()
