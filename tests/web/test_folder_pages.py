"""A folder's settings and its activity."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.jobs import work
from workspace.models import Capture, Document, Folder
from workspace.services import captures, documents, sharing

PLACE = "product/launch"
SETTINGS = f"/settings/{PLACE}"


def retention() -> int | None:
    return Folder.objects.get(path=PLACE).retention_days


@pytest.fixture
def old_capture(cast: Cast) -> str:
    """Scout's capture, forty days old."""
    made = captures.commit(cast.scout, folder=PLACE, content="## Decided\n\n- Wait.\n", operation_id="op-1").id
    Capture.objects.filter(pk=made).update(created_at=timezone.now() - timedelta(days=40))
    return made


def test_a_manager_sets_how_long_captures_are_kept(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    assert SETTINGS in alice.get(f"/f/{PLACE}").content.decode()

    assert alice.post(SETTINGS, {"retention_days": "30"}).status_code == 302
    assert retention() == 30
    assert 'value="30"' in alice.get(SETTINGS).content.decode()
    assert "kept 30 days" in alice.get(f"/f/{PLACE}").content.decode()
    assert alice.post(SETTINGS, {"retention_days": ""}).status_code == 302
    assert retention() is None


def test_what_would_be_erased_at_once_is_told_and_has_to_be_confirmed(signed_in: SignIn, old_capture: str) -> None:
    alice = signed_in("alice")
    assert alice.post(SETTINGS, {"retention_days": "41"}).status_code == 302
    asked = alice.post(SETTINGS, {"retention_days": "30"})

    assert "1 capture is older than 30 days already" in asked.content.decode()
    assert retention() == 41
    # A confirmation is for the days that were told, not for others typed over them.
    assert alice.post(SETTINGS, {"retention_days": "20", "confirmed": "30"}).status_code == 200
    assert retention() == 41
    assert alice.post(SETTINGS, {"retention_days": "30", "confirmed": "30"}).status_code == 302
    assert retention() == 30


@pytest.mark.parametrize("days", ["0", "-1", "36501", "soon", "1.5"])
def test_other_values_are_refused_at_their_field(signed_in: SignIn, cast: Cast, days: str) -> None:
    answer = signed_in("alice").post(SETTINGS, {"retention_days": days})

    assert answer.status_code == 422
    assert 'id="id_retention_days_error"' in answer.content.decode()
    assert retention() is None


@pytest.mark.parametrize(("name", "status"), [("bob", 403), ("carol", 403), ("mallory", 404)])
def test_only_managers_have_settings(signed_in: SignIn, cast: Cast, name: str, status: int) -> None:
    browser = signed_in(name)

    assert browser.get(SETTINGS).status_code == status
    assert browser.post(SETTINGS, {"retention_days": "1"}).status_code == status
    assert SETTINGS not in browser.get(f"/f/{PLACE}").content.decode()
    assert retention() is None


def test_activity_says_who_did_what_and_where(signed_in: SignIn, cast: Cast, plan: str, old_capture: str) -> None:
    documents.edit(
        cast.bob,
        location=f"{PLACE}/plan.md",
        content="# New\n",
        expected_commit=plan,
        message="New goals",
        reason="It was old",
    )
    sharing.grant(cast.alice, location=PLACE, subject="mallory@example.org", role="viewer")
    html = signed_in("carol").get(f"/activity/{PLACE}").content.decode()

    for words in (
        "New goals",
        "It was old",
        "captured a session in",
        "with mallory@example.org as viewer",
        "made the folder",
    ):
        assert words in html
    assert f"/captures/{old_capture}" in html
    assert f"/d/{PLACE}/plan.md?at={plan}" in html
    assert "mark-agent" in html


def test_activity_comes_in_parts_and_only_of_what_one_may_read(signed_in: SignIn, cast: Cast) -> None:
    for n in range(55):
        documents.create(cast.alice, location=f"{PLACE}/n{n}.md", content="x\n")
    documents.create(cast.alice, location="product/secret/s.md", content="x\n")
    html = signed_in("alice").get("/activity/product").content.decode()

    assert "product/secret/s.md" in html
    assert "cursor=" in html
    assert "secret" not in signed_in("carol").get(f"/activity/{PLACE}").content.decode()
    assert signed_in("mallory").get(f"/activity/{PLACE}").status_code == 404


@pytest.mark.parametrize("name", ["HANDOFF.md", "handoff.md"])
def test_the_page_that_captures_are_woven_into_is_the_folders_cover(signed_in: SignIn, cast: Cast, name: str) -> None:
    documents.create(cast.bob, location=f"{PLACE}/{name}", content="# Ours\n\nKept by hand.\n")
    captures.commit(cast.scout, folder=PLACE, content="## Decided\n\n- Wait for the printers.\n", operation_id="op-1")
    work.drain(seconds=30)
    assert documents_in(PLACE) == [name]
    response = signed_in("carol").get(f"/f/{PLACE}")
    assert "Kept by hand." in response.context["handoff_html"]
    assert "Wait for the printers." in response.context["handoff_html"]
    assert response.context["rows"] == []


def documents_in(place: str) -> list[str]:
    return list(Document.objects.live().filter(folder__path=place).values_list("name", flat=True))
