"""Listing documents: what lies in a folder, what lies below, page by page."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, code, fields
from workspace.services import documents


@pytest.fixture
def many(cast: Cast) -> list[str]:
    """Seven documents in two folders; their locations in order."""
    made = [f"product/launch/doc{n}.md" for n in range(4)] + [f"product/launch/sub/doc{n}.md" for n in range(3)]
    for location in made:
        documents.create(cast.alice, location=location, content=f"# {location}\n\nSome prose.\n")
    return made


def walk(caller: Caller, path: str) -> list[str]:
    """The locations of all pages."""
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        page = caller.get(path + (f"&cursor={cursor}" if cursor else "")).json()
        found += [item["location"] for item in page["items"]]
        cursor = page["next_cursor"]
    return found


def test_children_are_those_right_in_the_folder(rover: Caller, many: list[str]) -> None:
    items = rover.get("/documents?location=product/launch").json()["items"]
    assert [item["location"] for item in items] == many[:4]
    assert items[0]["title"] == "product/launch/doc0.md"
    assert items[0]["updated_by"]["label"] == "Alice"
    assert items[0]["role"] == "editor"


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_join_to_the_whole(rover: Caller, many: list[str], limit: int) -> None:
    assert walk(rover, f"/documents?recursive=true&limit={limit}") == many
    assert walk(rover, f"/documents?location=product/launch&recursive=true&limit={limit}") == many
    assert walk(rover, f"/documents?location=product/launch&limit={limit}") == many[:4]


def test_a_stranger_sees_no_documents_and_no_folder(mallory: Caller, many: list[str]) -> None:
    assert mallory.get("/documents?recursive=true").json() == {"items": [], "next_cursor": None}
    assert code(mallory.get("/documents?location=product/launch")) == (404, "NOT_FOUND")
    assert code(mallory.get("/documents?location=nowhere")) == (404, "NOT_FOUND")


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.0", "ten", "", "٣"])
def test_a_limit_out_of_bounds_is_refused(scout: Caller, limit: str) -> None:
    response = scout.get(f"/documents?recursive=true&limit={limit}")
    assert code(response) == (422, "INVALID")
    assert fields(response) == ["limit"]


def test_a_cursor_is_good_for_its_own_listing_and_caller_only(scout: Caller, rover: Caller, many: list[str]) -> None:
    cursor = rover.get("/documents?recursive=true&limit=2").json()["next_cursor"]
    for caller, path in (
        (scout, f"/documents?recursive=true&cursor={cursor}"),
        (rover, f"/documents?location=product/launch&cursor={cursor}"),
        (rover, f"/documents?recursive=true&cursor={cursor[:-2]}zz"),
        (rover, "/documents?recursive=true&cursor=%00"),
        (rover, "/documents?recursive=true&cursor=x"),
    ):
        response = caller.get(path)
        assert code(response) == (422, "INVALID")
        assert fields(response) == ["cursor"]


def test_a_folder_is_needed_unless_recursive(scout: Caller) -> None:
    response = scout.get("/documents")
    assert code(response) == (422, "INVALID")
    assert fields(response) == ["location"]


@pytest.mark.parametrize("value", ["1", "True", "yes", ""])
def test_recursive_is_true_or_false(scout: Caller, value: str) -> None:
    assert fields(scout.get(f"/documents?recursive={value}")) == ["recursive"]


def test_type_and_label_narrow(scout: Caller, cast: Cast, many: list[str]) -> None:
    text = "---\ntype: decision\nlabels: [launch]\n---\n# Decided\n"
    documents.create(cast.alice, location="product/launch/decision.md", content=text)
    for narrowing in ("type=decision", "label=launch", "type=decision&label=launch"):
        items = scout.get(f"/documents?{narrowing}").json()["items"]
        assert [item["location"] for item in items] == ["product/launch/decision.md"]
    assert scout.get("/documents?type=decision&label=none").json()["items"] == []


def test_a_list_takes_as_many_queries_for_many_as_for_one(
    scout: Caller, many: list[str], django_assert_num_queries: Any
) -> None:
    scout.get("/me")
    for limit in (1, 100):
        with django_assert_num_queries(3):
            scout.get(f"/documents?location=product/launch&limit={limit}")
        with django_assert_num_queries(2):
            scout.get(f"/documents?recursive=true&limit={limit}")
