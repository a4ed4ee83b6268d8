"""Celery tasks. A message carries a job's id and is only a doorbell: the row is claimed, worked on and recorded
here, however often and by however many workers the bell is rung."""

from celery import shared_task

from workspace.jobs import sweeping, watch, work
from workspace.services import heartbeats

__all__ = ["run", "sweep", "watch"]


@shared_task(name="workspace.jobs.run", ignore_result=True)
def run(job: str | None = None) -> None:
    """Does one job, if it is still to be done; without an id, whatever is due, for a few seconds."""
    if job is None:
        work.drain(seconds=sweeping.DRAIN_S)
    else:
        work.run(job)


@shared_task(name="workspace.jobs.sweep", ignore_result=True)
def sweep() -> None:
    """Finds what no message told of: lost rings, killed workers, retention that is over."""
    sweeping.sweep()
    # Only here: it says that beat, broker and worker reach each other.
    heartbeats.record(heartbeats.SWEEP)
