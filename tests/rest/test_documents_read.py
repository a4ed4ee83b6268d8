"""Reading a document: the text, where it comes from, and what is told to whom."""

import hashlib
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.cast import PLAN, Cast
from tests.rest.conftest import Caller, agent_of, code, fields
from workspace.services import documents

PATH = "/documents/product/launch/plan.md"


def test_a_document_tells_its_text_and_where_it_comes_from(scout: Caller, plan: str) -> None:
    response = scout.get(PATH)
    found = response.json()
    assert response["ETag"] == f'"{plan}"'
    assert found["content"] == PLAN
    assert found["commit"] == found["head_commit"] == plan
    assert found["author"]["kind"] == "person"
    assert found["author"]["email"] == "alice@example.org"
    assert found["citation"] == f"product/launch/plan.md@{plan}"
    assert found["web_url"].endswith("/d/product/launch/plan.md")
    assert found["abilities"]["role"] == "manager"
    assert (found["truncated"], found["next_offset"]) == (False, None)
    assert response["Cache-Control"] == "private, no-cache"
    assert response["Vary"] == "Authorization, Cookie"


@pytest.mark.parametrize("sent", ['"{0}"', 'W/"{0}"', '"other", "{0}"', "*"])
def test_what_the_caller_has_already_is_not_sent_again(scout: Caller, plan: str, sent: str) -> None:
    response = scout.get(PATH, If_None_Match=sent.format(plan))
    assert response.status_code == 304
    assert response.content == b""
    assert response["ETag"] == f'"{plan}"'
    assert not response.has_header("Content-Type")


def test_an_etag_of_another_commit_is_answered_in_full(scout: Caller, plan: str) -> None:
    assert scout.get(PATH, If_None_Match=f'"{"0" * 64}"').status_code == 200


def test_head_has_the_headers_of_get_and_no_body(scout: Caller, plan: str) -> None:
    whole, head = scout.get(PATH), scout("HEAD", PATH)
    assert head.status_code == 200
    assert head.content == b""
    assert head["ETag"] == whole["ETag"]
    assert head["Content-Length"] == whole["Content-Length"]


def test_options_names_the_methods_and_tells_nothing_of_the_document(scout: Caller, mallory: Caller) -> None:
    there, hidden = scout("OPTIONS", PATH), mallory("OPTIONS", "/documents/product/none.md")
    assert there.status_code == hidden.status_code == 204
    assert there["Allow"] == hidden["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"


def test_a_pinned_read_is_that_version_for_ever(scout: Caller, cast: Cast, plan: str) -> None:
    documents.append(cast.alice, location="product/launch/plan.md", content="New.")
    found = scout.get(f"{PATH}?at={plan[:8]}").json()
    assert (found["commit"], found["content"]) == (plan, PLAN)
    assert found["head_commit"] != plan
    assert found["web_url"].endswith(f"?at={plan}")


def test_ranges_join_to_the_whole_and_split_no_character(scout: Caller, cast: Cast) -> None:
    text = "héllo wörld — 日本語 🎈\r\nend"
    documents.create(cast.alice, location="product/launch/utf.md", content=text)
    pieces, offset = "", 0
    while offset is not None:
        found = scout.get(f"/documents/product/launch/utf.md?offset={offset}&limit=3").json()
        assert found["truncated"] is (found["next_offset"] is not None)
        pieces, offset = pieces + found["content"], found["next_offset"]
    assert pieces == text


def test_a_part_is_cited_by_its_lines(scout: Caller, plan: str) -> None:
    whole = f"product/launch/plan.md@{plan}"
    for asked, span in (("lines=5-7", "#L5-L7"), ("lines=3", "#L3"), ("offset=15&limit=4", "#L3"), ("at=" + plan, "")):
        found = scout.get(f"{PATH}?{asked}").json()
        assert found["citation"] == whole + span, asked
        assert found["web_url"].endswith(f"/d/product/launch/plan.md?at={plan}{span}"), asked
    nothing = scout.get(f"{PATH}?offset={len(PLAN.encode())}").json()
    assert (nothing["content"], nothing["citation"]) == ("", whole)


def test_lines_are_counted_from_one(scout: Caller, plan: str) -> None:
    found = scout.get(f"{PATH}?lines=5-7").json()
    assert found["content"] == "".join(PLAN.splitlines(keepends=True)[4:7])
    assert (found["start_line"], found["end_line"]) == (5, 7)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("offset=-1", "offset"),
        ("offset=1.5", "offset"),
        ("offset=x", "offset"),
        ("offset=99999999999999999999", "offset"),
        ("limit=0", "limit"),
        ("limit=", "limit"),
        ("lines=7-5", "lines"),
        ("lines=0", "lines"),
        ("lines=abc", "lines"),
        ("at=xyz", "at"),
        ("at=abc", "at"),
        ("at=%00", "at"),
        ("at=%ff", "at"),
    ],
)
def test_a_wrong_parameter_is_named(scout: Caller, plan: str, query: str, field: str) -> None:
    response = scout.get(f"{PATH}?{query}")
    assert code(response) == (422, "INVALID")
    assert fields(response) == [field]


def test_a_deleted_document_is_gone_and_readable_at_a_commit(scout: Caller, cast: Cast, plan: str) -> None:
    documents.delete(cast.alice, location="product/launch/plan.md")
    assert code(scout.get(PATH)) == (410, "GONE")
    assert scout.get(f"{PATH}?at={plan}").json()["content"] == PLAN


