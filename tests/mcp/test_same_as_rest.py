"""What both programs' surfaces tell of one thing is the same text."""

import json
from typing import Any

from django.test import Client

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.mcp.conftest import PLACE


def rest(cast: Cast, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {cast.tokens['scout']}"}
    sent = json.dumps(body).encode() if body else b""
    response = Client().generic(method, f"/api/v1{path}", sent, content_type="application/json", headers=headers)
    assert response.status_code == 200, response.content
    return dict(response.json())


def test_a_write_result_is_the_same(cast: Cast, scout: Calls, first: str) -> None:
    there = scout.data("doc_update", action="edit", location=PLACE, old_string="second", new_string="third")
    unchanged = rest(cast, "PATCH", f"/documents/{PLACE}", {"old_string": "third", "new_string": "third"})
    assert unchanged == there | {"outcome": "unchanged"}


def test_times_and_citations_of_a_part_are_the_same(cast: Cast, scout: Calls, first: str) -> None:
    here = rest(cast, "GET", f"/documents/{PLACE}?offset=15&limit=4")
    there = scout.data("read", location=PLACE, offset=15, max_bytes=4)
    for field in ("content", "committed_at", "citation", "web_url", "commit"):
        assert here[field] == there[field], field
