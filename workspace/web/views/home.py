"""Home, and the palette's list of places."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils import timezone

from workspace.actor import Actor
from workspace.queries import briefs as briefs_reads
from workspace.queries import documents, folders, search
from workspace.services import briefs
from workspace.web.frame import Frame, page, person

RECENT = 12
WAITING = 6
CHANGED = 8
PLACES = 8
QUERY = 200


def show(request: HttpRequest) -> HttpResponse:
    """What waits for me, what changed, what agents handed off."""
    actor = person(request)
    recent = documents.recent(actor, limit=RECENT).items
    around = Frame(actor, section="home")
    told = briefs_reads.brief(actor, counted=around.counted)
    proposed = [one for one in told.approvals if one.kind == "capture"]
    context = {
        "frame": around,
        "greeting": _greeting(actor),
        "summary": _summary(
            {"draft": len(told.contested), "request": around.requests, "capture": len(proposed)}, len(recent)
        ),
        "conflicts": told.contested[:WAITING],
        "proposed": proposed[:WAITING],
        "changed": told.changed[:CHANGED],
        "beyond": max(0, len(told.changed) - CHANGED) + told.left_out.get("changed", 0),
        "through": told.head,
        "documents": recent,
        "captures": told.captures[:WAITING],
        "new_here": not recent and not folders.tree(actor),
    }
    return page(request, "home.html", context)


def seen(request: HttpRequest) -> HttpResponse:
    """Take note of what changed, so that it is not told again."""
    briefs.acknowledge(person(request), ack_through=request.POST.get("through", ""))
    return redirect("home")


def palette(request: HttpRequest) -> HttpResponse:
    """Folders and documents whose name holds ``q``, as links."""
    actor, wanted = person(request), request.GET.get("q", "").strip()
    found = [f for f in folders.tree(actor) if wanted.casefold() in f.location.casefold()][:PLACES]
    context: dict[str, object] = {"folders": found}
    if wanted:
        context["hits"] = search.search(actor, q=wanted[:QUERY], mode="titles", limit=PLACES)
    else:
        context["recent"] = documents.recent(actor, limit=5).items
        context["folders"] = found[:3]
    return render(request, "palette.html", context)


@login_not_required
def favicon(request: HttpRequest) -> HttpResponse:
    """Where browsers look when a page names no icon, as those of the administration do not."""
    return redirect(static("img/favicon.svg"))


def _greeting(actor: Actor) -> str:
    first = actor.label.split()[0] if actor.label.split() else actor.label
    hour = timezone.localtime().hour
    part = "morning" if 4 <= hour < 12 else "afternoon" if 12 <= hour < 18 else "evening"
    return f"Good {part}, {first}"


def _summary(waiting: dict[str, int], recent: int) -> str:
    counted = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in waiting.items() if count]
    if counted:
        *before, last = counted
        listed = f"{', '.join(before)} and {last}" if before else last
        return f"{listed} {'waits' if sum(waiting.values()) == 1 else 'wait'} for your decision."
    return "Nothing waits for you." if recent else "This is where what waits for you will stand."
