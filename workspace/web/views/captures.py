"""What agents handed off."""

from itertools import groupby

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from workspace.actor import Actor
from workspace.digest.summary import SECTIONS, TITLES
from workspace.errors import Forbidden, Gone, Invalid, NotFound
from workspace.markdown import lines
from workspace.queries import access, captures, folders
from workspace.services import captures as services
from workspace.web.errors import narrowing, note
from workspace.web.frame import page, person


def index(request: HttpRequest) -> HttpResponse:
    """Captures in the folders that the person can read, newest first."""
    folder = request.GET.get("folder", "").strip().strip("/")
    state = request.GET.get("state", "")
    context: dict[str, object] = {"folder": folder, "state": state}
    try:
        context["page"] = captures.listing(
            person(request), folder=folder or None, state=state or None, limit=50, cursor=request.GET.get("cursor")
        )
    except (NotFound, Invalid) as refusal:
        note(request, refusal, location=folder)
        context["errors"] = narrowing(refusal)
        return page(request, "capture/list.html", context, section="captures", status=422)
    return page(request, "capture/list.html", context, section="captures")


def decide(request: HttpRequest) -> HttpResponse:
    """Approve or decline those that were ticked, each by itself: what is refused leaves the others be."""
    actor, decision = person(request), request.POST.get("decision", "")
    if decision not in DECIDED:
        raise Invalid("decision", "must be approve or decline.")
    done = 0
    chosen = list(dict.fromkeys(request.POST.getlist("capture")))[:MOST_AT_ONCE]
    for capture in chosen:
        try:
            _decide(actor, capture, approve=decision == "approve")
        except (NotFound, Forbidden, Gone) as refusal:
            note(request, refusal)
            messages.error(request, f"One was left as it is: {refusal.detail}")
        else:
            done += 1
    if done:
        messages.success(request, f"{done} {DECIDED[decision]}")
    elif not chosen:
        messages.error(request, "Tick what to decide on first.")
    return redirect(f"{reverse('captures')}?state={captures.PROPOSED}")


MOST_AT_ONCE = 100
DECIDED = {"approve": "approved. They are summarised now.", "decline": "declined, and erased."}


def _decide(actor: Actor, capture: str, *, approve: bool) -> None:
    if approve:
        services.approve(actor, capture=capture)
    elif captures.show(actor, id=capture).state == captures.PROPOSED:
        # Not one that was approved in another window meanwhile.
        services.erase(actor, capture=capture)
    else:
        raise NotFound


def approve(request: HttpRequest, capture_id: str) -> HttpResponse:
    """Let a capture that was proposed be kept."""
    services.approve(person(request), capture=capture_id)
    messages.success(request, "Approved. It is summarised now.")
    return redirect("capture", capture_id)


def show(request: HttpRequest, capture_id: str) -> HttpResponse:
    """One capture: its summary, its text, and what became of it."""
    actor = person(request)
    capture = captures.show(actor, id=capture_id)
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
    if capture.state == captures.PROPOSED:
        context["readers"] = access.count(actor, location=capture.folder)
        context["days"] = folders.show(actor, location=capture.folder).retention_days
    return page(request, "capture/show.html", context, section="captures", at=capture.folder)


def erase(request: HttpRequest, capture_id: str) -> HttpResponse:
    """Erase a capture and what was derived from it; one that is only proposed is declined by that."""
    services.erase(person(request), capture=capture_id)
    messages.success(request, "Erased, with what was derived from it.")
    return redirect("captures")
