"""Moving and deleting what stands at a location, be it a folder or a document."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import AccessChange, AlreadyExists, Forbidden, Gone, Invalid, NotFound, PreconditionRequired
from workspace.queries import documents, folders
from workspace.queries.documents import DocumentText
from workspace.queries.folders import FolderView
from workspace.services import documents as document_services
from workspace.services import folders as folder_services
from workspace.services.outcomes import Conflict
from workspace.web.errors import moved_on
from workspace.web.forms.base import once
from workspace.web.forms.documents import MoveForm
from workspace.web.frame import page, person


def at(actor: Actor, location: str) -> DocumentText | FolderView:
    """The document at ``location``, else the folder. Raises ``NotFound``, ``Gone``."""
    if "/" not in location:
        return folders.show(actor, location=location)
    try:
        return documents.read(actor, location=location, limit=1)
    except (NotFound, Gone) as refusal:
        try:
            # A folder may stand where no document is.
            return folders.show(actor, location=location)
        except NotFound:
            raise refusal from None


def _still_at(actor: Actor, location: str, key: str | None) -> DocumentText | FolderView | None:
    """As ``at``; None where it may be this very request, sent before, that took the document away: the service then
    gives its outcome again, or refuses."""
    try:
        return at(actor, location)
    except (NotFound, Gone):
        if key is None or "/" not in location:
            raise
        return None


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
    if not form.is_valid():
        return _mover(request, at(actor, location), form, status=422)
    place = _still_at(actor, location, form.once())
    target, acknowledged = form.cleaned_data["target"], "acknowledge" in request.POST
    try:
        if isinstance(place, FolderView):
            moved = folder_services.move(
                actor, source=location, target=target.strip("/"), acknowledge_access_change=acknowledged
            )
            messages.success(request, f"Moved to {moved.location}.")
            return redirect("folder", moved.location)
        outcome = document_services.move(
            actor,
            source=location,
            target=target,
            acknowledge_access_change=acknowledged,
            expected_commit=form.cleaned_data["base"] or None,
            idempotency_key=form.once(),
        )
    except (Invalid, AlreadyExists, AccessChange) as refusal:
        if place is None:
            raise
        return _not_moved(request, place, form, refusal)
    if isinstance(outcome, Conflict) and place is not None:
        form = MoveForm(initial={"target": target, "base": outcome.head_commit})
        return _mover(request, place, form, status=409, changed=True)
    messages.success(request, f"Moved to {outcome.location}.")
    return redirect("document", outcome.location)


def _not_moved(
    request: HttpRequest,
    place: DocumentText | FolderView,
    form: MoveForm,
    refusal: Invalid | AlreadyExists | AccessChange,
) -> HttpResponse:
    """The form again, with what is in the way."""
    match refusal:
        case Invalid():
            form.refuse(refusal)
            return _mover(request, place, form, status=422)
        case AlreadyExists():
            form.add_error("target", refusal.detail)
            return _mover(request, place, form, status=409)
        case AccessChange():
            return _mover(request, place, form, status=409, change=refusal)


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
        rows = documents.below(actor, location=location, limit=100)
        context |= {"folder": place, "documents": len(rows.items), "many": rows.next_cursor is not None}
    else:
        context["base"] = place.head_commit
    inside = location if is_folder else location.rpartition("/")[0]
    return page(request, "document/delete.html", context, at=inside, current=location)


def delete(request: HttpRequest, location: str) -> HttpResponse:
    """Delete a document (a tombstone) or a folder with all in it."""
    actor = person(request)
    base, key = request.POST.get("base"), once(request.POST)
    place = _still_at(actor, location, key)
    if isinstance(place, FolderView):
        count = folder_services.delete(actor, location=location)
        messages.success(request, f"Deleted {location} with {count} documents. Each can be brought back.")
        parent = location.rpartition("/")[0]
        return redirect("folder", parent) if parent else redirect("home")
    if not base:
        raise PreconditionRequired("The form does not say which version it was decided on.", field="base")
    outcome = document_services.delete(actor, location=location, expected_commit=base, idempotency_key=key)
    if isinstance(outcome, Conflict):
        return moved_on(request, location)
    messages.success(request, f"Deleted {location}. Its page brings it back.")
    return redirect("folder", location.rpartition("/")[0])
