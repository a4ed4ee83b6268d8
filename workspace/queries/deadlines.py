"""A moment by which an answer has to be there, kept by the database too."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable, QueryCanceled

RENEWED = 0.9
"""The statement timeout is set anew when less than this share of it is left, so a statement that begins late overruns
the deadline by a tenth at most and a quick one costs no second round trip."""


class Late(Exception):
    """The time is over. What was being looked up is left as it is."""


@dataclass(frozen=True)
class Deadline:
    """``until`` is a time of ``time.monotonic``."""

    until: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds, negative when it is over."""
        return self.until - time.monotonic()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Runs its body in a transaction whose statements end at the deadline. Raises ``Late`` when it is over."""
        if self.left <= 0:
            raise Late
        nested = connection.in_atomic_block
        allowed = 0.0

        def bounded(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
            nonlocal allowed
            left = self.left
            if left <= 0:
                raise Late
            if allowed == 0.0 or left < RENEWED * allowed:
                allowed = left
                _limit(str(max(int(left * 1000), 1)))
            return execute(sql, params, many, context)

        try:
            with transaction.atomic(), connection.execute_wrapper(bounded):
                yield
                if allowed and self.left < RENEWED * allowed:
                    # Foreign keys are checked as the transaction ends, and wait there for whoever holds a row.
                    _limit(str(max(int(self.left * 1000), 1)))
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled | LockNotAvailable):
                raise Late from None
            raise
        if nested and allowed:
            # It would hold for the rest of the transaction around this one.
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout TO DEFAULT")
                cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def _limit(milliseconds: str) -> None:
    # Upon the driver's own cursor: Django's would come back here. A timeout of statements does not hold for COMMIT,
    # that of locks does.
    with connection.connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('statement_timeout', %(ms)s, true), set_config('lock_timeout', %(ms)s, true)",
            {"ms": milliseconds},
        )
