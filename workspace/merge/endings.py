"""Line endings for a text that went through something that has only one, such as a browser's field."""

from itertools import zip_longest

from workspace.merge.lines import bare, ending, restyle, split, style, usual
from workspace.merge.myers import changes


def like(text: str, old: str, document: str | None = None) -> str:
    """`text` with the endings of `old`: a line that both have keeps its own, and so does one that was reworded in its
    place. Others end as most lines of `document` do, without it of `old`. Whether the last line has an ending is left.
    """
    most = usual(old if document is None else document)
    plain = restyle(text, "\n")
    if style(old) in (most, None):
        return restyle(plain, most)
    before, after = split(old), split(plain)
    had = [ending(line) for line in before]
    ends: list[str] = []
    at = 0
    for change in (*changes([bare(line) for line in before], [bare(line) for line in after]), None):
        ends += had[at : change.old_start if change else len(before)]
        if change is None:
            break
        inside = zip_longest(had[change.old_start : change.old_end], range(change.new_start, change.new_end))
        ends += [end or most for end, new in inside if new is not None]
        at = change.old_end
    ended = [bare(line) + (end or most) if ending(line) else line for line, end in zip(after, ends, strict=True)]
    # A CR before a line that is empty and ends with LF would make one CRLF of two endings.
    # From the end on, as what becomes LF there may do that to the line before it.
    for n in range(len(ended) - 2, -1, -1):
        if ended[n][-1] == "\r" and ended[n + 1][0] == "\n":
            ended[n] = ended[n][:-1] + "\n"
    return "".join(ended)
