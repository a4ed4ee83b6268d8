"""Running a coroutine in a test: the browser's driver keeps an event loop in the main thread of its worker."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run[T](coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of ``coroutine``, from an event loop in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
