"""Citations: ``product/plan.md@COMMIT#L3-L9``, and the page that opens those lines at that commit."""

from urllib.parse import quote, urlencode

from django.conf import settings

Lines = tuple[int, int]


def span(lines: Lines | None) -> str:
    """``#L3-L9``, ``#L3`` for a single line, or nothing."""
    if lines is None:
        return ""
    start, end = lines
    return f"#L{start}" if start == end else f"#L{start}-L{end}"


def citation(location: str, commit: str, lines: Lines | None = None) -> str:
    """The citation of a passage, with the whole commit id."""
    return f"{location}@{commit}{span(lines)}"


def web_path(location: str, at: str | None = None, lines: Lines | None = None) -> str:
    """The path of the page that shows a document, at a commit and at lines; percent-encoded."""
    query = f"?{urlencode({'at': at})}" if at else ""
    return f"/d/{quote(location, safe='/')}{query}{span(lines)}"


def web_url(location: str, at: str | None = None, lines: Lines | None = None) -> str:
    """The whole address of that page."""
    return settings.BATON_BASE_URL + web_path(location, at, lines)


def folder_url(location: str) -> str:
    """The whole address of a folder's page."""
    return f"{settings.BATON_BASE_URL}/f/{quote(location, safe='/')}"
