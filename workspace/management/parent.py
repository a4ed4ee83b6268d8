"""A child that ends when the supervisor does, in whatever way it ends."""

import os
import signal
import sys
import threading
import time


def watch(*, patience: float = 6.0) -> None:
    """Ends this process when its standard input is closed, which the supervisor holds open while it lives.

    First by SIGTERM, as a person would; after `patience` seconds at once.
    """
    threading.Thread(target=_watch, args=(patience,), name="parent", daemon=True).start()


def _watch(patience: float) -> None:
    descriptor = sys.stdin.fileno()
    while os.read(descriptor, 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(patience)
    os._exit(1)
