"""What no message told of is found by the sweep."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from celery import Celery, current_app
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.cast import Cast
from workspace import dispatch
from workspace.errors import NotFound
from workspace.jobs import sweeping, watch, work
from workspace.models import Capture, Document, Heartbeat, IdempotencyKey, Job, JobState, Summary
from workspace.queries import health
from workspace.queries import jobs as reads
from workspace.services import captures, documents, heartbeats, idempotency, jobs, moves, purging

PLACE = "product/launch/notes.md"


@pytest.fixture
def dead_broker() -> Iterator[None]:
    """A real Celery application whose broker is a port that nothing listens on."""
    before = current_app._get_current_object()
    app = Celery("dead", broker="redis://127.0.0.1:1/0", set_as_current=True)
    app.conf.broker_transport_options = {"max_retries": 0, "socket_connect_timeout": 0.5}
    yield
    app.close()
    before.set_current()


def age(**past: timedelta) -> None:
    Job.objects.update(**{field: timezone.now() - ago for field, ago in past.items()})


def test_without_a_broker_the_sweep_does_the_work_itself(cast: Cast, dead_broker: None) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    assert not dispatch.ring(jobs.TASK, "job_x")
    age(due_at=timedelta(minutes=1))
    assert sweeping.sweep() is False
    assert Document.objects.get(name="notes.md").indexed_commit_id
    assert sweeping.sweep() is True, "nothing is left"


def test_a_worker_sweeps_by_itself_when_no_sweep_arrives(cast: Cast, dead_broker: None) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    age(due_at=timedelta(minutes=1))
    heartbeats.record(heartbeats.SWEEP)
    assert not watch.look()
    Heartbeat.objects.filter(name=heartbeats.SWEEP).update(at=timezone.now() - timedelta(hours=1))
    assert watch.look()
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def test_a_killed_workers_job_is_done_again(cast: Cast, dead_broker: None) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    (killed,) = jobs.claim()
    assert sweeping.sweep() is True, "its lease still runs"
    age(lease_until=timedelta(seconds=1))
    sweeping.sweep()
    assert Document.objects.get(name="notes.md").indexed_commit_id
    assert not jobs.finish(killed)


def test_a_job_that_kills_its_worker_each_time_is_given_up(cast: Cast) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    for _ in range(jobs.TRIES):
        assert jobs.claim()
        age(lease_until=timedelta(seconds=1))
    work.drain(seconds=10)
    job = Job.objects.get()
    assert job.state == JobState.FAILED
    assert "killed" in job.last_error


def test_one_that_fails_leaves_the_rest_alone_and_tells_no_content(cast: Cast) -> None:
    for name in ("bad", "good"):
        documents.create(cast.alice, location=f"product/launch/{name}.md", content=f"{name} secret words\n")
    bad = Document.objects.get(name="bad.md")
    # What a worker finds when an engine or a column refuses: a name no longer fits its type.
    Job.objects.filter(document=bad).update(kind="consolidate", target="not a number: secret words")
    work.drain(seconds=10)
    assert Document.objects.get(name="good.md").indexed_commit_id
    job = Job.objects.get(document=bad)
    assert (job.state, job.attempts) == (JobState.PENDING, 1)
    assert job.due_at > timezone.now()
    assert job.last_error == "ValueError while working on it. The worker's log tells more."


def test_a_handoff_does_not_wait_behind_an_import(cast: Cast) -> None:
    for number in range(5):
        documents.create(cast.alice, location=f"product/launch/n{number}.md", content="alpha\n")
    made = captures.commit(cast.scout, folder="product/launch", content="## Decided\n\n- June.\n", operation_id="1")
    first = Job.objects.filter(kind="index").earliest("due_at")
    assert work.run(first.pk)
    assert Summary.objects.filter(capture=made.id).exists()
    assert Job.objects.filter(kind="index", state=JobState.PENDING).count() == 4


def test_a_job_rung_many_times_is_done_once(cast: Cast) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    (job,) = Job.objects.all()
    assert [work.run(job.pk) for _ in range(10)] == [True] + [False] * 9
    job.refresh_from_db()
    assert job.attempts == 1


def test_old_keys_and_jobs_go_and_young_ones_stay(cast: Cast) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n", idempotency_key="k1")
    documents.append(cast.alice, location=PLACE, content="beta\n", idempotency_key="k2")
    IdempotencyKey.objects.filter(key="k1").update(created_at=timezone.now() - timedelta(hours=25))
    work.drain(seconds=10)
    age(finished_at=timedelta(days=2))
    sweeping.sweep()
    assert list(IdempotencyKey.objects.values_list("key", flat=True)) == ["k2"]
    assert not Job.objects.exists()


def test_an_expired_key_acts_anew_even_before_it_is_purged(cast: Cast, settings: LazySettings) -> None:
    settings.BATON_IDEMPOTENCY_HOURS = 2
    documents.create(cast.alice, location=PLACE, content="alpha\n")

    def append() -> str:
        done = documents.append(cast.alice, location=PLACE, content="beta\n", idempotency_key="k")
        return type(done).__name__

    def past(hours: float) -> None:
        IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(hours=hours))

    assert [append(), append()] == ["Saved", "Replayed"]
    past(1.9)
    assert append() == "Replayed"
    past(2.1)
    assert [append(), append()] == ["Saved", "Replayed"]
    assert idempotency.purge() == 0, "it was used anew"
    past(2.1)
    assert idempotency.purge() == 1
    assert Document.objects.get().number == 3


def test_a_folder_moved_long_ago_is_not_told_by_its_old_key(cast: Cast) -> None:
    def move() -> object:
        return moves.move(cast.alice, source="product/launch", target="product/old", idempotency_key="k")

    assert move() == replace(move(), replayed=False)
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(hours=25))
    with pytest.raises(NotFound):
        move()


def test_sessions_that_are_over_go_a_bounded_number_at_a_time(db: None) -> None:
    over = timezone.now() - timedelta(seconds=1)
    rows = [Session(session_key=f"over{n}", session_data="", expire_date=over) for n in range(3)]
    rows.append(Session(session_key="live", session_data="", expire_date=timezone.now() + timedelta(hours=1)))
    Session.objects.bulk_create(rows)
    assert purging.sessions(limit=2) == 2
    sweeping.sweep()
    assert [session.session_key for session in Session.objects.all()] == ["live"]


def test_the_sweep_deletes_captures_whose_time_is_up(cast: Cast) -> None:
    made = captures.commit(
        cast.scout, folder="product/launch", content="Decided: June.", operation_id="1", retention_days=1
    )
    Capture.objects.update(delete_after=timezone.now())
    sweeping.sweep()
    work.drain(seconds=10)
    assert Capture.objects.get(pk=made.id).content == ""


def test_the_backlog_and_the_jobs_are_seen_by_those_who_see_what_they_are_about(cast: Cast) -> None:
    documents.create(cast.alice, location=PLACE, content="alpha\n")
    age(due_at=timedelta(minutes=1))
    backlog = health.backlog()
    assert backlog.by_state == {"pending": 1}
    assert backlog.oldest_pending_seconds is not None
    assert 59 < backlog.oldest_pending_seconds < 120
    (row,) = reads.listing(cast.carol, state="pending", kind="index").items
    assert (row.location, row.may_retry) == (PLACE, False)
    assert reads.listing(cast.mallory).items == ()
    Job.objects.update(state=JobState.FAILED)
    may = [reads.listing(actor).items[0].may_retry for actor in (cast.alice, cast.bob, cast.rover, cast.carol)]
    assert may == [True, True, True, False]
