"""A summary of one capture."""

from collections.abc import Callable

from workspace import summarizers
from workspace.models import Job
from workspace.services import summaries


def work(job: Job) -> Callable[[], object] | None:
    """What the instance's summariser makes of the capture; nothing for one that was erased."""
    content = summaries.content(job.target)
    if content is None:
        return None
    engine = summarizers.engine()
    summary = engine.summarise(content, source=job.target)
    return lambda: summaries.record(job.target, summary.lines, engine.name)
