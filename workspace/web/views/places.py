"""Moving and deleting what stands at a location, be it a folder or a document."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import AccessChange, AlreadyExists, Forbidden, Gone, Invalid, NotFound
from workspace.queries import documents, folders
from workspace.queries.documents import DocumentText
from workspace.queries.folders import FolderView
from workspace.services import documents as document_services
from workspace.services import folders as folder_services
from workspace.services.outcomes import Conflict
from workspace.web.errors import moved_on
from workspace.web.forms.documents import MoveForm
from workspace.web.frame import page, person


def at(actor: Actor, location: str) -> DocumentText | FolderView:
    """The document at ``location``, else the folder. Raises ``NotFound``."""
    if "/" in location:
        try:
            return documents.read(actor, location=location, limit=1)
        except (NotFound, Gone):
            pass  # A folder may stand where no document is.
    return folders.show(actor, location=location)


def address(place: DocumentText | FolderView) -> str:
    """The page of a place."""
    return reverse("document" if isinstance(place, DocumentText) else "folder", args=[place.location])


def _mover(request: HttpRequest, place: DocumentText | FolderView, form: MoveForm, **more: object) -> HttpResponse:
    status = more.pop("status", 200)
    context = {"form": form, "location": place.location, "back": address(place), **more}
    inside = place.location if isinstance(place, FolderView) else place.location.rpartition("/")[0]
    return page(request, "document/move.html", context, at=inside, current=place.location, status=int(str(status)))


def moving(request: HttpRequest, location: str) -> HttpResponse:
    """The form to move or rename."""
    place = at(person(request), location)
    if not (place.abilities and place.abilities.edit):
        raise Forbidden("You may read this, not move it; that needs editor.", need="editor")
    base = place.commit if isinstance(place, DocumentText) else ""
    return _mover(request, place, MoveForm(initial={"target": location, "base": base}))


def move(request: HttpRequest, location: str) -> HttpResponse:
    """Move or rename; who would gain or lose reading is shown first and has to be acknowledged."""
    actor, form = person(request), MoveForm(request.POST)
    place = at(actor, location)
    if not form.is_valid():
        return _mover(request, place, form, status=422)
    target, acknowledged = form.cleaned_data["target"].strip("/"), "acknowledge" in request.POST
    try:
        if isinstance(place, FolderView):
            moved = folder_services.move(actor, source=location, target=target, acknowledge_access_change=acknowledged)
            messages.success(request, f"Moved to {moved.location}.")
            return redirect("folder", moved.location)
        outcome = document_services.move(
            actor,
            source=location,
            target=target,
            acknowledge_access_change=acknowledged,
            expected_commit=form.cleaned_data["base"] or None,
        )
    except Invalid as refusal:
        form.refuse(refusal)
        return _mover(request, place, form, status=422)
    except AlreadyExists as refusal:
        form.add_error("target", refusal.detail)
        return _mover(request, place, form, status=409)
    except AccessChange as refusal:
        return _mover(request, place, form, status=409, change=refusal)
    if isinstance(outcome, Conflict):
        form = MoveForm(initial={"target": target, "base": outcome.head_commit})
        return _mover(request, place, form, status=409, changed=True)
    messages.success(request, f"Moved to {outcome.location}.")
    return redirect("document", outcome.location)


def deleting(request: HttpRequest, location: str) -> HttpResponse:
    """Asks before anything is deleted."""
    actor = person(request)
    place = at(actor, location)
    is_folder = isinstance(place, FolderView)
    if not (place.abilities and (place.abilities.manage if is_folder else place.abilities.delete)):
        need = "manager" if is_folder else "editor"
        raise Forbidden(f"Deleting this needs {need}.", need=need)
    context: dict[str, object] = {"location": location, "back": address(place)}
    if isinstance(place, FolderView):
        context |= {"folder": place, "documents": len(documents.below(actor, location=location, limit=100).items)}
    else:
        context["base"] = place.head_commit
    inside = location if is_folder else location.rpartition("/")[0]
    return page(request, "document/delete.html", context, at=inside, current=location)


def delete(request: HttpRequest, location: str) -> HttpResponse:
    """Delete a document (a tombstone) or a folder with all in it."""
    actor = person(request)
    place = at(actor, location)
    if isinstance(place, FolderView):
        count = folder_services.delete(actor, location=location)
        messages.success(request, f"Deleted {location} with {count} documents. Each can be brought back.")
        parent = location.rpartition("/")[0]
        return redirect("folder", parent) if parent else redirect("home")
    outcome = document_services.delete(actor, location=location, expected_commit=request.POST.get("base") or None)
    if isinstance(outcome, Conflict):
        return moved_on(request, location)
    messages.success(request, f"Deleted {location}. Its page brings it back.")
    return redirect("folder", location.rpartition("/")[0])
