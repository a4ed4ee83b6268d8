"""Documents: reading, writing, and the text as it is."""

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from workspace import access
from workspace.actor import Actor
from workspace.errors import AlreadyExists, Forbidden, Gone, Invalid, NotFound, Refusal, TooLarge
from workspace.markdown import lines
from workspace.markdown.section_text import cut
from workspace.markdown.sections import SectionError
from workspace.queries import access as readers
from workspace.queries import citations, conflicts, documents, folders, history
from workspace.queries import receipts as read
from workspace.services import documents as services
from workspace.services import drafts, receipts
from workspace.services.documents import shrinking
from workspace.services.drafts import Kept, Place
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved, Unchanged, Written
from workspace.web import cited
from workspace.web.errors import moved_on
from workspace.web.forms.base import once
from workspace.web.forms.documents import CreateForm, WriteForm
from workspace.web.frame import page, person
from workspace.web.source import SOURCE_LINES, first_line
from workspace.web.views.conflicts import resolution
from workspace.web.views.drafts import Edited, place_of, told

CONTENTS_DEPTH = 3


def show(request: HttpRequest, location: str) -> HttpResponse:
    """A document as it reads, now or at a commit (``?at=``)."""
    actor, at = person(request), request.GET.get("at") or None
    try:
        document = documents.read(actor, location=location, at=at)
    except Gone:
        return gone(request, location)
    # Before this reading counts. Who wrote the newest version knows what it holds.
    theirs = document.author.kind != "person" or document.author.email != getattr(request.user, "email", "")
    last = read.last_read(actor, document=document.id, number=document.number) if theirs and not at else None
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
        "last_read": last,
        "saved": request.GET.get("saved", ""),
        "citation": citations.citation(location, document.commit),
    }
    if at is None:
        context["conflicts"] = conflicts.listing(actor, location=location, limit=5).items
        context["readers"] = readers.readers(actor, location=location)
    return page(request, "document/read.html", context, at=location.rpartition("/")[0], current=location)


def gone(request: HttpRequest, location: str) -> HttpResponse:
    """The page of a deleted document, for those who could read it."""
    context = {"location": location}
    return page(request, "document/gone.html", context, at=location.rpartition("/")[0], status=410)


def newer(request: HttpRequest, location: str) -> HttpResponse:
    """A strip that tells of a commit after ``?than=``; nothing to swap (204) while there is none, which every open
    editor asks every few seconds: one query."""
    actor, than = person(request), request.GET.get("than", "")
    if access.document(actor, location=location).head_id == than:
        return HttpResponse(status=204)
    context = {"newer": history.log(actor, location=location, limit=1).items[0], "than": than}
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


