"""Text as lines, and line endings as a property of the document.

`str.splitlines` is no use here: it also splits at form feeds and U+2028, which are ordinary characters in
a line.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

type Ending = Literal["\n", "\r\n", "\r"]
type Style = Ending | Literal["mixed"]

_ENDINGS: Final = "\r\n"


def split(text: str) -> list[str]:
    """Lines of `text` with their endings; `"".join` gives the text back. The last one may have no ending."""
    return list(io.StringIO(text, newline=""))


def bare(line: str) -> str:
    """The line without its ending."""
    return line.rstrip(_ENDINGS)


def ending(line: str) -> str:
    """The ending of a line: LF, CRLF, CR, or nothing."""
    return line[len(line.rstrip(_ENDINGS)) :]


def ends(text: str) -> bool:
    """Whether `text` is empty or its last line is complete."""
    return not text or text[-1] in _ENDINGS


def style(text: str) -> Style | None:
    """The one ending that the lines of `text` have, "mixed", or None where no line has one."""
    used = [ending for ending, count in _counts(text).items() if count]
    if not used:
        return None
    return used[0] if len(used) == 1 else "mixed"


def usual(*texts: str) -> Ending:
    """The ending that most lines of the texts have; LF where none has one."""
    counted = [_counts(text) for text in texts]
    return max(counted[0], key=lambda ending: sum(counts[ending] for counts in counted))


def _counts(text: str) -> dict[Ending, int]:
    crlf = text.count("\r\n")
    return {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}


def restyle(text: str, wanted: Ending) -> str:
    """`text` with `wanted` at the end of every line that has an ending."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return plain if wanted == "\n" else plain.replace("\n", wanted)


def join(pieces: Iterable[str], wanted: Ending) -> str:
    """Pieces one after another, each starting on a line of its own.

    A piece that is not the last gets `wanted` where its last line has no ending. A CR before a piece that
    starts with LF becomes LF too: together they would read as one CRLF, and a line would be lost.
    """
    joined: list[str] = []
    for piece in pieces:
        if not piece:
            continue
        if joined:
            before = joined[-1]
            if not ends(before):
                before += wanted
            if before[-1] == "\r" and piece[0] == "\n":
                before = before[:-1] + "\n"
            joined[-1] = before
        joined.append(piece)
    return "".join(joined)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """A text as two parallel lists: `kept` with line endings, `keys` without, which is what is compared."""

    kept: Sequence[str]
    keys: Sequence[str]

    @classmethod
    def of(cls, text: str) -> "Lines":
        kept = split(text)
        if "\r" in text:
            return cls(kept=kept, keys=[bare(line) for line in kept])
        return cls(kept=kept, keys=text.split("\n")[: len(kept)])
