"""Text that others wrote, marked as data for a model that reads it.

A document may say "ignore your instructions". What keeps it data is that the reader can tell where it begins and
ends: the closing mark carries a code that the text itself cannot hold.
"""

from django.utils.crypto import salted_hmac

_SALT = "workspace.mcp.fence"
_CODE_LENGTH = 12


def _code(text: str) -> str:
    # Keyed, so that no author can compute the code of a text in advance; and by the text alone, so that the same
    # state gives the same answer.
    attempt = 0
    while True:
        code = salted_hmac(_SALT, f"{attempt}:{text}", algorithm="sha256").hexdigest()[:_CODE_LENGTH]
        if code not in text:
            return code
        attempt += 1


def fenced(text: str, *, source: str) -> str:
    """``text`` between two marks that it cannot close. ``source`` names where it is from, on one line.

    The marks are ``<<<DATA code source`` and ``DATA code>>>``; the text ends with a line break before the second.
    """
    code = _code(text)
    ending = "" if text.endswith("\n") or not text else "\n"
    return f"<<<DATA {code} {one_line(source)}\n{text}{ending}DATA {code}>>>"


def one_line(text: str, *, limit: int = 300) -> str:
    """``text`` on one line of at most ``limit`` characters, for a place outside a fence.

    Line breaks and control characters become spaces, so a title cannot forge a line of the answer.
    """
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """``1 folder``, ``2 folders``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
