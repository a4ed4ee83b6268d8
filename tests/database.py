"""The test run's own PostgreSQL: one server, started by whoever comes first, shared by xdist's workers."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from workspace.management.postgres import Cluster

HOME = "BATON_TEST_HOME"


def start() -> None:
    """Points the environment at a fresh data folder and, without DATABASE_URL, at a fresh server.

    Called before settings are read. Workers find the controller's in the environment they inherit.
    """
    if HOME in os.environ:
        return
    home = Path(tempfile.mkdtemp(prefix="baton-test-"))
    os.environ[HOME] = str(home)
    os.environ["BATON_DATA"] = str(home / "data")
    os.environ["BATON_SECRET_KEY"] = "only-for-tests-" * 4
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    if not os.environ.get("DATABASE_URL"):
        cluster = Cluster(folder=home / "server" / "postgres", durable=False)
        process = cluster.start(die_with_parent=True)
        if not cluster.wait(process):
            raise RuntimeError("PostgreSQL did not start:\n" + cluster.log_tail())
        os.environ["DATABASE_URL"] = cluster.url
        atexit.register(process.wait)
        atexit.register(cluster.stop)
