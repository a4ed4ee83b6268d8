"""``GET /brief``: what is told, and the cursor that says it was read."""

from urllib.parse import quote

from tests.cast import Cast
from tests.rest.conftest import Caller
from tests.rest.test_context_prepare import code, fields
from workspace.services import documents

PLACE = "product/launch/plan.md"


def test_a_brief_is_told_once(cast: Cast, plan: str, rover: Caller) -> None:
    found = rover.get("/brief").json()
    assert [(one["location"], one["commit"], one["commits"]) for one in found["changed"]] == [(PLACE, plan, 1)]
    assert found["changed"][0]["author"]["person"] == "Alice"
    assert found["cursor"]["since"] is None
    assert [found[kind] for kind in ("claims", "waiting", "resolved_waits", "contested", "captures")] == [[]] * 5
    again = rover.get(f"/brief?ack_through={quote(found['cursor']['head'])}").json()
    assert again["changed"] == []
    assert again["cursor"]["since"] is not None
    documents.append(cast.alice, location=PLACE, content="More.")
    assert [one["commits"] for one in rover.get("/brief").json()["changed"]] == [1]


def test_a_place_narrows_it(cast: Cast, plan: str, rover: Caller, mallory: Caller) -> None:
    documents.create(cast.alice, location="product/launch/other/notes.md", content="Elsewhere.")
    found = rover.get("/brief?location=product/launch/other").json()
    assert [one["location"] for one in found["changed"]] == ["product/launch/other/notes.md"]
    assert code(mallory.get("/brief?location=product/launch")) == (404, "NOT_FOUND")
    assert mallory.get("/brief").json()["changed"] == []


def test_a_cursor_of_another_is_refused_by_name(plan: str, rover: Caller, mallory: Caller) -> None:
    head = mallory.get("/brief").json()["cursor"]["head"]
    for wrong in (head, "x", "null"):
        response = rover.get(f"/brief?ack_through={quote(wrong)}")
        assert (code(response), fields(response)) == ((422, "INVALID"), ["ack_through"])
    assert rover.get("/brief").json()["cursor"]["since"] is None
