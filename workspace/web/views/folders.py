"""Folders: the page of one, making one, and its branch of the tree."""

from dataclasses import dataclass
from itertools import groupby

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace import locations
from workspace.actor import Actor
from workspace.errors import AlreadyExists, Forbidden, Invalid
from workspace.queries import access, captures, documents, folders, receipts
from workspace.queries.folders import FolderView
from workspace.queries.receipts import ActivityRow
from workspace.services import folders as services
from workspace.web import cited, tree
from workspace.web.forms.documents import FolderForm, FolderSettingsForm
from workspace.web.frame import page, person
from workspace.web.times import day_words

ROWS = 100
DID = {
    "written": "wrote",
    "conflicted": "left a draft that could not be merged into",
    "resolved": "settled a conflict in",
    "discarded": "set a draft aside in",
    "captured": "captured a session in",
    "erased": "erased a capture in",
    "granted": "shared",
    "revoked": "took a role back in",
    "folder-made": "made the folder",
    "folder-moved": "moved the folder",
    "folder-deleted": "deleted the folder",
}
"""What each kind of activity says between who did it and where."""


@dataclass(frozen=True, kw_only=True)
class Deed:
    """One line of a folder's activity. ``is_document`` says what stands at its location."""

    fact: ActivityRow
    did: str
    is_document: bool


def show(request: HttpRequest, location: str) -> HttpResponse:
    """A folder: its handoff as the cover, then what is in it."""
    actor = person(request)
    folder = folders.show(actor, location=location)
    rows = documents.children(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    context = {
        "folder": folder,
        "folders": folders.children(actor, parent=location, limit=ROWS).items,
        "page": rows,
        "rows": [row for row in rows.items if row.name != folder.handoff],
    }
    if folder.role is not None:
        context["readers"] = access.readers(actor, location=location)
        context["captures"] = captures.listing(actor, folder=location, limit=5).items
    if folder.handoff:
        cover = documents.read(actor, location=locations.join(location, folder.handoff))
        context |= {"handoff": cover, "handoff_html": cited.page(cover.content)[0]}
    return page(request, "folder/show.html", context, at=location, current=location)


def branch(request: HttpRequest, location: str) -> HttpResponse:
    """What lies directly below a folder, for the tree."""
    actor = person(request)
    below = folders.children(actor, parent=location, limit=ROWS).items
    leaves = documents.children(actor, location=location, limit=ROWS).items
    return HttpResponse(tree.branch(below, leaves))


def new(request: HttpRequest) -> HttpResponse:
    """The form for a new folder."""
    inside = request.GET.get("in", "")
    form = FolderForm(initial={"location": f"{inside}/" if inside else ""})
    return page(request, "folder/new.html", {"form": form}, at=inside)


def create(request: HttpRequest) -> HttpResponse:
    """Make a folder."""
    form = FolderForm(request.POST)
    if form.is_valid():
        try:
            made = services.create(person(request), location=form.cleaned_data["location"].strip("/"))
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            form.add_error("location", refusal.detail)
            return page(request, "folder/new.html", {"form": form}, status=409)
        else:
            messages.success(request, f"Made {made.location}. You manage it.")
            return redirect("folder", made.location)
    return page(request, "folder/new.html", {"form": form}, status=422)


def settings(request: HttpRequest, location: str) -> HttpResponse:
    """What a manager sets for a folder."""
    place = _managed(person(request), location)
    return _settings(request, place, FolderSettingsForm(initial={"retention_days": place.retention_days}))


def _managed(actor: Actor, location: str) -> FolderView:
    place = folders.show(actor, location=location)
    if not (place.abilities and place.abilities.manage):
        raise Forbidden("A folder's settings need manager.", need="manager")
    return place


def _settings(
    request: HttpRequest, place: FolderView, form: FolderSettingsForm, *, status: int = 200, **more: object
) -> HttpResponse:
    context = {"folder": place, "form": form, **more}
    return page(request, "folder/settings.html", context, at=place.location, current=place.location, status=status)


def set_up(request: HttpRequest, location: str) -> HttpResponse:
    """Keep captures for so long. What that erases at once is told first and has to be confirmed."""
    actor, form = person(request), FolderSettingsForm(request.POST)
    place = _managed(actor, location)
    if not form.is_valid():
        return _settings(request, place, form, status=422)
    days = form.cleaned_data["retention_days"]
    # Confirmed for these days, and not for others that were typed over them.
    if days and request.POST.get("confirmed") != str(days):
        erased = captures.older(actor, folder=location, days=days)
        if erased:
            return _settings(request, place, form, erased=erased, days=days)
    try:
        services.settings(actor, location=location, retention_days=days)
    except Invalid as refusal:
        form.refuse(refusal)
        return _settings(request, place, form, status=422)
    messages.success(request, f"Captures here are kept for {days} days." if days else "Captures here are kept.")
    return redirect("folder", location)


def activity(request: HttpRequest, location: str) -> HttpResponse:
    """What people and agents did at and below a folder, newest first, by day."""
    rows = receipts.activity(person(request), location=location, limit=ROWS // 2, cursor=request.GET.get("cursor"))
    days = [(day, [_deed(fact) for fact in facts]) for day, facts in groupby(rows.items, lambda r: day_words(r.at))]
    context = {"location": location, "page": rows, "days": days, "more": "Older"}
    return page(request, "folder/activity.html", context, at=location, current=location)


def _deed(fact: ActivityRow) -> Deed:
    return Deed(fact=fact, did=DID.get(fact.kind, fact.kind), is_document=fact.document is not None)
