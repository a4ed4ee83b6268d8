"""Answers: JSON made straight from values, without a renderer between."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse

from workspace.queries.pages import Page

MEDIA_TYPE = "application/json"


def answer(data: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """``data`` as compact JSON in UTF-8."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    response = HttpResponse(text.encode(), status=status, content_type=MEDIA_TYPE)
    for name, value in (headers or {}).items():
        response[name] = value
    return response


def page[Row](found: Page[Row], item: Callable[[Row], dict[str, Any]]) -> HttpResponse:
    """A list as ``{items, next_cursor}``."""
    return answer({"items": [item(row) for row in found.items], "next_cursor": found.next_cursor})


def nothing(status: int = 204, *, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """An answer without a body, and so without its type: 204, done; 304, what you have is right."""
    response = HttpResponse(status=status, headers=dict(headers or {}))
    del response["Content-Type"]
    return response


def etag(commit: str) -> str:
    """A commit as the strong etag of the document that it is the head of."""
    return f'"{commit}"'


def moment(at: datetime | None) -> str | None:
    """A time in UTC to the microsecond (RFC 3339): ``2026-11-29T08:00:00.000000Z``."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if at else None


def api_url(location: str) -> str:
    """Where a program reads it."""
    return f"{settings.BATON_BASE_URL}/api/v1/documents/{quote(location)}"
