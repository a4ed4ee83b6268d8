"""Help says what is so: its tables are compared with the product."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from tests.web.conftest import SignIn
from workspace.web.views.help import FOLDER, TOPICS

ROOT = Path(__file__).resolve().parents[2]


def text(topic: str) -> str:
    return (FOLDER / f"{topic}.md").read_text()


def section(topic: str, title: str) -> str:
    return re.split(r"^## ", text(topic).split(f"## {title}\n", 1)[1], flags=re.MULTILINE)[0]


def first_cells(markdown: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)`", markdown, flags=re.MULTILINE)


def test_every_topic_opens_under_its_title(signed_in: SignIn) -> None:
    carol = signed_in("carol")
    index = carol.get("/help").content.decode()
    for topic in TOPICS:
        answer = carol.get(f"/help/{topic.slug}")
        assert answer.status_code == 200
        assert f"/help/{topic.slug}" in index
        assert "{base}" not in answer.content.decode()

    assert "/help" in carol.get("/").content.decode()
    assert carol.get("/help/nothing").status_code == 404


def test_anchors_that_help_links_to_are_there(signed_in: SignIn) -> None:
    carol = signed_in("carol")
    for topic in TOPICS:
        html = carol.get(f"/help/{topic.slug}").content.decode()
        for slug, anchor in re.findall(r'href="/help/([\w-]+)#([^"]+)"', html):
            assert f'id="{anchor}"' in carol.get(f"/help/{slug}").content.decode(), (topic.slug, slug, anchor)


def test_the_table_of_settings_is_that_of_the_settings() -> None:
    source = (ROOT / "workspace/config/settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*(?:#[^\n]*\n\s*)?"([A-Z_]+)"', source))

    assert "BATON_BODY_BYTES" in read
    assert set(first_cells(section("running", "Settings"))) == read


def test_the_table_of_services_is_that_of_the_settings() -> None:
    source = (ROOT / "workspace/config/sign_in.py").read_text()
    read = set(re.findall(r'"(BATON_[A-Z_]+_(?:URL|NAME|TENANT))"', source))
    for prefix in re.findall(r'_app\(env, "(BATON_[A-Z]+)"', source):
        read |= {f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET"}

    assert len(read) == 15
    assert {name for name in first_cells(section("sign-in", "Other services")) if name.startswith("BATON")} == read


def test_the_table_of_commands_has_each_command_with_its_options() -> None:
    rows = dict(re.findall(r"^\| `(\w+)[^`]*` (\|.*)$", section("running", "Commands"), flags=re.MULTILINE))
    ours = {name for name, app in get_commands().items() if app == "workspace"}
    assert set(rows) == ours

    whole = {row.split("`")[1].split()[0]: row for row in section("running", "Commands").split("\n") if "| `" in row}
    inherited = {"--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color"}
    inherited |= {"--force-color", "--skip-checks", "--help"}
    for name, row in whole.items():
        parser = load_command_class("workspace", name).create_parser("manage.py", name)
        options = {option for option in parser._option_string_actions if option.startswith("--")} - inherited
        assert set(re.findall(r"--[a-z-]+", row)) == options, name


def test_the_table_of_tools_is_that_of_the_server() -> None:
    listed = json.loads((ROOT / "tests/mcp/tools.json").read_text())
    tools = listed["tools"] if isinstance(listed, dict) else listed

    assert first_cells(section("mcp", "Tools")) == [tool["name"] for tool in tools]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\((/api/v1/[\w.]+)", text("rest")))))
def test_addresses_in_help_answer(signed_in: SignIn, name: str) -> None:
    assert signed_in("carol").get(name).status_code == 200
