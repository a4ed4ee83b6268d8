"""The doorbell: tells a worker that rows are waiting. The rows are the queue."""

import logging
import time

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)
# A broker that swallows packets costs a second a try: after a failure the next callers do without for a while.
QUIET_S = 2.0
_quiet_until = 0.0


def after_commit(name: str, *ids: str | int) -> None:
    """Sends the task `name` with `ids` once the transaction is committed; at once outside one.

    Never raises: a message that is lost costs latency, the sweep finds the row.
    """
    transaction.on_commit(lambda: ring(name, *ids), robust=True)


def ring(name: str, *ids: str | int) -> bool:
    """Sends the task now; False where the broker did not take it, or failed in the last two seconds."""
    global _quiet_until
    if time.monotonic() < _quiet_until:
        return False
    try:
        current_app.send_task(name, args=ids, ignore_result=True, retry=False)
    except Exception as error:
        # Whatever a broker's client raises, the row is already safe.
        _quiet_until = time.monotonic() + QUIET_S
        log.warning("the broker did not take %s (%s)", name, type(error).__name__)
        return False
    return True
