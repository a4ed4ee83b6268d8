"""Documents: reading, writing, and the text as it is."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import AlreadyExists, Forbidden, Gone, Invalid, NotFound, TooLarge
from workspace.markdown import lines
from workspace.queries import access, citations, conflicts, documents, folders, history
from workspace.services import documents as services
from workspace.services import receipts
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved, Unchanged, Written
from workspace.web import cited
from workspace.web.errors import moved_on
from workspace.web.forms.base import once
from workspace.web.forms.documents import CreateForm, WriteForm
from workspace.web.frame import page, person
from workspace.web.source import SOURCE_LINES, first_line
from workspace.web.views.conflicts import resolution

CONTENTS_DEPTH = 3


def show(request: HttpRequest, location: str) -> HttpResponse:
    """A document as it reads, now or at a commit (``?at=``)."""
    actor, at = person(request), request.GET.get("at") or None
    try:
        document = documents.read(actor, location=location, at=at)
    except Gone:
        return gone(request, location)
    receipts.read(actor, document=document.id, commit=document.commit)
    html, rendered = cited.page(document.content)
    context: dict[str, Any] = {
        "document": document,
        "name": location.rpartition("/")[2],
        "html": html,
        "titled": any(entry.level == 1 for entry in rendered.contents[:1]),
        "empty": not document.content.strip(),
        "fields": [(key, _plain(value)) for key, value in rendered.fields.items()],
        "contents": [e for e in rendered.contents if 1 < e.level <= CONTENTS_DEPTH],
        "pinned": at is not None,
        "saved": request.GET.get("saved", ""),
        "citation": citations.citation(location, document.commit),
    }
    if at is None:
        context["conflicts"] = conflicts.listing(actor, location=location, limit=5).items
        context["readers"] = access.readers(actor, location=location)
    return page(request, "document/read.html", context, at=location.rpartition("/")[0], current=location)


def gone(request: HttpRequest, location: str) -> HttpResponse:
    """The page of a deleted document, for those who could read it."""
    context = {"location": location}
    return page(request, "document/gone.html", context, at=location.rpartition("/")[0], status=410)


def newer(request: HttpRequest, location: str) -> HttpResponse:
    """A strip that tells of a commit after ``?than=``; nothing to swap (204) while there is none."""
    actor, than = person(request), request.GET.get("than", "")
    latest = history.log(actor, location=location, limit=1).items
    if not latest or latest[0].id == than:
        return HttpResponse(status=204)
    context = {"newer": latest[0], "than": than}
    return render(request, "document/read.html#newer", context)


def raw(request: HttpRequest, location: str) -> HttpResponse:
    """The text with line numbers, from ``?line=`` on; a citation's lines can be linked to without script."""
    document = documents.read(person(request), location=location, at=request.GET.get("at") or None)
    every, first = lines.split(document.content), first_line(request)
    end = first - 1 + SOURCE_LINES
    context = {
        "document": document,
        "location": location,
        "lines": [(n, lines.bare(line)) for n, line in enumerate(every[first - 1 : end], first)],
        "first": first,
        "next_line": end + 1 if end < len(every) else None,
    }
    return page(request, "document/raw.html", context, at=location.rpartition("/")[0], current=location)


def preview(request: HttpRequest) -> HttpResponse:
    """Markdown rendered as it would read; nothing is kept."""
    content = request.POST.get("content", "")
    if len(content.encode("utf-8", "replace")) > settings.BATON_DOCUMENT_BYTES:
        raise TooLarge(field="content", limit=settings.BATON_DOCUMENT_BYTES)
    return HttpResponse(cited.page(lines.normalise(content))[0])


def _previewed(form: WriteForm) -> str:
    """What was typed, as it would read; nothing in a form that was just opened."""
    content = form.data.get("content") if form.is_bound else None
    return cited.page(lines.normalise(content))[0] if content else ""


def editor(request: HttpRequest, location: str, form: WriteForm, *, status: int = 200) -> HttpResponse:
    """The editor, with whatever ``form`` holds."""
    context = {
        "form": form,
        "location": location,
        "action": reverse("edit", args=[location]),
        "back": reverse("document", args=[location]),
        "preview": _previewed(form) if status == 200 else "",
    }
    return page(request, "document/edit.html", context, at=location.rpartition("/")[0], current=location, status=status)


def edit(request: HttpRequest, location: str) -> HttpResponse:
    """The form to edit a document. A reader is told at once, and not after an hour of typing."""
    document = documents.read(person(request), location=location)
    if not document.abilities.edit:
        raise Forbidden("You read this document; editing it needs editor.", need="editor")
    form = WriteForm(initial={"content": document.content, "base": document.commit})
    return editor(request, location, form)


