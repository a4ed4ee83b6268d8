"""The text of a capture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Union

from ._hook import CAPTURE_BYTES, clean, cut, redact

Lines = Union[str, Sequence[str]]
SECTIONS = ("Asked", "Decided", "Changed", "Open")
# What no text needs, and what JSON makes six times as long.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def composed(text: str, sections: Sequence[Lines]) -> str:
    """What is sent: secrets taken out of it whole, and then what is too long cut off."""
    parts = []
    for at, lines in enumerate(sections):
        listed = [lines] if isinstance(lines, str) else list(lines)
        said = [line.strip() for line in listed if line.strip()]
        if said:
            parts.append("## %s\n\n%s" % (SECTIONS[at], "\n".join("- " + line for line in said)))
    if text.strip():
        parts.append(text if not parts else "## Notes\n\n" + text)
    whole = _CONTROL.sub("\ufffd", clean("\n\n".join(parts)[: 8 * CAPTURE_BYTES]))
    return cut(redact(whole), CAPTURE_BYTES)
