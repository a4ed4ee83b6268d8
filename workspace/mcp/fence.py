"""Text that others wrote, marked as data for a model that reads it (``workspace.digest.fence``)."""

from workspace.digest import fence
from workspace.digest.fence import one_line
from workspace.queries.fences import sign

__all__ = ["counted", "fenced", "one_line"]


def fenced(text: str, *, source: str) -> str:
    """``text`` between two marks that it cannot close. ``source`` names where it is from, on one line."""
    return fence.fenced(text, source=source, sign=sign)


def counted(number: int, noun: str) -> str:
    """``1 folder``, ``2 folders``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
