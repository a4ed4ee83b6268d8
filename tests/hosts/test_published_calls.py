"""Calls that plugins of this kind publish in their skills and commands work here as they are written there."""

import re

from tests.cast import Cast
from tests.mcp.calls import Calls
from workspace.hosts.bundles import files
from workspace.jobs import work
from workspace.mcp.tools import TOOLS

PATH = ["product", "launch"]
PLACE = "product/launch/notes.md"


def test_a_published_session_works_from_the_brief_to_the_last_word(cast: Cast) -> None:
    rover, scout = Calls(cast.rover), Calls(cast.scout)
    assert rover.data("brief_me")["cursor"]["head"]
    assert rover.data("browse", action="folders")
    assert rover.data("browse", action="documents", location="product/launch") is not None
    made = rover.data(
        "doc_create", action="document", folder_path=PATH, name="notes.md", content="# Notes\n\nIn June.\n"
    )
    assert (made["location"], made["outcome"]) == (PLACE, "saved")
    found = rover.data("read", location=PLACE)
    assert "In June." in found["content"]
    replaced = rover.data(
        "doc_update",
        action="replace",
        location=PLACE,
        content="# Notes\n\nIn zephyr July.\n",
        expected_commit=found["commit"],
    )
    assert replaced["outcome"] == "saved"
    work.drain(seconds=30)
    (item, *_) = rover.data("search", query="zephyr")["hits"]
    assert item["location"] == PLACE
    assert PLACE in [row["location"] for row in scout.data("brief_me", location="product/launch")["changed"]]


def test_tools_that_the_plugin_names_are_there_with_what_it_gives_them() -> None:
    for name, text in files("claude-code", "https://baton.example.org"):
        if not name.endswith(".md"):
            continue
        for tool in re.findall(r"`([a-z]+(?:_[a-z]+)*)`(?:, action)", text):
            assert tool in TOOLS, (name, tool)
        for tool in re.findall(r"mcp__plugin_baton_baton__(\w+)", text):
            assert tool in TOOLS, (name, tool)
        for tool, action in re.findall(r"`(\w+)`, action `(\w+)`", text):
            assert action in str(TOOLS[tool].listing.input_schema["properties"]["action"]), (name, tool, action)
