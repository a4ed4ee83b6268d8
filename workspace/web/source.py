"""Pages that show a text line by line, a part at a time: a megabyte may be a million lines."""

from typing import Final

from django.http import HttpRequest

SOURCE_LINES: Final = 5_000


def first_line(request: HttpRequest) -> int:
    """``?line=``: where the part begins, counted from 1. What is no such number begins at the top."""
    asked = request.GET.get("line", "")
    return max(1, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) <= 9 else 1
