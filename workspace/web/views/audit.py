"""The audit log: who did or tried what, for administrators, for managers, and for everybody what they did."""

from collections.abc import AsyncIterator, Iterator
from itertools import groupby
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from workspace.actor import Via
from workspace.errors import Invalid, NotFound
from workspace.queries import audit
from workspace.queries.audit_export import FORMATS
from workspace.services import audit as services
from workspace.web.errors import note
from workspace.web.frame import page, person
from workspace.web.times import day_words

ROWS = 50


def index(request: HttpRequest) -> HttpResponse:
    """Entries, newest first, by day, narrowed by what the address says."""
    actor = person(request)
    chosen = {name: request.GET.get(name, "").strip() for name in audit.NAMES}
    place = chosen["place"].strip("/")
    context: dict[str, Any] = {
        "chosen": chosen,
        "narrowed": any(chosen.values()),
        "query": {name: value for name, value in chosen.items() if value},
        "surfaces": [via.value for via in Via],
        "actions": services.ACTIONS,
        "all": audit.reads_all(actor),
        "more": "Older",
    }
    try:
        found = audit.listing(actor, filters=audit.parse(chosen), limit=ROWS, cursor=request.GET.get("cursor"))
    except Invalid as refusal:
        context["errors"] = [f"{error.field} {error.message}" for error in refusal.errors]
        return page(request, "audit/list.html", context, section="audit", status=422)
    except NotFound as refusal:
        note(request, refusal, location=place)
        context["errors"] = ["No place of that name that you can see."]
        return page(request, "audit/list.html", context, section="audit", status=422)
    days = [(day, list(entries)) for day, entries in groupby(found.items, lambda entry: day_words(entry.at))]
    return page(request, "audit/list.html", {**context, "page": found, "days": days}, section="audit", at=place)


def export(request: HttpRequest) -> HttpResponseBase:
    """The same entries as a file, however many, written as they are read. That it was taken is an entry itself."""
    actor = person(request)
    chosen = {name: request.GET.get(name, "").strip() for name in audit.NAMES}
    form = request.GET.get("format", "csv")
    if form not in FORMATS:
        raise Invalid("format", f"must be one of: {', '.join(FORMATS)}.")
    kind, write = FORMATS[form]
    chunks = write(audit.export(actor, filters=audit.parse(chosen)))
    services.record(actor, "audit.exported", data={"format": form, "filters": {k: v for k, v in chosen.items() if v}})
    return StreamingHttpResponse(
        in_threads(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=kind,
        headers={"Content-Disposition": f'attachment; filename="baton-audit.{form}"', "Cache-Control": "no-store"},
    )


async def in_threads(chunks: Iterator[str]) -> AsyncIterator[str]:
    """Each chunk when the reader wants it: an iterator that is not asynchronous would be read whole at once.

    The database connection goes back after each, since the reader may be slow.
    """

    def following() -> str | None:
        try:
            return next(chunks, None)
        finally:
            connections.close_all()

    while (chunk := await sync_to_async(following)()) is not None:
        yield chunk
