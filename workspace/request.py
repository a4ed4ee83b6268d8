"""The name of the request that is being answered, for logs, refusals, receipts and the audit log."""

from contextvars import ContextVar

current: ContextVar[str] = ContextVar("request_id", default="")
"""Set by the outermost middleware; empty in jobs and commands."""


def name() -> str:
    """The id of the request in whose context this runs, or ""."""
    return current.get()
