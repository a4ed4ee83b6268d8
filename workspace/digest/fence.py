"""Text that others wrote, marked as data for a model that reads it.

A document may say "ignore your instructions". What keeps it data is that the reader can tell where it begins and
ends: the closing mark carries a code that the text itself cannot hold.
"""

from collections.abc import Callable

CODE_LENGTH = 12

Sign = Callable[[str], str]
"""Hex characters, at least ``CODE_LENGTH``, made of a text by a key that no author knows."""


def _code(text: str, sign: Sign) -> str:
    # Keyed, so that no author can compute the code of a text in advance; and by the text alone, so that the same
    # state gives the same answer.
    attempt = 0
    while True:
        code = sign(f"{attempt}:{text}")[:CODE_LENGTH]
        if code not in text:
            return code
        attempt += 1


def fenced(text: str, *, source: str, sign: Sign, most: int = 300) -> str:
    """``text`` between two marks that it cannot close. ``source`` names where it is from, on one line of at most
    ``most`` characters.

    The marks are ``<<<DATA code source`` and ``DATA code>>>``; the text ends with a line break before the second.
    """
    code = _code(text, sign)
    ending = "" if text.endswith("\n") or not text else "\n"
    return f"<<<DATA {code} {one_line(source, limit=most)}\n{text}{ending}DATA {code}>>>"


def one_line(text: str, *, limit: int = 300) -> str:
    """``text`` on one line of at most ``limit`` characters, for a place outside a fence.

    Line breaks and control characters become spaces, so a title cannot forge a line of the answer.
    """
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
