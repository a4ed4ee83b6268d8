"""The merge against git's own."""

import json
import lzma
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.unit.texts import three
from workspace.merge import LINES, merge, merge_text

CASES = Path(os.environ.get("BATON_TEST_DATA", "")) / "merge_cases.jsonl.xz"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def merge_file(folder: Path, base: str, head: str, incoming: str) -> str | None:
    """What git makes of it, or None for a conflict."""
    paths = [folder / name for name in ("head", "base", "incoming")]
    for path, text in zip(paths, (head, base, incoming), strict=True):
        path.write_bytes(text.encode())
    done = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


@settings(deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=three())
def test_a_merge_is_clean_where_git_is_and_gives_the_same_bytes(tmp_path, texts):
    by_git = merge_file(tmp_path, *texts)
    assert merge(*texts, version=LINES).text == by_git
    if by_git is not None:
        assert merge_text(*texts) == by_git


SLIDING = [
    # An inserted block that could stand at either end of an equal line.
    ("a\n\nb\n", "a\n\nx\n\nb\n", "a\n\nb\n\nc\n"),
    ("- a\n- a\n- b\n", "- a\n- a\n- a\n- b\n", "- a\n- a\n- b\n- c\n"),
    # A deletion that could stand elsewhere but faces an insertion.
    ("b\nb\n", "b\n", "a\nb\n"),
    ("}\n\n}\n", "}\n\n}\n\n}\n", "}\n"),
    ("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nc\nD\n"),
    ("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n"),
]


@pytest.mark.parametrize("texts", SLIDING)
def test_blocks_that_can_slide_stand_where_git_puts_them(tmp_path, texts):
    assert merge(*texts, version=LINES).text == merge_file(tmp_path, *texts)


@pytest.mark.skipif(not CASES.is_file(), reason="BATON_TEST_DATA names no folder with merge_cases.jsonl.xz")
def test_real_merges_come_out_as_git_makes_them(tmp_path):
    clean = same = 0
    with lzma.open(CASES, "rt", encoding="utf-8") as rows:
        for case in map(json.loads, rows):
            if case["git"] == "conflict":
                continue
            texts = case["base"], case["ours"], case["theirs"]
            clean += 1
            same += merge_text(*texts) == merge_file(tmp_path, *texts)
    assert same / clean >= 0.995