def editor(
    request: HttpRequest,
    location: str,
    form: WriteForm,
    *,
    title: str = "",
    kept: Kept | None = None,
    resumed: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The editor, with whatever ``form`` holds. ``kept`` is a draft that is offered, or that ``form`` goes on from."""
    context = {
        "form": form,
        "location": location,
        "action": reverse("edit", args=[location]),
        "back": reverse("document", args=[location]),
        "preview": _previewed(form) if status == 200 else "",
        "draft": kept,
        "draft_data": told(kept) if kept else None,
        "resumed": resumed,
        "section": form["section"].value() or "",
        "section_title": title,
        "shrinks": bool(form.errors.get("confirm_shrink")) if form.is_bound else False,
    }
    return page(request, "document/edit.html", context, at=location.rpartition("/")[0], current=location, status=status)


def edit(request: HttpRequest, location: str) -> HttpResponse:
    """The form to edit a document, or with ``?section=`` the one with that anchor; with ``?draft=`` it goes on from
    the person's draft. A reader is told at once, and not after an hour of typing."""
    actor, section = person(request), request.GET.get("section", "")
    document = documents.read(actor, location=location)
    if not document.abilities.edit:
        raise Forbidden("You read this document; editing it needs editor.", need="editor")
    kept = drafts.mine(actor, place=place_of(location)) if document.drafted else None
    if kept is not None and "draft" in request.GET:
        resumed = {
            "content": kept.content,
            "base": kept.base,
            "section": kept.name,
            "message": kept.message,
            "draft": kept.mark,
        }
        return editor(request, location, WriteForm(initial=resumed), kept=kept, resumed=True)
    try:
        shown = cut(document.content, section) if section else None
    except SectionError:
        messages.info(request, "There is no such section any more. This is the whole document.")
        return redirect("edit", location)
    text = shown.section if shown else document.content
    form = WriteForm(initial={"content": text, "base": document.commit, "section": section})
    if kept is not None and kept.content == lines.normalise(text):
        kept = None
    return editor(request, location, form, title=shown.title if shown else "", kept=kept)


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
            content=_whole(actor, location, form),
            expected_commit=base,
            on_conflict="merge",
            idempotency_key=form.once(),
            message=form.cleaned_data["message"],
            confirm_shrink=form.cleaned_data["confirm_shrink"],
        )
    except SectionError:
        form.add_error("content", "The version that this is based on has no such section. Copy the text.")
        return editor(request, location, form, status=422)
    except Invalid as refusal:
        if any(error.field == shrinking.FIELD for error in refusal.errors):
            form.add_error(shrinking.FIELD, "This takes out nearly all of the page, so nothing was saved yet.")
        else:
            form.refuse(refusal)
        return editor(request, location, form, status=422)
    except TooLarge as refusal:
        form.add_error("content", refusal.detail)
        return editor(request, location, form, status=413)
    _dropped(actor, place_of(location), form)
    return landed(request, actor, outcome, draft=location)


def _dropped(actor: Actor, place: Place, form: WriteForm) -> None:
    """The draft of what was written is none any more; a conflict keeps the text as well."""
    # Where the place went meanwhile, what was written is written.
    with suppress(Refusal):
        drafts.drop(actor, place=place, mark=form.cleaned_data["draft"], content=form.text())


def _whole(actor: Actor, location: str, form: WriteForm) -> str:
    """What was typed, as the whole text of the document. Raises ``SectionError``."""
    section, typed = form.cleaned_data["section"], form.text()
    return Edited(whole=_before(actor, location, form.cleaned_data["base"]), section=section).put(typed)


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


def _creator(
    request: HttpRequest,
    folder: str,
    form: CreateForm,
    *,
    kept: Kept | None = None,
    resumed: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "creating": True,
        "folder": folder,
        "action": reverse("document_new", args=[folder]),
        "back": reverse("folder", args=[folder]),
        "preview": _previewed(form) if status == 200 else "",
        "draft": kept,
        "draft_data": told(kept) if kept else None,
        "resumed": resumed,
    }
    return page(request, "document/edit.html", context, at=folder, status=status)


def new(request: HttpRequest, folder: str) -> HttpResponse:
    """The form for a new document in a folder; with ``?draft=`` it goes on from the person's draft."""
    actor = person(request)
    place = folders.show(actor, location=folder)
    if not (place.abilities and place.abilities.create):
        raise Forbidden("Writing in this folder needs editor.", need="editor")
    kept = drafts.mine(actor, place=Place(folder=folder))
    initial, resumed = {"location": f"{folder}/"}, kept is not None and "draft" in request.GET
    if kept is not None and resumed:
        initial = {
            "location": kept.name or f"{folder}/",
            "content": kept.content,
            "message": kept.message,
            "draft": kept.mark,
        }
    return _creator(request, folder, CreateForm(initial=initial), kept=kept, resumed=resumed)


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
    _dropped(actor, Place(folder=folder), form)
    return landed(request, actor, outcome, draft=f"new:{folder}")


def undelete(request: HttpRequest, location: str) -> HttpResponse:
    """Bring a deleted document back as it was."""
    actor = person(request)
    return landed(request, actor, services.undelete(actor, location=location, idempotency_key=once(request.POST)))


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)
