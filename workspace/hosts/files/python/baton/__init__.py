"""Baton for programs that drive models themselves: what others left, before each prompt; what came of it, kept.

    import baton

    with baton.session(folder="product/launch", host="nightly", session="run-7") as s:
        with s.context("When is the launch?") as found:
            answer = model(f"{found}\n\nWhen is the launch?")
        s.capture(answer)

``asession`` is the same with its methods awaited. The standard library alone, Python 3.9 or newer. ``python -m baton
connect`` signs this machine in; a token in ``BATON_TOKEN`` or ``token=`` goes before that.

Under the policy ``optional`` a prompt without memory goes on: the context is empty, its ``why`` and ``note`` say so,
and the logger ``baton`` warns. Under ``required`` ``MemoryUnavailable`` is raised instead. Wrong arguments raise
``ValueError`` or ``TypeError`` under either.
"""

from __future__ import annotations

from typing import Optional

from ._asession import AsyncContext, AsyncSession
from ._found import Brief, Captured, Citation, Context, Found, MemoryUnavailable, Report
from ._session import Session
from ._settings import Policy, resolved
from ._spool import Drained, drain

__version__ = "0.1.0"
__all__ = [
    "AsyncContext",
    "AsyncSession",
    "Brief",
    "Captured",
    "Citation",
    "Context",
    "Drained",
    "Found",
    "MemoryUnavailable",
    "Policy",
    "Report",
    "Session",
    "asession",
    "drain",
    "session",
]


def session(
    *,
    folder: Optional[str] = None,
    host: str = "python",
    session: Optional[str] = None,
    address: Optional[str] = None,
    token: Optional[str] = None,
    policy: Optional[Policy] = None,
    deadline_ms: Optional[int] = None,
    budget_chars: Optional[int] = None,
    project: Optional[str] = None,
) -> Session:
    """A session of a program, to use in a ``with`` or to ``close``. Several threads may share one, and processes that
    are forked from its own.

    ``folder`` is the location that it works in. ``host`` names the program, at most 64 characters. ``session`` is its
    identity, at most 200: what is run again under the same one asks and captures under the same identities, so give a
    task's id where tasks are retried; left out, each is new.

    ``address`` is the instance (default: ``BATON_ADDRESS``, else the instance that this package came from), and
    ``token`` the credential for it (default: ``BATON_TOKEN``, else what ``python -m baton connect`` has kept).

    ``policy`` is ``optional`` (default) or ``required``. ``deadline_ms`` is how long a prompt may wait, 100 to 15,000
    (default 2,000), ``budget_chars`` how long the text for it may be, 200 to 100,000 (default 8,000).

    The nearest ``.baton.json`` at or above ``project`` (default: the working folder) gives what is left out here. What
    it demands holds beside the arguments: ``required`` where either says so, and no capture, or only proposed ones,
    where it says ``off`` or ``ask``. Its address is followed only to one that has been connected.
    """
    return Session(
        resolved(
            folder=folder,
            host=host,
            session=session,
            address=address,
            token=token,
            policy=policy,
            deadline_ms=deadline_ms,
            budget_chars=budget_chars,
            project=project,
        )
    )


def asession(
    *,
    folder: Optional[str] = None,
    host: str = "python",
    session: Optional[str] = None,
    address: Optional[str] = None,
    token: Optional[str] = None,
    policy: Optional[Policy] = None,
    deadline_ms: Optional[int] = None,
    budget_chars: Optional[int] = None,
    project: Optional[str] = None,
) -> AsyncSession:
    """As ``session``, to use in an ``async with``. No method of it holds up the loop."""
    return AsyncSession(
        resolved(
            folder=folder,
            host=host,
            session=session,
            address=address,
            token=token,
            policy=policy,
            deadline_ms=deadline_ms,
            budget_chars=budget_chars,
            project=project,
        )
    )