def save(request: HttpRequest, location: str) -> HttpResponse:
    """Write the text upon the commit that the form was opened with; merge where the document has moved."""
    actor, form = person(request), WriteForm(request.POST)
    if not form.is_valid():
        return editor(request, location, form, status=422)
    base = form.cleaned_data["base"]
    if "preview" in request.POST:
        return editor(request, location, form)
    if not base:
        form.add_error(None, "The form does not say which version it is based on. Copy the text and open it again.")
        return editor(request, location, form, status=428)
    try:
        outcome = services.edit(
            actor,
            location=location,
            content=form.text(_before(actor, location, base)),
            expected_commit=base,
            on_conflict="merge",
            idempotency_key=form.once(),
            message=form.cleaned_data["message"],
        )
    except Invalid as refusal:
        form.refuse(refusal)
        return editor(request, location, form, status=422)
    except TooLarge as refusal:
        form.add_error("content", refusal.detail)
        return editor(request, location, form, status=413)
    return landed(request, actor, outcome, draft=location)


def _before(actor: Actor, location: str, base: str) -> str:
    """The text that the form was opened with. Where it is not there, the service says what is not."""
    try:
        return documents.read(actor, location=location, at=base).content
    except (NotFound, Invalid):
        return ""


def landed(request: HttpRequest, actor: Actor, outcome: Written | Conflict, *, draft: str = "") -> HttpResponse:
    """Where a write leads: to the document, or with 409 to the page that settles the conflict. ``draft`` names the
    text that the browser kept, which is no longer unsaved."""
    match outcome:
        case Conflict(conflict=str(draft)):
            return resolution(request, actor, draft, status=409)
        case Conflict():
            return moved_on(request, outcome.location)
        case Merged():
            messages.success(request, f"Merged with what was saved meanwhile, as {outcome.commit[:8]}.")
        case Unchanged():
            messages.info(request, "Nothing differs from what is there; no version was made.")
        case Saved() | Replayed():
            messages.success(request, f"Saved as {outcome.commit[:8]}.")
    address = reverse("document", args=[outcome.location])
    return redirect(f"{address}?{urlencode({'saved': draft})}" if draft else address)


def _creator(request: HttpRequest, folder: str, form: CreateForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "creating": True,
        "folder": folder,
        "action": reverse("document_new", args=[folder]),
        "back": reverse("folder", args=[folder]),
        "preview": _previewed(form) if status == 200 else "",
    }
    return page(request, "document/edit.html", context, at=folder, status=status)


def new(request: HttpRequest, folder: str) -> HttpResponse:
    """The form for a new document in a folder."""
    place = folders.show(person(request), location=folder)
    if not (place.abilities and place.abilities.create):
        raise Forbidden("Writing in this folder needs editor.", need="editor")
    return _creator(request, folder, CreateForm(initial={"location": f"{folder}/"}))


def create(request: HttpRequest, folder: str) -> HttpResponse:
    """Make a document; an existing one is never overwritten."""
    form = CreateForm(request.POST)
    if not form.is_valid():
        return _creator(request, folder, form, status=422)
    if "preview" in request.POST:
        return _creator(request, folder, form)
    actor = person(request)
    try:
        outcome = services.create(
            actor,
            location=form.cleaned_data["location"],
            content=form.text(),
            idempotency_key=form.once(),
            message=form.cleaned_data["message"],
        )
    except Invalid as refusal:
        form.refuse(refusal)
        return _creator(request, folder, form, status=422)
    except AlreadyExists as refusal:
        form.add_error("location", refusal.detail)
        return _creator(request, folder, form, status=409)
    except TooLarge as refusal:
        form.add_error("content", refusal.detail)
        return _creator(request, folder, form, status=413)
    return landed(request, actor, outcome, draft=f"new:{folder}")


def undelete(request: HttpRequest, location: str) -> HttpResponse:
    """Bring a deleted document back as it was."""
    actor = person(request)
    return landed(request, actor, services.undelete(actor, location=location, idempotency_key=once(request.POST)))


def restore(request: HttpRequest, location: str) -> HttpResponse:
    """Make an earlier version the current text, as a new commit."""
    actor = person(request)
    outcome = services.restore(
        actor,
        location=location,
        commit=request.POST.get("commit", ""),
        expected_commit=request.POST.get("base") or None,
        idempotency_key=once(request.POST),
        message=f"Restore {request.POST.get('commit', '')[:8]}",
    )
    return landed(request, actor, outcome)


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)
