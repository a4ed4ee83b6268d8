"""Waiting no longer than there is time. Resolving a name can take longer than any time-out of a socket, so that what
asks runs in a thread of its own, which is left behind where it is late and keeps no process from ending."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import Any, Callable, TypeVar

from ._hook import Failed

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], late: str) -> T:
    """What ``work`` gives or raises. Raises ``Failed`` with ``unavailable`` and ``late`` after ``seconds``."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="baton", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if errors:
        raise errors[0]
    if not results:
        raise Failed("unavailable", late)
    return results[0]


async def apart(work: Callable[[], T]) -> T:
    """What ``work`` gives or raises, from a thread of its own: a pool that others fill would make it late, and one
    that the loop waits for at its end would hold that up."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: Any) -> None:
        if not future.done():  # the task may have been cancelled
            set_it(value)

    def run() -> None:
        try:
            done: tuple[Callable[[Any], None], Any] = (future.set_result, work())
        except BaseException as error:
            done = (future.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, *done)

    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="baton", daemon=True).start()
    return await future
