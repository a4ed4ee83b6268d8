"""The doorbell: tells a worker that rows are waiting. The rows are the queue."""

import logging

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


def after_commit(name: str, *ids: str | int) -> None:
    """Sends the task `name` with `ids` once the transaction is committed; at once outside one.

    Never raises: a message that is lost costs latency, the sweep finds the row.
    """
    transaction.on_commit(lambda: ring(name, *ids), robust=True)


def ring(name: str, *ids: str | int) -> bool:
    """Sends the task now; False where the broker did not take it."""
    try:
        current_app.send_task(name, args=ids, ignore_result=True, retry=False)
    except Exception as error:
        log.warning("broker did not take %s: %s", name, type(error).__name__)
        return False
    return True
