"""The sweep without a broker: beat's messages do not arrive when the broker is gone, and work goes on."""

import logging
import threading
import time
from typing import Any

from celery import signals
from django.conf import settings
from django.db import Error, close_old_connections

from workspace.jobs import sweeping
from workspace.queries import health
from workspace.services import heartbeats

log = logging.getLogger(__name__)
LATE = 4
"""Intervals without a sweep after which a worker sweeps by itself."""


@signals.worker_init.connect
def begin(**_: Any) -> None:
    """Starts the watch of this worker process."""
    threading.Thread(target=_watch, name="sweep-watch", daemon=True).start()


def _watch() -> None:
    while True:
        time.sleep(settings.BATON_SWEEP_S)
        try:
            look()
        except Error as error:
            log.warning("the database does not answer (%s)", type(error).__name__)
        except Exception:
            log.exception("a sweep failed")
        finally:
            close_old_connections()


def look() -> bool:
    """Sweeps, and works, if no sweep was seen lately; True where it did."""
    age = health.heartbeats().get(heartbeats.SWEEP)
    if age is not None and age < LATE * settings.BATON_SWEEP_S:
        return False
    while not sweeping.sweep():
        pass
    return True
