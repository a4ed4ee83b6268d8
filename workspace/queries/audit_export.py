"""The audit log as files: comma-separated values for a spreadsheet, JSON lines for a program."""

import csv
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import UTC
from io import StringIO
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections

from workspace.queries.audit import Entry

COLUMNS = (
    "id",
    "at",
    "action",
    "denied",
    "person",
    "agent",
    "agent_name",
    "job",
    "via",
    "request_id",
    "address",
    "location",
    "document",
    "subject",
    "reason",
    "data",
)
# What a spreadsheet takes for the beginning of a formula (CWE-1236), in their wide forms too.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def fields(entry: Entry) -> dict[str, Any]:
    """An entry as JSON-ready values under ``COLUMNS``."""
    by = entry.by
    return {
        "id": entry.id,
        "at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "action": entry.action,
        "denied": entry.denied,
        "person": by.email if by else "",
        "agent": entry.agent or "",
        "agent_name": by.label if by and by.kind == "agent" else "",
        "job": entry.job,
        "via": entry.via,
        "request_id": entry.request_id,
        "address": entry.address or "",
        "location": entry.location,
        "document": entry.document or "",
        "subject": entry.subject,
        "reason": entry.reason,
        "data": dict(entry.data),
    }


def json_lines(batches: Iterable[list[Entry]]) -> Iterator[str]:
    """One JSON object a line, in ASCII; a chunk for each batch."""
    for batch in batches:
        yield "".join(json.dumps(fields(entry), separators=(",", ":")) + "\n" for entry in batch)


def comma_separated(batches: Iterable[list[Entry]]) -> Iterator[str]:
    """RFC 4180 with a line of names; a chunk for each batch. No cell is taken for a formula."""
    yield _lines([COLUMNS])
    for batch in batches:
        yield _lines([_cell(value) for value in fields(entry).values()] for entry in batch)


def _lines(rows: Iterable[Iterable[str]]) -> str:
    out = StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _cell(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            text = json.dumps(value, ensure_ascii=False) if value else ""
        case _:
            text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


async def in_threads(chunks: Iterator[str]) -> AsyncIterator[str]:
    """Each chunk when its reader wants it: of an iterator that is not asynchronous, ASGI reads the whole at once.

    The database connection goes back after each, since the reader may be slow.
    """

    def following() -> str | None:
        try:
            return next(chunks, None)
        finally:
            connections.close_all()

    while (chunk := await sync_to_async(following)()) is not None:
        yield chunk


FORMATS: Mapping[str, tuple[str, Callable[[Iterable[list[Entry]]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", comma_separated),
    "jsonl": ("application/jsonl; charset=utf-8", json_lines),
}
"""By its name and ending: the media type, and what writes it."""
