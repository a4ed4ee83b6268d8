"""Folders: the page of one, making one, and its branch of the tree."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace import locations
from workspace.digest import handoff
from workspace.errors import AlreadyExists, Invalid
from workspace.queries import access, captures, documents, folders
from workspace.services import folders as services
from workspace.web import cited, tree
from workspace.web.forms.documents import FolderForm
from workspace.web.frame import page, person

ROWS = 100


def show(request: HttpRequest, location: str) -> HttpResponse:
    """A folder: its handoff as the cover, then what is in it."""
    actor = person(request)
    folder = folders.show(actor, location=location)
    rows = documents.children(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    context = {
        "folder": folder,
        "folders": folders.children(actor, parent=location, limit=ROWS).items,
        "page": rows,
        "rows": [row for row in rows.items if row.name != handoff.PAGE or not folder.has_handoff],
    }
    if folder.role is not None:
        context["readers"] = access.readers(actor, location=location)
        context["captures"] = captures.listing(actor, folder=location, limit=5).items
    if folder.has_handoff:
        cover = documents.read(actor, location=locations.join(location, handoff.PAGE))
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