def told(response: Any) -> tuple[int, dict[str, str], bytes]:
    """All that an answer tells, without the request's own name."""
    name = response["X-Request-Id"]
    headers = {k: v for k, v in response.headers.items() if k != "X-Request-Id"}
    return response.status_code, headers, response.content.replace(name.encode(), b"")


CALLS: list[tuple[str, str, Any, dict[str, str]]] = [
    ("GET", "/documents/{0}", None, {}),
    ("GET", "/documents/{0}?at=1234567", None, {}),
    ("GET", "/documents/{0}?lines=1", None, {"If_None_Match": "*"}),
    ("HEAD", "/documents/{0}", None, {}),
    ("PUT", "/documents/{0}", {"content": "x"}, {"If_Match": '"1234567"'}),
    ("PATCH", "/documents/{0}", {"append": "x"}, {}),
    ("PATCH", "/documents/{0}", {"old_string": "x", "new_string": "y"}, {"Idempotency_Key": "{1}"}),
    ("DELETE", "/documents/{0}", None, {"If_Match": "*"}),
    ("POST", "/undeletes", {"location": "{0}"}, {}),
    ("POST", "/moves", {"from": "{0}", "to": "mine/x.md"}, {}),
    ("POST", "/restores", {"location": "{0}", "commit": "1234567"}, {}),
    ("GET", "/commits?location={0}", None, {}),
    ("GET", "/diff?location={0}", None, {}),
    ("GET", "/blame?location={0}", None, {}),
    ("GET", "/conflicts?location={0}", None, {}),
    ("GET", "/grants?location={0}", None, {}),
    ("GET", "/access?location={0}", None, {}),
    ("POST", "/grants", {"location": "{0}", "subject": "bob@example.org", "role": "viewer"}, {}),
    ("DELETE", "/grants?location={0}&subject=bob@example.org", None, {}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]} {call[1]}")
def test_hidden_and_absent_are_the_same_bytes_after_the_same_queries(
    mallory: Caller, cast: Cast, plan: str, call: tuple[str, str, Any, dict[str, str]]
) -> None:
    method, path, body, headers = call
    mallory.get("/me")  # the first request of a minute records that the agent was seen
    answers, counts = [], []
    for n, location in enumerate(("product/launch/plan.md", "product/launch/none.md", "nowhere/at/all.md")):
        sent = {k: v.replace("{0}", location) if isinstance(v, str) else v for k, v in (body or {}).items()}
        named = {k: v.replace("{1}", f"key-{n}") for k, v in headers.items()}
        with CaptureQueriesContext(connection) as queries:
            response = mallory(method, path.format(location), sent if body else None, **named)
        answers.append(told(response))
        counts.append(len(queries))
    assert answers[0][0] == 404
    assert answers[0] == answers[1] == answers[2]
    assert counts[0] == counts[1] == counts[2]


def test_hidden_and_absent_ids_are_the_same_bytes_after_the_same_queries(
    mallory: Caller, scout: Caller, rover: Caller, plan: str
) -> None:
    scout.put(PATH, {"content": "Theirs."}, If_Match=f'"{plan}"')
    conflict = rover.put(PATH, {"content": "Mine."}, If_Match=f'"{plan}"').json()["conflict_id"]
    note = {"folder": "product/launch", "content": "Asked: x.", "operation_id": "o"}
    capture = scout.post("/captures", note).json()["id"]
    job = scout.get("/jobs").json()["items"][0]["id"]
    mallory.get("/me")
    for method, path, body, ids in (
        ("GET", "/commits/{}", None, (plan, hashlib.sha256(b"none").hexdigest())),
        ("GET", "/conflicts/{}", None, (conflict, "cfl_none")),
        ("DELETE", "/conflicts/{}", None, (conflict, "cfl_none")),
        ("POST", "/conflicts/{}/resolution", {"content": "x"}, (conflict, "cfl_none")),
        ("GET", "/captures/{}", None, (capture, "cap_none")),
        ("DELETE", "/captures/{}", None, (capture, "cap_none")),
        ("POST", "/jobs/{}/retry", None, (job, "job_none")),
    ):
        answers, counts = [], []
        for one in ids:
            with CaptureQueriesContext(connection) as queries:
                answers.append(told(mallory(method, path.format(one), body)))
            counts.append(len(queries))
        assert answers[0] == answers[1], path
        assert answers[0][0] == 404, path
        assert counts[0] == counts[1], (method, path)


def test_an_agent_narrowed_to_another_place_sees_nothing_here(cast: Cast, plan: str) -> None:
    narrowed = agent_of(cast, "alice", "viewer@product/launch")
    assert narrowed.get(PATH).json()["abilities"]["role"] == "viewer"
    documents.create(cast.alice, location="product/other/a.md", content="x")
    assert code(narrowed.get("/documents/product/other/a.md")) == (404, "NOT_FOUND")


def test_a_read_takes_a_fixed_number_of_queries(scout: Caller, plan: str, django_assert_num_queries: Any) -> None:
    scout.get(PATH)
    with django_assert_num_queries(2):  # the token, and the document with its text; the first read was noted
        scout.get(PATH)
    with django_assert_num_queries(2):
        scout.get(PATH, If_None_Match="*")
