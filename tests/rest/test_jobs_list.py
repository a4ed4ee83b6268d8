"""Background work and receipts: shown to whoever may read what they are about."""

import pytest

from tests.cast import Cast
from tests.rest.conftest import Caller, code, fields
from workspace.models import Job


def test_the_work_that_a_write_needs_is_listed_with_its_place(carol: Caller, mallory: Caller, plan: str) -> None:
    (job,) = carol.get("/jobs?kind=index&state=pending").json()["items"]
    assert (job["kind"], job["state"], job["location"]) == ("index", "pending", "product/launch/plan.md")
    assert mallory.get("/jobs").json()["items"] == []


@pytest.mark.parametrize("query", ["state=lost", "kind=other", "limit=0", "cursor=x", "state="])
def test_a_wrong_filter_is_named(scout: Caller, query: str) -> None:
    response = scout.get(f"/jobs?{query}")
    assert code(response) == (422, "INVALID")
    assert fields(response) == [query.partition("=")[0]]


def test_an_editor_has_a_failed_job_tried_again(
    rover: Caller, carol: Caller, mallory: Caller, cast: Cast, plan: str
) -> None:
    job = Job.objects.get(document__name="plan.md")
    Job.objects.filter(pk=job.pk).update(state="failed", last_error="It broke.")
    assert rover.get("/jobs?state=failed").json()["items"][0]["may_retry"] is True
    assert carol.get("/jobs?state=failed").json()["items"][0]["may_retry"] is False
    path = f"/jobs/{job.pk}/retry"
    assert code(mallory.post(path)) == (404, "NOT_FOUND")
    assert code(carol.post(path)) == (403, "FORBIDDEN")
    assert rover.post(path).status_code == 204
    assert rover.get("/jobs?state=failed").json()["items"] == []
    assert len(rover.get("/jobs?state=pending").json()["items"]) == 1


def test_receipts_tell_what_was_written_and_by_whom(rover: Caller, carol: Caller, mallory: Caller, plan: str) -> None:
    made = rover.patch("/documents/product/launch/plan.md", {"append": "x"}, Baton_Session="s-1").json()
    (receipt,) = carol.get("/receipts?session=s-1").json()["items"]
    assert (receipt["kind"], receipt["commit"], receipt["via"]) == ("written", made["commit"], "rest")
    assert (receipt["by"]["label"], receipt["by"]["person"]) == ("rover", "Bob")
    assert receipt["location"] == "product/launch/plan.md"
    assert len(carol.get("/receipts?location=product/launch&kind=written").json()["items"]) == 2
    assert mallory.get("/receipts?kind=written").json()["items"] == []


def test_a_read_leaves_one_receipt_however_often(carol: Caller, scout: Caller, plan: str) -> None:
    for _ in range(3):
        carol.get("/documents/product/launch/plan.md")
    (receipt,) = scout.get("/receipts?kind=read").json()["items"]
    assert (receipt["by"]["person"], receipt["commit"]) == ("Carol", plan)


def test_receipts_come_page_by_page(scout: Caller, plan: str) -> None:
    scout.patch("/documents/product/launch/plan.md", {"append": "x"})
    whole = scout.get("/receipts").json()["items"]
    assert len(whole) > 3
    found, cursor = [], ""
    while cursor is not None:
        page = scout.get("/receipts?limit=2" + (f"&cursor={cursor}" if cursor else "")).json()
        found += page["items"]
        cursor = page["next_cursor"]
    assert found == whole


@pytest.mark.parametrize("query", ["kind=other", "limit=101", "location=a//b"])
def test_a_wrong_filter_of_receipts_is_named(scout: Caller, query: str) -> None:
    assert fields(scout.get(f"/receipts?{query}")) == [query.partition("=")[0]]
