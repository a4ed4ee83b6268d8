"""The audit log over REST: filters, pages, and what each caller gets of it."""

import re

import pytest
from django.test import Client

from tests.cast import Cast
from tests.rest.conftest import Caller
from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import Person
from workspace.services import agents, documents

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(cast: Cast) -> Caller:
    """An administrator's agent."""
    person = Person.objects.create_superuser("root@example.org", "x" * 20, name="Root")
    return Caller(agents.create(person_actor(person, via=Via.REST), name="siem").token)


def test_an_entry_says_who_did_what_where_and_in_which_request(cast: Cast, root: Caller, plan: str) -> None:
    scout = Caller(cast.tokens["scout"])
    sent = scout.patch("/documents/product/launch/plan.md", {"append": "x", "reason": "because"})
    [entry] = root.get("/audit?action=document.edited").json()["items"]
    assert re.fullmatch(r"aud_[0-9a-f]{26}", entry["id"])
    assert (entry["action"], entry["denied"], entry["via"]) == ("document.edited", False, "rest")
    assert entry["by"]["kind"] == "agent"
    assert (entry["by"]["label"], entry["by"]["email"]) == ("scout", "alice@example.org")
    assert entry["request_id"] == sent["X-Request-Id"]
    assert entry["address"] == "127.0.0.1"
    assert (entry["location"], entry["reason"]) == ("product/launch/plan.md", "because")
    assert entry["data"] == {"commit": sent.json()["commit"]}
    assert entry["document"] == sent.json()["id"]
    assert entry["subject"] is None


def test_nobody_signed_in_is_null(cast: Cast, root: Caller) -> None:
    Caller("btn_" + "x" * 38).get("/me")
    [entry] = root.get("/audit?denied=true").json()["items"]
    assert entry["by"] is None
    assert entry["action"] == "attempt.unauthenticated"


def test_pages_go_on_where_the_last_one_ended(cast: Cast, root: Caller, plan: str) -> None:
    for n in range(7):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"{n}")
    found, cursor = [], ""
    while True:
        page = root.get(f"/audit?place=product&limit=3{cursor}").json()
        found += [entry["id"] for entry in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(found) == len(set(found)) > 9


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=soon", "from"),
        ("via=air", "via"),
        ("denied=1", "denied"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("cursor=forged", "cursor"),
        ("action=%27", "action"),
        ("person=a%00", "person"),
    ],
)
def test_what_is_wrong_is_named(query: str, field: str, root: Caller) -> None:
    response = root.get(f"/audit?{query}")
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]


def test_a_hidden_place_is_not_found_as_an_absent_one_is(cast: Cast, plan: str) -> None:
    spy = Caller(agents.create(cast.mallory, name="spy").token)
    answers = []
    for place in ("product/launch", "product/lunch"):
        response = spy.get(f"/audit?place={place}")
        body = response.json()
        body.pop("request_id")
        answers.append((response.status_code, body))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_a_person_reads_their_own_in_the_browser_and_an_editor_nothing_of_others(cast: Cast, plan: str) -> None:
    browser = Client()
    browser.force_login(cast.people["bob"], backend="allauth.account.auth_backends.AuthenticationBackend")
    documents.append(cast.bob, location="product/launch/plan.md", content="x")
    items = browser.get("/api/v1/audit").json()["items"]
    assert {entry["by"]["email"] for entry in items} == {"bob@example.org"}
    assert "document.edited" in [entry["action"] for entry in items]
    assert Client().get("/api/v1/audit").status_code == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_no_call_changes_the_log(method: str, root: Caller) -> None:
    assert root(method, "/audit", {}).status_code == 405
