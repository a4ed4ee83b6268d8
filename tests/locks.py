"""Rows and tables that somebody else holds meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def held(statement: str, *values: object) -> Iterator[None]:
    """What ``statement`` locks is held by another connection meanwhile."""
    locked, free = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, values)
                locked.set()
                free.wait(20)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert locked.wait(20)
    try:
        yield
    finally:
        free.set()
        thread.join()
