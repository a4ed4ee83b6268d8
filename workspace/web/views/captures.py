"""What agents handed off."""

from itertools import groupby

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.digest.summary import SECTIONS, TITLES
from workspace.errors import FieldError, Invalid, NotFound
from workspace.markdown import lines
from workspace.queries import captures
from workspace.services import captures as services
from workspace.web.errors import note
from workspace.web.frame import page, person


def index(request: HttpRequest) -> HttpResponse:
    """Captures in the folders that the person can read, newest first."""
    folder = request.GET.get("folder", "").strip().strip("/")
    context: dict[str, object] = {"folder": folder}
    try:
        context["page"] = captures.listing(
            person(request), folder=folder or None, limit=50, cursor=request.GET.get("cursor")
        )
    except (NotFound, Invalid) as refusal:
        note(request, refusal, location=folder)
        wrong: tuple[FieldError, ...] = refusal.errors if isinstance(refusal, Invalid) else ()
        context["errors"] = [f"{error.field} {error.message}" for error in wrong if error.field != "location"] or [
            "No folder of that name that you can see."
        ]
        return page(request, "capture/list.html", context, section="captures", status=422)
    return page(request, "capture/list.html", context, section="captures")


def show(request: HttpRequest, capture_id: str) -> HttpResponse:
    """One capture: its summary, its text, and what became of it."""
    capture = captures.show(person(request), id=capture_id)
    order = sorted(capture.summary_lines, key=lambda line: SECTIONS.index(line.section))
    groups = [
        {"title": TITLES[section], "lines": [line.text for line in group]}
        for section, group in groupby(order, key=lambda line: line.section)
    ]
    context = {
        "capture": capture,
        "lines": groups,
        "redactions": sorted(capture.redactions.items()),
        "source": [(n, lines.bare(line)) for n, line in enumerate(lines.split(capture.content), 1)],
    }
    return page(request, "capture/show.html", context, section="captures", at=capture.folder)


def erase(request: HttpRequest, capture_id: str) -> HttpResponse:
    """Erase a capture and what was derived from it."""
    services.erase(person(request), capture=capture_id)
    messages.success(request, "Erased, with what was derived from it.")
    return redirect("captures")
