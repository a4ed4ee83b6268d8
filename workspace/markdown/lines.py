"""Lines as citations count them.

A line ends at ``\\n``, ``\\r\\n`` or ``\\r`` and nowhere else: a form feed, U+0085 or U+2028 is text, as it is for
CommonMark and for git. (`str.splitlines` also splits there, which would shift every number after it.)
"""

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_EOL = re.compile(r"\r\n|\n|\r")


def split(text: str) -> list[str]:
    """The lines of `text` with their line ends; joined they are `text` again. Empty text has no lines."""
    return _LINE.findall(text)


def count(text: str) -> int:
    """How many lines `text` has; a last line without a line end counts."""
    ends = sum(1 for _ in _EOL.finditer(text))
    return ends if not text or text[-1] in "\r\n" else ends + 1


def slice(text: str, start: int, end: int) -> str:
    """Lines `start` to `end`, line ends kept. What lies outside the text is left out; never an error."""
    return "".join(split(text)[max(start, 1) - 1 : max(end, 0)])


def bare(line: str) -> str:
    """One line without its line end."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def normalise(text: str) -> str:
    """The text with every line end as ``\\n``."""
    return _EOL.sub("\n", text)


def eol(text: str) -> str:
    """The line end that `text` uses most, ``\\n`` when it has none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda end: counts[end])
