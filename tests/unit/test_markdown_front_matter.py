"""Front matter is split off exactly and read without trust."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown import front_matter


@LAW
@given(st.text(alphabet="-.a:\n\r [{\"'&*", max_size=60), st.text(max_size=20))
def test_raw_and_body_joined_are_the_text(yaml: str, body: str) -> None:
    text = f"---\n{yaml}\n---\n{body}"
    front = front_matter.split(text)
    assert front.raw + front.body == text


def test_fields_and_the_first_line_of_the_body() -> None:
    front = front_matter.split("---\ntitle: Launch\nlabels: [a, b]\n---\n# Launch\n")
    assert front.fields == {"title": "Launch", "labels": ["a", "b"]}
    assert front.body == "# Launch\n"
    assert front.body_line == 5
    assert front.error is None


@pytest.mark.parametrize(
    "text",
    [
        "# no front matter",
        "",
        "---\nnever closed\n",
        "---\n\n# A page that begins with a rule\n\n---\n",
        "---\nonly prose\n---\n",
        "text\n---\na: b\n---\n",
    ],
)
def test_a_thematic_break_opens_no_front_matter(text: str) -> None:
    front = front_matter.split(text)
    assert (front.fields, front.raw, front.body, front.body_line) == ({}, "", text, 1)


def test_windows_line_ends_and_a_byte_order_mark() -> None:
    front = front_matter.split("\ufeff---\r\ntitle: x\r\n...\r\nbody")
    assert front.fields == {"title": "x"}
    assert (front.body, front.body_line) == ("body", 4)


def test_malformed_yaml_gives_no_fields_and_names_the_line() -> None:
    front = front_matter.split("---\ntitle: [a\nb: c\n---\nbody\n")
    assert front.fields == {}
    assert front.error is not None
    assert "line 3" in front.error
    assert front.body == "body\n"


@pytest.mark.parametrize("value", ["yes", "NO", "on", "12:30", "2026-11-29", "0x1F", "1_000", "010", "1e3", ".inf"])
def test_what_is_typed_as_a_word_stays_a_string(value: str) -> None:
    assert front_matter.split(f"---\nkey: {value}\n---\n").fields == {"key": value}


def test_plain_numbers_booleans_and_nothing() -> None:
    fields = front_matter.split("---\na: 3\nb: -1.5\nc: true\nd:\ne: ~\n---\n").fields
    assert fields == {"a": 3, "b": -1.5, "c": True, "d": None, "e": None}


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        ("a: &x [1]\nb: [*x, *x]", "alias"),
        ("a: " + "[" * 40 + "]" * 40, "nest"),
        ("[" * 30_000, "nest"),
        ("a: " + "x" * 65_536, "64 KiB"),
        ("a: !!python/object/apply:os.system ['true']", "not valid"),
        ("a: !!float nonsense", "not valid"),
        ("? [a, b]\n: c\n? {d: e}\n: f", "not valid"),
    ],
)
def test_yaml_that_could_do_harm_is_refused(yaml: str, reason: str) -> None:
    front = front_matter.split(f"---\n{yaml}\n---\nbody")
    assert front.fields == {}
    assert front.error is not None
    assert reason in front.error


def test_values_are_json_that_postgresql_accepts() -> None:
    fields = front_matter.split('---\na: "x\\0y"\n1: !!binary aGk=\nc: !!set {x, y}\n---\n').fields
    assert fields["a"] == "x\ufffdy"
    assert set(json.loads(json.dumps(fields))) == {"a", "1", "c"}


@LAW
@given(st.text(max_size=30))
def test_any_scalar_can_be_stored(value: str) -> None:
    fields = front_matter.split(f"---\na: {json.dumps(value)}\n---\n").fields
    stored = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
    assert b"\0" not in stored
