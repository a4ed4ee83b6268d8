"""The page on merging says what the merge does: its tables are compared with the code."""

import re
from typing import get_args

import pytest

from tests.web.conftest import SignIn
from workspace.merge import Rule
from workspace.rest.problems import WORDS
from workspace.services.skills import RECONCILING
from workspace.web.views import help as views


def first_cells(title: str) -> list[str]:
    text = (views.FOLDER / "merging.md").read_text()
    part = text.split(f"## {title}\n", 1)[1].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)`", part, flags=re.MULTILINE)


def test_every_rule_that_a_commit_may_name_is_explained() -> None:
    assert sorted(first_cells("What is merged by itself")) == sorted(get_args(Rule.__value__))


def test_every_choice_is_explained() -> None:
    assert first_cells("What is a conflict") == [*WORDS, '{"text": "…"}']


@pytest.mark.parametrize(("days", "said"), [(90, "kept for 90 days"), (1, "kept for a day"), (0, "kept for ever")])
def test_it_says_how_long_a_draft_is_kept(
    signed_in: SignIn, settings: pytest.FixtureRequest, days: int, said: str
) -> None:
    settings.BATON_CONFLICT_DAYS = days  # type: ignore[attr-defined]
    views._rendered.cache_clear()
    html = signed_in("carol").get("/help/merging").content.decode()
    views._rendered.cache_clear()
    assert said in html
    assert RECONCILING.splitlines()[0].split("`")[-1].strip(" ,.") in html
