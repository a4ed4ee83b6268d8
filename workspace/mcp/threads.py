"""Services and queries are synchronous; these threads run them for the event loop.

Transactions do not work in async code, so each call runs whole in one thread, and that thread gives its database
connection back when the call ends: an idle agent holds none.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from django.conf import settings
from django.db import connections

# No more threads than connections that can be lent, so that a call waits for a thread and not for a time-out.
_THREADS = ThreadPoolExecutor(max_workers=min(16, settings.BATON_DATABASE_POOL), thread_name_prefix="mcp")


def _run[T](call: Callable[..., T], args: tuple[object, ...]) -> T:
    try:
        return call(*args)
    finally:
        connections.close_all()


async def in_thread[T](call: Callable[..., T], *args: object) -> T:
    """``call(*args)`` in a worker thread, with this task's context variables.

    A caller that goes away does not stop it: a write that began is finished or refused, never cut in two.
    """
    run = partial(copy_context().run, _run, call, args)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, run)
