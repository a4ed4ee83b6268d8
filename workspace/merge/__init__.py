"""Three-way merge, diff and blame of text. Imports nothing but the standard library.

A line ends with LF, CRLF or CR, and with nothing else. Lines are compared without their ending, so a
document that one side saved with other line endings, or without a final newline, still merges.
"""

from workspace.merge.hunks import Agreed, Chunk, Disputed, Hunk, Kind, LineRange
from workspace.merge.resolution import ChoiceError, resolve
from workspace.merge.threeway import MERGE_VERSION, Merge, merge, merge_text

__all__ = [
    "MERGE_VERSION",
    "Agreed",
    "ChoiceError",
    "Chunk",
    "Disputed",
    "Hunk",
    "Kind",
    "LineRange",
    "Merge",
    "merge",
    "merge_text",
    "resolve",
]
