"""One worker process: `python -m workspace.config.worker THREADS [beat]`.

Jobs wait for the database and for engines, so threads serve them, and a killed process
costs nothing: a job's row is claimed again when its lease ends.
"""

import os
import sys
import warnings
from typing import Any

from celery import signals
from celery.beat import EmbeddedService
from celery.exceptions import SecurityWarning
from django.conf import settings

from workspace.config import broker
from workspace.config.celery import app
from workspace.management import parent


def main() -> None:
    threads, *rest = sys.argv[1:]
    # The checks would load every page; a worker shows none.
    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
    # Connecting is what keeps Celery from setting up logging; Django's settings have.
    signals.setup_logging.connect(_keep_logging)
    if "beat" in rest:
        signals.worker_ready.connect(_start_beat)
    if settings.BATON_BROKER_FOLDER:
        broker.make(settings.BATON_BROKER_FOLDER)
    # Celery warns root of pickled messages; only JSON is accepted here.
    warnings.simplefilter("ignore", SecurityWarning)
    app.loader.import_default_modules()
    parent.wait_for_go()
    parent.watch()
    worker = app.Worker(
        hostname=f"baton-{os.getpid()}@%h",
        pool="threads",
        concurrency=int(threads),
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


def _keep_logging(**_: Any) -> None:
    return None


def _start_beat(**_: Any) -> None:
    EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler).start()


if __name__ == "__main__":
    main()
