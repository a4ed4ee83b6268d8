"""Three-way merge, diff and blame of text. Imports nothing but the standard library.

A merge is by lines first, to the bytes of `git merge-file`. What that leaves open is settled block by block (items,
rows, paragraphs, headings, lines of code) and sentence by sentence, where it is sure; each such decision is told.

A line ends with LF, CRLF or CR, and with nothing else. Lines are compared without their ending, so a
document that one side saved with other line endings, or without a final newline, still merges.
"""

from workspace.merge.hunks import Agreed, Chunk, Decision, Disputed, Hunk, Kind, LineRange, Rule
from workspace.merge.resolution import Choice, ChoiceError, decided, places, resolve
from workspace.merge.threeway import LINES, MERGE_VERSION, Merge, merge, merge_text

__all__ = [
    "LINES",
    "MERGE_VERSION",
    "Agreed",
    "Choice",
    "ChoiceError",
    "Chunk",
    "Decision",
    "Disputed",
    "Hunk",
    "Kind",
    "LineRange",
    "Merge",
    "Rule",
    "decided",
    "merge",
    "merge_text",
    "places",
    "resolve",
]
