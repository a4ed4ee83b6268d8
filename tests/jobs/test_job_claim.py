"""The queue of rows: enqueued, claimed, recorded, retried."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from tests.cast import Cast
from workspace.errors import Forbidden, NotFound
from workspace.models import Folder, Job, JobKind, JobState, Receipt
from workspace.services import jobs

LAUNCH = "product/launch"


@pytest.fixture
def folder(cast: Cast) -> Folder:
    Job.objects.all().delete()
    return Folder.objects.get(path=LAUNCH)


def add(folder: Folder, target: str = "cap_1", kind: str = JobKind.SUMMARISE) -> str:
    return jobs.enqueue(kind, target, folder=folder)


def expire(*states: str) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Job.objects.filter(state__in=states or JobState.values).update(lease_until=past, due_at=past)


def test_the_same_work_is_pending_once(folder: Folder) -> None:
    assert add(folder) == add(folder)
    assert Job.objects.count() == 1


def test_work_asked_for_while_it_runs_is_done_again(folder: Folder) -> None:
    first = add(folder)
    (running,) = jobs.claim()
    second = add(folder)
    assert second != first
    assert jobs.claim() == [], "a twin waits for the one that runs"
    assert jobs.finish(running)
    assert [job.pk for job in jobs.claim()] == [second]


def test_asking_again_makes_a_waiting_retry_due_with_all_its_tries(folder: Folder) -> None:
    add(folder)
    (job,) = jobs.claim()
    jobs.fail(job, "no")
    assert jobs.claim() == []
    add(folder)
    (again,) = jobs.claim()
    assert (again.pk, again.attempts) == (job.pk, 1)


def test_a_lost_lease_lets_another_worker_in_and_the_first_record_nothing(folder: Folder) -> None:
    add(folder)
    (slow,) = jobs.claim()
    expire()
    (other,) = jobs.claim()
    assert other.pk == slow.pk
    assert not jobs.holds(slow)
    assert not jobs.finish(slow)
    assert not jobs.fail(slow, "late")
    assert jobs.finish(other)
    assert Job.objects.get().state == JobState.DONE


def test_tries_are_bounded_then_it_is_failed_and_says_so(folder: Folder) -> None:
    add(folder)
    for attempt in range(1, jobs.TRIES + 1):
        expire(JobState.PENDING)
        (job,) = jobs.claim()
        assert job.attempts == attempt
        jobs.fail(job, "The engine is away.")
    row = Job.objects.get()
    assert (row.state, row.last_error) == (JobState.FAILED, "The engine is away.")
    expire()
    assert jobs.claim() == []
    receipt = Receipt.objects.get(kind="failed")
    assert (receipt.folder_id, receipt.data["job"], receipt.reason) == (folder.pk, row.pk, "The engine is away.")


def test_the_wait_doubles_within_bounds_and_is_jittered() -> None:
    for attempts in range(1, 40):
        waits = {jobs.wait_after(attempts) for _ in range(20)}
        ceiling = min(jobs.LONGEST_WAIT_S, jobs.FIRST_WAIT_S * 2 ** (attempts - 1))
        assert len(waits) > 1
        assert all(ceiling / 2 <= wait <= ceiling for wait in waits)


def test_a_failed_try_of_work_asked_for_again_gives_way_to_it(folder: Folder) -> None:
    add(folder)
    (job,) = jobs.claim()
    fresh = add(folder)
    assert jobs.fail(job, "no")
    assert Job.objects.get(pk=job.pk).state == JobState.DONE
    assert [one.pk for one in jobs.claim()] == [fresh]


def test_success_settles_earlier_failures_of_the_same_work(folder: Folder) -> None:
    failed = add(folder)
    Job.objects.update(state=JobState.FAILED)
    add(folder)
    (job,) = jobs.claim()
    jobs.finish(job)
    assert Job.objects.get(pk=failed).state == JobState.DONE


def test_an_editor_retries_a_failed_job_and_a_reader_does_not(cast: Cast, folder: Folder) -> None:
    failed = add(folder)
    Job.objects.update(state=JobState.FAILED, attempts=jobs.TRIES)
    with pytest.raises(Forbidden):
        jobs.retry(cast.carol, job=failed)
    for hidden in (failed, "job_none"):
        with pytest.raises(NotFound):
            jobs.retry(cast.mallory, job=hidden)
    jobs.retry(cast.bob, job=failed)
    jobs.retry(cast.bob, job=failed)
    (job,) = jobs.claim()
    assert job.attempts == 1


def test_done_jobs_are_forgotten_after_a_day(folder: Folder) -> None:
    add(folder)
    (job,) = jobs.claim()
    jobs.finish(job)
    assert jobs.purge() == 0
    Job.objects.update(finished_at=timezone.now() - jobs.KEEP_DONE - timedelta(minutes=1))
    assert jobs.purge() == 1


# -- with real threads and commits ---------------------------------------------


def in_threads[T](count: int, work: Callable[[int], T]) -> list[T]:
    def run(number: int) -> T:
        close_old_connections()
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_workers_never_claim_the_same_job(committed_cast: Cast) -> None:
    folder = Folder.objects.get(path=LAUNCH)
    Job.objects.all().delete()
    for number in range(40):
        add(folder, f"cap_{number}")
    start = Barrier(8)

    def worker(_: int) -> list[str]:
        start.wait()
        taken = []
        while claimed := jobs.claim(limit=3):
            taken += [job.pk for job in claimed]
        return taken

    taken = [pk for one in in_threads(8, worker) for pk in one]
    assert len(taken) == len(set(taken)) == 40


def test_work_asked_for_in_an_open_transaction_is_not_taken_before_it_commits(committed_cast: Cast) -> None:
    """A worker that took the pending row now would read the state from before the change, and nothing would be
    left to tell of the change."""
    folder = Folder.objects.get(path=LAUNCH)
    Job.objects.all().delete()
    add(folder)
    asked, looked = Event(), Event()

    def change(_: int) -> None:
        with transaction.atomic():
            add(folder)
            asked.set()
            assert looked.wait(10)

    def both(number: int) -> list[Job]:
        if number == 0:
            change(0)
            return []
        assert asked.wait(10)
        try:
            return jobs.claim()
        finally:
            looked.set()

    assert in_threads(2, both)[1] == []
    assert len(jobs.claim()) == 1
