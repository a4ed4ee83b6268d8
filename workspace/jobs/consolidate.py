"""A folder's summaries, woven into its HANDOFF.md."""

from collections.abc import Callable

from workspace.models import Job
from workspace.services import summaries


def work(job: Job) -> Callable[[], object] | None:
    """Writes the page, which is a transaction of its own and may be repeated; what follows is recorded after."""
    return summaries.consolidate(int(job.target))
