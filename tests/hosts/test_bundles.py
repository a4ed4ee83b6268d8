"""What a host downloads is whole, holds this instance's address, and runs."""

import ast
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from tests.hosts.project import HANDLER, Project
from tests.hosts.server import TEXT, Server
from workspace.hosts.bundles import WHERE, bundle, files

ADDRESS = "https://baton.example.org"


@pytest.mark.parametrize("host", WHERE)
def test_a_bundle_is_served_to_anybody_with_the_address_in_it(settings: object, host: str) -> None:
    settings.BATON_BASE_URL = ADDRESS  # type: ignore[attr-defined]
    answer = Client().get(f"/connect/{host}.zip")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert ADDRESS in everything
    assert "@BATON_ADDRESS@" not in everything


@pytest.mark.parametrize("path", ["/connect/emacs.zip", "/connect/..zip", "/connect/claude-code"])
def test_there_is_no_other_bundle(path: str) -> None:
    assert Client().get(path).status_code in (302, 404)


@pytest.mark.parametrize("address", ['https://x"; import os', "javascript:x", "https://a b", ""])
def test_an_address_that_could_end_a_string_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is not the address"):
        bundle("codex", address)


@pytest.mark.parametrize("host", WHERE)
def test_the_same_address_gives_the_same_bytes(host: str) -> None:
    assert bundle(host, ADDRESS) == bundle(host, ADDRESS)


@pytest.mark.parametrize("host", WHERE)
def test_every_manifest_is_json_and_every_hook_has_a_limit_above_the_handlers_own(host: str) -> None:
    content = dict(files(host, ADDRESS))
    for name, text in content.items():
        if name.endswith(".json"):
            json.loads(text)
    if host == "opencode":
        return  # a program, with a limit of its own
    (manifest,) = (text for name, text in content.items() if name.endswith("hooks.json"))
    unit = 1_000 if host == "gemini" else 1
    for event, entries in json.loads(manifest)["hooks"].items():
        for hook in entries[0]["hooks"]:
            assert hook["timeout"] > (0 if event == "SessionEnd" else 15 * unit)


def test_claude_code_takes_the_commit_for_the_plugins_version() -> None:
    # Under a version of its own it would never take up what the instance serves later.
    manifests = [json.loads(text) for name, text in files("claude-code", ADDRESS) if ".claude-plugin/" in name]
    assert len(manifests) == 2
    assert not any("version" in each for each in (*manifests, *manifests[0].get("plugins", ())))


def test_skills_have_names_and_descriptions_and_are_short() -> None:
    skills = {name: text for name, text in files("claude-code", ADDRESS) if name.endswith("SKILL.md")}
    assert len(skills) == 7
    for name, text in skills.items():
        assert re.match(r"---\nname: ([a-z-]+)\ndescription: .{20,}\n---\n", text), name
        assert len(text.split()) <= 500


def test_the_researcher_has_read_tools_only() -> None:
    (text,) = (text for name, text in files("claude-code", ADDRESS) if "researcher" in name)
    tools = re.findall(r"mcp__plugin_baton_baton__(\w+)", text)
    assert set(tools) == {"brief_me", "browse", "read", "search", "history", "context", "revalidate"}


def test_the_handler_is_python_of_3_9() -> None:
    ast.parse(HANDLER.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_an_unpacked_handler_asks_the_instance_that_it_came_from(
    project: Project, scripted: Server, tmp_path: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle("claude-code", scripted.url))) as archive:
        archive.extractall(tmp_path / "plug in")
    project.handler = tmp_path / "plug in" / "baton-claude-code" / WHERE["claude-code"]
    project.address = ""
    assert project.prompt().injected == TEXT
