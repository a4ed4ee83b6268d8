"""The audit log: who did or tried what, for administrators, for managers, and for everybody what they did."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from workspace.actor import Via
from workspace.errors import Invalid, NotFound
from workspace.queries import audit, audit_filters
from workspace.queries.audit_export import FORMATS, in_threads
from workspace.services import audit as services
from workspace.services.audit_actions import ACTIONS
from workspace.web.errors import note
from workspace.web.frame import page, person
from workspace.web.times import day_words

ROWS = 50


@dataclass(frozen=True, kw_only=True)
class Line:
    """An entry with its further facts in words."""

    entry: audit.Entry
    facts: tuple[tuple[str, str], ...]


def index(request: HttpRequest) -> HttpResponse:
    """Entries, newest first, by day, narrowed by what the address says."""
    actor = person(request)
    chosen = {name: request.GET.get(name, "").strip() for name in audit_filters.NAMES}
    place = chosen["place"].strip("/")
    context: dict[str, Any] = {
        "chosen": chosen,
        "narrowed": any(chosen.values()),
        "query": {name: value for name, value in chosen.items() if value},
        "surfaces": [via.value for via in Via],
        "actions": ACTIONS,
        "all": audit.reads_all(actor),
        "more": "Older",
    }
    try:
        found = audit.listing(actor, filters=audit_filters.parse(chosen), limit=ROWS, cursor=request.GET.get("cursor"))
    except Invalid as refusal:
        context["errors"] = [f"{error.field} {error.message}" for error in refusal.errors]
        return page(request, "audit/list.html", context, section="audit", status=422)
    except NotFound as refusal:
        note(request, refusal, location=place)
        context["errors"] = ["No place of that name that you can see."]
        return page(request, "audit/list.html", context, section="audit", status=422)
    days = [
        (day, list(map(_line, entries))) for day, entries in groupby(found.items, lambda entry: day_words(entry.at))
    ]
    return page(request, "audit/list.html", {**context, "page": found, "days": days}, section="audit", at=place)


def _line(entry: audit.Entry) -> Line:
    return Line(entry=entry, facts=tuple((name.replace("_", " "), _words(held)) for name, held in entry.data.items()))


def _words(value: object) -> str:
    match value:
        case list():
            return ", ".join(map(_words, value)) or "none"
        case dict():
            return ", ".join(f"{name} {_words(held)}" for name, held in value.items()) or "none"
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
    return str(value)


def export(request: HttpRequest) -> HttpResponseBase:
    """The same entries as a file, however many, written as they are read. That it was taken is an entry itself."""
    actor = person(request)
    chosen = {name: request.GET.get(name, "").strip() for name in audit_filters.NAMES}
    form = request.GET.get("format", "csv")
    if form not in FORMATS:
        raise Invalid("format", f"must be one of: {', '.join(FORMATS)}.")
    kind, write = FORMATS[form]
    chunks = write(audit.export(actor, filters=audit_filters.parse(chosen)))
    services.record(actor, "audit.exported", data={"format": form, "filters": {k: v for k, v in chosen.items() if v}})
    return StreamingHttpResponse(
        in_threads(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=kind,
        headers={"Content-Disposition": f'attachment; filename="baton-audit.{form}"', "Cache-Control": "no-store"},
    )
