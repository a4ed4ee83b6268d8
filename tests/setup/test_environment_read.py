"""Settings: typed, from files too, and refused by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.instance import NOT_INHERITED, ROOT
from workspace.config.environment import Environment, WrongValue


def env(**variables: str) -> Environment:
    return Environment(variables=variables)


def test_an_absent_and_an_empty_variable_give_the_default() -> None:
    assert env().text("A", "x") == env(A="").text("A", "x") == "x"


def test_a_value_may_lie_in_a_file_and_loses_its_last_line_break(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(" s e c \n\n")
    assert env(A_FILE=str(tmp_path / "secret")).text("A") == " s e c "


def test_a_variable_and_its_file_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match="A and A_FILE"):
        env(A="1", A_FILE=str(tmp_path)).text("A")


def test_a_file_that_cannot_be_read_is_refused_by_the_variable_that_named_it(tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match=r"^A_FILE takes"):
        env(A_FILE=str(tmp_path / "none")).text("A")


@pytest.mark.parametrize("text", ["0", "11", "3.5", "many", "-1", "1e3", "٣x"])
def test_a_number_outside_its_range_is_refused_with_the_range(text: str) -> None:
    with pytest.raises(WrongValue, match="A takes a whole number from 1 to 10"):
        env(A=text).integer("A", 5, least=1, most=10)


@pytest.mark.parametrize("text", ["nan", "inf", "-0.1", "x"])
def test_seconds_are_finite(text: str) -> None:
    with pytest.raises(WrongValue, match="A takes a number of seconds"):
        env(A=text).seconds("A", 1.0)


@pytest.mark.parametrize("text", ["ftp://x", "x", "//x", "http://[", "http://x:port", "http://x:99999"])
def test_an_address_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(WrongValue, match="A takes an address that starts with http://"):
        env(A=text).url("A", ("http", "https"))


def test_a_refusal_never_repeats_the_value() -> None:
    with pytest.raises(WrongValue) as caught:
        env(KEY="hunter2").choice("KEY", ("a", "b"), "a")
    assert "hunter2" not in str(caught.value)
    assert "a, b" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BATON_BASE_URL", "ftp://example.org"),
        ("BATON_BASE_URL", "https://example.org/path"),
        ("BATON_SECRET_KEY", "short"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("DATABASE_URL", "postgresql://localhost"),
        ("CELERY_BROKER_URL", "sqs://"),
        ("BATON_SUMMARIZER", "gpt"),
        ("BATON_EMBEDDINGS", "gpt"),
        ("BATON_SIGNUP", "perhaps"),
        ("BATON_EMAIL_URL", "pop3://x"),
        ("BATON_DATA", "/proc/nowhere"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_its_name_and_no_trace(name: str, value: str, folder: Path) -> None:
    kept = {key: text for key, text in os.environ.items() if key not in NOT_INHERITED}
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**kept, "BATON_DATA": str(folder), name: value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"baton: {name} takes ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("address", "missing"), [("https", ()), ("http", ("W004", "W012", "W016"))])
def test_the_deployment_check_warns_of_what_is_missing_and_of_nothing_else(
    address: str, missing: tuple[str, ...], folder: Path
) -> None:
    kept = {key: text for key, text in os.environ.items() if key not in NOT_INHERITED}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env={**kept, "BATON_DATA": str(folder), "BATON_BASE_URL": f"{address}://baton.example.org"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert tuple(re.findall(r"^\?: \(\w+\.(W\d+)\)", done.stderr, re.M)) == missing, done.stderr
