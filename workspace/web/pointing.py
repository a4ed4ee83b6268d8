"""Where in a document's Markdown the words stand that somebody points at on the page."""

import re
from typing import Final

from workspace.markdown import lines

_LINES: Final = re.compile(r"(\d{1,8})-(\d{1,8})")
_LONGEST: Final = 400


def offset(text: str, span: str, words: str, skip: int, into: int = 0) -> int | None:
    """The character of ``text`` that is pointed at among ``words``, after ``into`` letters of them, within the lines
    ``span`` (``3-5``); None for no such lines.

    Only letters and digits are compared, as markup and line breaks are not on the page. Of several places the one is
    taken that has about ``skip`` of them before it; where the words are not found, the first of the lines is.
    """
    found = _LINES.fullmatch(span)
    if not found:
        return None
    every = lines.split(text)
    first, last = max(1, int(found[1])), min(int(found[2]), len(every))
    if first > last:
        return None
    start = sum(map(len, every[: first - 1]))
    part = "".join(every[first - 1 : last])
    places = [at for at, character in enumerate(part) if character.isalnum()]
    squeezed = "".join(part[at] for at in places)
    wanted = "".join(character for character in words[:_LONGEST] if character.isalnum())
    at = squeezed.find(wanted) if wanted else -1
    best = at
    while at >= 0:
        if abs(at - skip) <= abs(best - skip):
            best = at
        at = squeezed.find(wanted, at + 1)
    if best >= 0:
        return start + places[best + min(into, len(wanted) - 1)]
    return start + len(part) - len(part.lstrip()) if part.strip() else start
