"""What the editor does while somebody types: keeping the draft, showing what it changes, following the head."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from workspace import access
from workspace.actor import Actor, Role
from workspace.markdown import lines
from workspace.markdown.section_text import cut
from workspace.markdown.sections import SectionError
from workspace.merge import endings, merge
from workspace.merge.diff import diff
from workspace.queries import documents, history
from workspace.services import drafts
from workspace.services.drafts import Kept, Other, Place
from workspace.web import diffs
from workspace.web.components import commit
from workspace.web.frame import page, person

CHANGED_LINES = 600
SETTLED = {
    "blocks": "changes that stand next to each other were both kept",
    "formatting": "new line breaks and new words were both kept",
    "sentences": "different sentences of one paragraph were both kept",
    "links": "the words of a link and where it leads were both kept",
    "heading": "the words of a heading and its anchor were both kept",
    "cells": "different cells of one row were both kept",
    "subsumed": "one change held the other",
    "same": "both had put in the same",
    "union": "both additions to one list were kept",
    "sections": "both new sections were kept",
    "beside": "an addition beside a change was kept",
    "moved": "a change went with the text that was moved",
    "renumbered": "a list was numbered anew",
}
"""What the rules of the merge did, in words."""


@dataclass(frozen=True, kw_only=True)
class Edited:
    """What an editor shows: a document at a commit, or the section of it with the anchor ``section``."""

    whole: str
    section: str = ""

    @property
    def text(self) -> str:
        """What is edited, with line ends as browsers have them. Raises ``SectionError``."""
        return lines.normalise(cut(self.whole, self.section).section if self.section else self.whole)

    def put(self, typed: str) -> str:
        """The whole document with ``typed`` in it, with its own line ends. Raises ``SectionError``."""
        if self.section:
            return cut(self.whole, self.section).put(typed)
        return endings.like(typed, self.whole)


def place_of(location: str) -> Place:
    """Where the draft of a document is."""
    return Place(document=location)


def told(kept: Kept) -> dict[str, Any]:
    """A draft as the editor's script reads it."""
    return {
        "mark": kept.mark,
        "base": kept.base,
        "saved_at": kept.saved_at.isoformat(),
        "based": kept.base[:8],
        "section": kept.name,
        "content": kept.content,
    }


def _keep(actor: Actor, place: Place, sent: Mapping[str, str], name: str) -> HttpResponse:
    if "discard" in sent:
        drafts.drop(actor, place=place, mark=sent.get("follows", ""))
        return HttpResponse(status=204)
    outcome = drafts.save(
        actor,
        place=place,
        content=sent.get("content", ""),
        base=sent.get("base", ""),
        name=name,
        message=sent.get("message", ""),
        follows=sent.get("follows", ""),
    )
    match outcome:
        case Other(kept=kept):
            return JsonResponse({"other": told(kept) if kept else None}, status=409)
        case Kept():
            return JsonResponse({name: value for name, value in told(outcome).items() if name != "content"})


def keep(request: HttpRequest, location: str) -> HttpResponse:
    """Keep what is being typed, or with ``discard`` throw it away; 409 with the draft that another window keeps."""
    if "show" in request.POST:
        return _changes(request, location)
    actor, place = person(request), place_of(location)
    if "discard" in request.POST and "script" not in request.POST:
        drafts.drop(actor, place=place, mark=request.POST.get("follows", ""))
        messages.info(request, "The draft was thrown away.")
        return redirect("edit", location)
    return _keep(actor, place, request.POST, request.POST.get("section", ""))


def keep_new(request: HttpRequest, folder: str) -> HttpResponse:
    """The same for a new document in a folder."""
    place = Place(folder=folder)
    if "discard" in request.POST and "script" not in request.POST:
        drafts.drop(person(request), place=place, mark=request.POST.get("follows", ""))
        messages.info(request, "The draft was thrown away.")
        return redirect("document_new", folder)
    return _keep(person(request), place, request.POST, request.POST.get("location", "")[: drafts.NAME])


def show(request: HttpRequest, location: str) -> HttpResponse:
    """What my draft changes in the version that it was typed upon."""
    actor = person(request)
    kept = drafts.mine(actor, place=place_of(location))
    if kept is None:
        return redirect("edit", location)
    base = documents.read(actor, location=location, at=kept.base).content
    context = {
        "location": location,
        "draft": kept,
        "hunks": _hunks(Edited(whole=base, section=kept.name), kept.content),
        "resume": f"{reverse('edit', args=[location])}?draft=1",
    }
    return page(request, "document/draft.html", context, at=location.rpartition("/")[0], current=location)


def _changes(request: HttpRequest, location: str) -> HttpResponse:
    """What the text that was sent changes, as a part of the page."""
    actor, sent = person(request), request.POST
    access.document(actor, location=location, need=Role.EDITOR)
    base = documents.read(actor, location=location, at=sent.get("base") or None).content
    hunks = _hunks(Edited(whole=base, section=sent.get("section", "")), sent.get("content", ""))
    return render(request, "document/draft.html#changes", {"hunks": hunks})


def _hunks(edited: Edited, text: str) -> tuple[diffs.Hunk, ...]:
    try:
        before = edited.text
    except SectionError:
        before = edited.whole
    return diffs.rows(diff(before, lines.normalise(text), most=CHANGED_LINES))


def rebase(request: HttpRequest, location: str) -> HttpResponse:
    """What is being typed upon ``base``, merged with what was saved meanwhile. Nothing is written.

    JSON: ``state`` is ``current`` where nothing was saved, ``merged`` with the text to go on with and the version that
    is upon (``content original base based``), or ``apart`` where the two do not fit and saving leads to the page that
    settles them (``head``); ``strip`` is the notice to show.
    """
    actor, sent = person(request), request.POST
    head = access.document(actor, location=location, need=Role.EDITOR).head_id
    base = sent.get("base", "")
    if head == base:
        return JsonResponse({"state": "current"})
    section = sent.get("section", "")
    try:
        old = Edited(whole=documents.read(actor, location=location, at=base).content, section=section).text
        new = documents.read(actor, location=location)
        now = Edited(whole=new.content, section=section).text
        merged = merge(old, now, lines.normalise(sent.get("content", "")))
    except SectionError:
        merged = None
    row = history.log(actor, location=location, limit=1).items[0]
    context = {"row": row, "location": location, "than": base}
    if merged is None or merged.text is None:
        strip = render_to_string("document/edit.html#apart", context, request)
        return JsonResponse({"state": "apart", "head": head, "strip": strip})
    context |= {
        "here": old != now,
        "settled": [SETTLED[rule] for rule in dict.fromkeys(each.rule for each in merged.decisions)],
    }
    return JsonResponse(
        {
            "state": "merged",
            "content": merged.text,
            "original": now,
            "base": new.commit,
            "based": commit(new.commit, location),
            "strip": render_to_string("document/edit.html#merged", context, request),
        }
    )
