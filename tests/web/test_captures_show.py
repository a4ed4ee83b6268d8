"""Captures and jobs, as people see them."""

import pytest

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.models import Job, JobKind, JobState
from workspace.services import captures

TEXT = "# Session\n\n## Decided\n\n- The import runs behind the queue.\n\npassword = hunter2hunter2\n"


@pytest.fixture
def capture(cast: Cast) -> str:
    """Scout's capture in ``product/launch``."""
    return captures.commit(
        cast.scout, folder="product/launch", content=TEXT, operation_id="op-1", host="claude-code", event="session-end"
    ).id


def test_a_reader_of_the_folder_sees_what_was_handed_off(signed_in: SignIn, capture: str) -> None:
    carol = signed_in("carol")
    html = carol.get(f"/captures/{capture}").content.decode()

    assert "Handed off by scout" in html
    assert "The import runs behind the queue." in html
    assert capture in carol.get("/captures?folder=product/launch").content.decode()
    assert capture in carol.get("/f/product/launch").content.decode()
    assert capture in carol.get("/").content.decode()


def test_a_stranger_sees_nothing_of_it(signed_in: SignIn, capture: str) -> None:
    mallory = signed_in("mallory")

    assert mallory.get(f"/captures/{capture}").status_code == 404
    assert mallory.get("/captures?folder=product/launch").status_code == 422
    assert capture not in mallory.get("/captures").content.decode()
    assert mallory.post(f"/captures/{capture}/erase").status_code == 404


def test_an_erased_capture_keeps_only_the_fact(signed_in: SignIn, capture: str) -> None:
    alice = signed_in("alice")
    assert "Erase" in alice.get(f"/captures/{capture}").content.decode()
    assert alice.post(f"/captures/{capture}/erase").status_code == 302
    html = alice.get(f"/captures/{capture}").content.decode()

    assert "behind the queue" not in html
    assert "erased" in html


def test_a_reader_is_not_offered_to_erase(signed_in: SignIn, capture: str) -> None:
    carol = signed_in("carol")

    assert "/erase" not in carol.get(f"/captures/{capture}").content.decode()
    assert carol.post(f"/captures/{capture}/erase").status_code == 403


def test_a_job_that_gave_up_is_retried_by_one_click(signed_in: SignIn, capture: str) -> None:
    job = Job.objects.get(kind=JobKind.SUMMARISE, target=capture)
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED, last_error="The engine did not answer.")
    bob, carol = signed_in("bob"), signed_in("carol")

    assert "The engine did not answer." in bob.get("/jobs?state=failed").content.decode()
    assert f"/jobs/{job.pk}/retry" not in carol.get("/jobs").content.decode()
    assert carol.post(f"/jobs/{job.pk}/retry").status_code == 403
    assert bob.post(f"/jobs/{job.pk}/retry").status_code == 302
    assert Job.objects.filter(kind=JobKind.SUMMARISE, target=capture, state=JobState.PENDING).exists()
