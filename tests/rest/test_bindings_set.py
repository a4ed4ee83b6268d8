"""Bindings over REST, as a host asks for them; and captures that it only proposes."""

from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast
from tests.rest.conftest import Caller
from workspace.services import captures

PLACE = "product/launch"
SHOP = "github.com/acme/shop"


@pytest.fixture
def browser(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.people["bob"], backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_a_host_binds_finds_and_lets_go(rover: Caller, scout: Caller, plan: str) -> None:
    made = rover.post("/bindings", {"repository": "git@github.com:Acme/Shop.git", "folder": PLACE, "deadline_ms": 900})
    assert made.status_code == 201
    row = made.json()
    assert {name: row[name] for name in row.keys() - {"id", "updated_at"}} == {
        "repository": "github.com/Acme/Shop",
        "folder": PLACE,
        "policy": "optional",
        "deadline_ms": 900,
        "budget_chars": 8000,
        "capture": "off",
        "own": True,
    }
    found = rover.get("/bindings?repository=https://x:y@github.com/acme/shop").json()
    assert found == {"items": [row], "next_cursor": None}
    assert scout.get(f"/bindings?repository={SHOP}").json()["items"] == []
    assert [scout.delete(f"/bindings/{id}").status_code for id in (row["id"], "bnd_x")] == [404, 404]
    assert rover.delete(f"/bindings/{row['id']}").status_code == 204
    assert rover.get("/bindings").json()["items"] == []


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"repository": "/srv/shop", "folder": PLACE}, 422, "repository"),
        ({"repository": SHOP}, 422, "folder"),
        ({"repository": SHOP, "folder": "a//b"}, 422, "folder"),
        ({"repository": SHOP, "folder": PLACE, "deadline_ms": 15_001}, 422, "deadline_ms"),
        ({"repository": SHOP, "folder": PLACE, "policy": "never"}, 422, "policy"),
        ({"repository": SHOP, "folder": PLACE, "capture": "on"}, 422, "capture"),
        ({"repository": SHOP, "folder": "nowhere"}, 404, None),
    ],
)
def test_what_is_wrong_is_named(rover: Caller, plan: str, body: dict[str, Any], status: int, field: str | None) -> None:
    answer = rover.post("/bindings", body)
    assert answer.status_code == status
    if field:
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert rover.get("/bindings?repository=./x").status_code == 422


def test_a_proposal_is_approved_in_the_browser_and_by_no_agent(
    rover: Caller, scout: Caller, browser: Client, cast: Cast, plan: str
) -> None:
    body = {"folder": PLACE, "content": "# Decided\n\n- x", "operation_id": "o", "propose": True}
    made = rover.post("/captures", body)
    assert (made.status_code, made.json()["proposed"]) == (201, True)
    id = made.json()["id"]
    for caller in (rover, scout):
        assert caller.get(f"/captures/{id}").status_code == 404
        assert caller.get("/captures").json()["items"] == []
        assert caller.post(f"/captures/{id}/approve").status_code == 403
        assert caller.delete(f"/captures/{id}").status_code == 404
    (row,) = browser.get("/api/v1/captures?state=proposed").json()["items"]
    assert (row["id"], row["state"]) == (id, "proposed")
    shown = browser.post(f"/api/v1/captures/{id}/approve")
    assert shown.status_code == 201
    assert (shown.json()["state"], shown.json()["approved_by"], shown.json()["may_approve"]) == (
        "captured",
        "Bob",
        False,
    )
    assert scout.get(f"/captures/{id}").json()["approved_by"] == "Bob"
    assert browser.get("/api/v1/captures?state=proposed").json()["items"] == []
    assert rover.get("/captures?state=kept").status_code == 422


def test_a_declined_one_is_gone_for_its_person_too(browser: Client, cast: Cast, plan: str) -> None:
    id = captures.commit(cast.rover, folder=PLACE, content="x", operation_id="o", propose=True).id
    assert browser.delete(f"/api/v1/captures/{id}").status_code == 204
    assert browser.get(f"/api/v1/captures/{id}").json()["content"] == ""
    assert browser.post(f"/api/v1/captures/{id}/approve").status_code == 410
