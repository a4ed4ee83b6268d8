"""What agents are told of conflicts, compared with what the answers hold."""

import re
from typing import get_args

from tests.mcp.calls import Calls
from workspace.mcp import hunks, shapes
from workspace.mcp.tools import TOOLS
from workspace.mcp.tools.conflict import Word
from workspace.services.skills import RECONCILING

PLACE = "product/launch/plan.md"


def test_the_skill_names_every_choice_and_the_line_that_is_to_be_obeyed() -> None:
    named = set(re.findall(r"^   - (.*)", RECONCILING, flags=re.MULTILINE))
    offered = {word for word in get_args(Word.__value__) if any(line.startswith(f"`{word}`") for line in named)}
    assert offered == set(get_args(Word.__value__))
    assert f"`{shapes.NEXT.strip()}`" in RECONCILING
    assert all(f'"{word}"' in hunks.CHOICES for word in offered)


def test_the_skill_names_only_what_the_tools_take_and_answer(scout: Calls, rover: Calls, first: str) -> None:
    rover.data("doc_update", action="edit", location=PLACE, old_string="second", new_string="third")
    given = {"action": "edit", "location": PLACE, "old_string": "second", "new_string": "fourth"}
    _, data, text = scout.result("doc_update", **given, expected_commit=first)
    words = set(get_args(Word.__value__))
    known = words | set(data) | set(data["hunks"][0]) | set(TOOLS) | {"CONFLICT", "Next call:", '{"text": "…"}'}
    known |= set(TOOLS["conflict"].listing.input_schema["properties"]) | {"discard", "log"}
    assert set(re.findall(r"`([^`]+)`", RECONCILING)) <= known
    # As the skill says, each hunk's choice stands in the call already, and it loses nothing.
    assert text.splitlines()[-1].startswith("Next call: conflict with {")
    assert '"choices": ["both"]' in text.splitlines()[-1]


def test_it_fits_a_model_that_has_other_things_to_read() -> None:
    assert len(RECONCILING.split()) < 600
