"""Search: passages with citations, of what the caller may see."""

from urllib.parse import quote

import pytest

from tests.rest.conftest import Caller, code, fields


def test_a_document_is_found_by_its_title_before_it_is_indexed(carol: Caller, plan: str) -> None:
    hit = carol.get("/search?q=Launch%20plan").json()["items"][0]
    assert hit["location"] == "product/launch/plan.md"
    assert hit["citation"].startswith(f"product/launch/plan.md@{plan}")
    assert hit["author"]["label"] == "Alice"


def test_a_stranger_finds_nothing(mallory: Caller, plan: str) -> None:
    assert mallory.get("/search?q=launch").json() == {"items": [], "next_cursor": None}
    assert code(mallory.get("/search?q=launch&location=product/launch")) == (404, "NOT_FOUND")


@pytest.mark.parametrize("q", ["", "???", " ", "%", "'; --"])
def test_a_query_without_a_word_finds_nothing(carol: Caller, plan: str, q: str) -> None:
    response = carol.get(f"/search?q={quote(q)}")
    assert response.status_code in (200, 422)
    if response.status_code == 200:
        assert response.json()["items"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "q"),
        ("q=%00", "q"),
        ("q=%ff", "q"),
        ("q=a&mode=magic", "mode"),
        ("q=a&limit=0", "limit"),
        ("q=a&limit=101", "limit"),
        ("q=a&location=a//b", "location"),
    ],
)
def test_a_wrong_parameter_is_named(carol: Caller, plan: str, query: str, field: str) -> None:
    response = carol.get(f"/search?{query}")
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


@pytest.mark.parametrize("mode", ["auto", "text", "titles"])
@pytest.mark.parametrize("letter", ["x", "é", "漢"])
def test_a_word_as_long_as_a_query_may_be_finds_nothing(carol: Caller, plan: str, mode: str, letter: str) -> None:
    response = carol.get(f"/search?q={quote(letter * 4_000)}&mode={mode}")
    assert response.status_code == 200
    assert response.json()["items"] == []
