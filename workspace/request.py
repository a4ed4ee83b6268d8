"""The name and the sender of the request that is being answered, for logs, refusals, receipts and the audit log."""

from contextvars import ContextVar

current: ContextVar[str] = ContextVar("request_id", default="")
"""Set by the outermost middleware; empty in jobs and commands."""

client: ContextVar[str] = ContextVar("client_address", default="")
"""The address of whoever sent it, as the server tells it: a proxy's word counts only where a setting names it."""


def name() -> str:
    """The id of the request in whose context this runs, or ""."""
    return current.get()


def address() -> str:
    """The network address of the client in whose request this runs, or ""."""
    return client.get()
