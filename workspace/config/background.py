"""What every worker does beside jobs: it shows that it lives."""

import logging
import threading
import time
from typing import Any

from celery import signals
from django.db import Error, close_old_connections

from workspace.config.celery import app
from workspace.services import heartbeats

log = logging.getLogger("workspace.worker")
PULSE_S = 5.0


@app.task(name="workspace.config.background.heartbeat")
def heartbeat() -> None:
    """Sent by beat and done by a worker: its trace says that beat, broker and worker all live."""
    heartbeats.record(heartbeats.BEAT)


@signals.worker_ready.connect
def begin(**_: Any) -> None:
    threading.Thread(target=_pulse, name="pulse", daemon=True).start()
    # Not to wait for the first interval: what was pending when the last worker ended is due now.
    app.send_task("workspace.jobs.sweep")
    app.send_task(heartbeat.name)


def _pulse() -> None:
    """Whether or not the broker answers: that a worker lives and that it is reached are two facts."""
    while True:
        try:
            heartbeats.record(heartbeats.WORKER)
        except Error as error:
            log.warning("the database does not answer (%s)", type(error).__name__)
        finally:
            close_old_connections()
        time.sleep(PULSE_S)
