"""A child of the supervisor: it loads while the database is prepared, and ends when the supervisor does."""

import os
import signal
import sys
import threading
import time

GO = b"go\n"


def wait_for_go() -> None:
    """Returns when the supervisor says that the database is prepared; ends the process when it is gone.

    What takes long at a start is loading modules; it needs no database, so it is done before.
    """
    heard = b""
    while GO not in heard:
        heard += (part := os.read(sys.stdin.fileno(), 64))
        if not part:
            os._exit(0)


def watch(*, patience: float = 6.0) -> None:
    """Ends this process when its standard input is closed, which the supervisor holds open while it lives.

    First by SIGTERM, as a person would; after `patience` seconds at once.
    """
    threading.Thread(target=_watch, args=(patience,), name="parent", daemon=True).start()


def _watch(patience: float) -> None:
    while os.read(sys.stdin.fileno(), 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(patience)
    os._exit(1)
