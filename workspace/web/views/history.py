"""History of a document: its commits, the difference of two, and who wrote which line."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import Forbidden, Gone, Invalid
from workspace.markdown import lines, sections
from workspace.queries import documents, history
from workspace.services import authorship
from workspace.services import documents as services
from workspace.services.documents import shrinking
from workspace.web import diffs, pointing, timeline
from workspace.web.forms.base import once
from workspace.web.frame import page, person
from workspace.web.source import SOURCE_LINES, first_line
from workspace.web.views.documents import landed

ROWS = 50
DIFF_LINES = 3_000
"""A browser takes seconds to lay out more."""
VIEWS = ("side", "inline")
QUOTED = 280
"""Characters of a sentence that the answer to who wrote it repeats."""


def log(request: HttpRequest, location: str) -> HttpResponse:
    """The commits of a document, newest first, by day."""
    actor = person(request)
    rows = history.log(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    newest = "cursor" not in request.GET and rows.items
    context = {
        "location": location,
        "page": rows,
        "days": timeline.days(rows.items),
        "head": rows.items[0].id if newest else "",
        "default_to": rows.items[0].id if rows.items else "",
        "default_from": rows.items[1].id if len(rows.items) > 1 else "",
        "edits": _edits(actor, location),
        "more": "Older",
    }
    return page(request, "document/history.html", context, at=location.rpartition("/")[0], current=location)


def _edits(actor: Actor, location: str) -> bool:
    try:
        return documents.read(actor, location=location, limit=1).abilities.edit
    except Gone:
        return False


def diff(request: HttpRequest, location: str) -> HttpResponse:
    """What changed between two commits; without ``from``, since the parent of ``to``."""
    actor, view = person(request), request.GET.get("view", "side")
    frm, to = request.GET.get("from") or None, request.GET.get("to") or None
    found = history.diff(actor, location=location, frm=frm, to=to, most=DIFF_LINES, authors=True)
    if frm is None and not found.to_commit.parents:
        return redirect("history", location)
    context = {
        "location": location,
        "diff": found,
        "hunks": list(zip(diffs.rows(found.hunks), found.authors, strict=True)),
        "changes": sum(not hunk.formatting for hunk in found.hunks),
        "settled": timeline.settled(found.to_commit),
        "elsewhere": timeline.elsewhere(found.to_commit),
        "view": view if view in VIEWS else "side",
    }
    return page(request, "document/diff.html", context, at=location.rpartition("/")[0], current=location)


def blame(request: HttpRequest, location: str) -> HttpResponse:
    """The text from ``?line=`` on with who wrote it, by line, or by sentence (``?view=sentence``)."""
    at, line = request.GET.get("at") or None, first_line(request)
    found = history.blame(person(request), location=location, at=at, line=line, most=SOURCE_LINES, keep=authorship.keep)
    context = {
        "location": location,
        "blame": found,
        "runs": _runs(found.runs),
        "groups": _groups(found.sentences),
        "view": "sentence" if request.GET.get("view") == "sentence" else "line",
        "first": line,
        "next_line": found.next_line,
    }
    return page(request, "document/blame.html", context, at=location.rpartition("/")[0], current=location)


def _runs(runs: Iterable[history.BlameRun]) -> list[dict[str, Any]]:
    """The lines of each commit, numbered. Blank lines go with those above them: who ended a paragraph is no news."""
    drawn: list[dict[str, Any]] = []
    for run in runs:
        numbered = list(enumerate((lines.bare(line) for line in lines.split(run.text)), run.start_line))
        if drawn and (not run.text.strip() or drawn[-1]["commit"].id == run.commit.id):
            drawn[-1]["lines"] += numbered
        else:
            drawn.append({"commit": run.commit, "lines": numbered})
    return drawn


def _groups(sentences: Iterable[history.Sentence]) -> list[dict[str, Any]]:
    """Sentences that follow each other and are of one commit, together."""
    return [
        {"commit": commit, "sentences": list(group)} for commit, group in groupby(sentences, lambda s: s.commits[0])
    ]


def who(request: HttpRequest, location: str) -> HttpResponse:
    """Who wrote the sentence at ``?offset=``, or the one ``?into=`` letters into ``?words=`` in ``?lines=``, and why.

    A part of the read page; asked for by itself it leads to that line of the blame page.
    """
    actor, at = person(request), request.GET.get("at") or None
    document = documents.read(actor, location=location, at=at)
    offset = _pointed(request, document.content)
    if "HX-Request" not in request.headers:
        line = lines.count(document.content[: offset + 1]) or 1
        first = (line - 1) // SOURCE_LINES * SOURCE_LINES + 1
        query = {"at": document.commit} | ({"line": first} if first > 1 else {})
        return redirect(f"{reverse('blame', args=[location])}?{urlencode(query)}#L{line}")
    found = history.sentences(
        actor, location=location, at=document.commit, start=offset, end=offset + 1, keep=authorship.keep
    )
    context: dict[str, Any] = {"location": location, "commit": document.commit, "sentence": None}
    if found.sentences:
        sentence, text = found.sentences[0], document.content
        context |= {
            "sentence": sentence,
            "since": found.known_since,
            "quoted": " ".join(sentence.text.split())[:QUOTED],
            "before": len(text[: sentence.start].rstrip()) - 1,
            "after": sentence.end + len(text[sentence.end :]) - len(text[sentence.end :].lstrip()),
            "end": len(text),
        }
    return render(request, "document/who.html", context)


def _pointed(request: HttpRequest, text: str) -> int:
    asked = request.GET.get("offset", "")
    if not asked:
        near, into = (_count(request.GET.get(name, "")) for name in ("skip", "into"))
        found = pointing.offset(text, request.GET.get("lines", ""), request.GET.get("words", ""), near, into)
        return 0 if found is None else found
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 9):
        raise Invalid("offset", "must be a whole number.")
    # Between two sentences, the one that comes next.
    at = min(int(asked), len(text))
    return at + len(text[at:]) - len(text[at:].lstrip()) if text[at:].strip() else max(0, len(text.rstrip()) - 1)


def _count(asked: str) -> int:
    """A number of letters that the page counted; 0 for anything else."""
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= 9 else 0


def restoring(request: HttpRequest, location: str) -> HttpResponse:
    """The form that brings back an earlier version (``?commit=``): whole, or one section of it."""
    return _restoring(request, location, request.GET.get("commit", ""))


def _restoring(
    request: HttpRequest, location: str, commit: str, *, error: str = "", asks: str = "", status: int = 200
) -> HttpResponse:
    """``asks`` is what of it waits for a tick, as it leaves next to nothing of the page: ``whole`` or ``section``."""
    actor = person(request)
    now = documents.read(actor, location=location)
    if not now.abilities.edit:
        raise Forbidden("You read this document; restoring needs editor.", need="editor")
    earlier = documents.read(actor, location=location, at=commit or now.commit)
    context = {
        "location": location,
        "now": now,
        "earlier": earlier,
        "sections": _sections(earlier.content, now.content),
        "error": error,
        "asks": asks,
        "chosen": request.POST.get("section", ""),
    }
    return page(
        request, "document/restore.html", context, at=location.rpartition("/")[0], current=location, status=status
    )


def _sections(earlier: str, now: str) -> list[dict[str, Any]]:
    """The sections of an earlier text, and whether each is the same today, another, or gone."""
    today: dict[tuple[str, ...], str] = {s.path: _text(now, s) for s in reversed(sections.outline(now))}
    found = []
    for section in sections.outline(earlier):
        then, is_now = _text(earlier, section), today.get(section.path)
        state = "gone" if is_now is None else "same" if is_now == then else "differs"
        found.append({"section": section, "named": f"#{section.anchor}", "state": state})
    return found


def _text(text: str, section: sections.Section) -> str:
    return lines.normalise(lines.slice(text, section.start_line, section.end_line)).strip()


def restore(request: HttpRequest, location: str) -> HttpResponse:
    """Make an earlier version the current text, as a new commit."""
    actor, commit = person(request), request.POST.get("commit", "")
    try:
        outcome = services.restore(
            actor,
            location=location,
            commit=commit,
            expected_commit=request.POST.get("base") or None,
            idempotency_key=once(request.POST),
            confirm_shrink=shrinking.FIELD in request.POST,
            message=f"Restore {commit[:8]}",
        )
    except Invalid as refusal:
        if not _shrinks(refusal):
            raise
        return _restoring(request, location, commit, asks="whole", status=422)
    return landed(request, actor, outcome)


def _shrinks(refusal: Invalid) -> bool:
    return any(error.field == shrinking.FIELD for error in refusal.errors)


def restore_section(request: HttpRequest, location: str) -> HttpResponse:
    """Make one section what it was at an earlier version."""
    actor, commit = person(request), request.POST.get("commit", "")
    try:
        outcome = services.restore_section(
            actor,
            location=location,
            commit=commit,
            section=request.POST.get("section", ""),
            expected_commit=request.POST.get("base") or None,
            on_conflict="merge",
            idempotency_key=once(request.POST),
            confirm_shrink=shrinking.FIELD in request.POST,
        )
    except Invalid as refusal:
        if _shrinks(refusal):
            return _restoring(request, location, commit, asks="section", status=422)
        wrong = [error.message for error in refusal.errors if error.field == "section"]
        if not wrong:
            raise
        return _restoring(request, location, commit, error="; ".join(wrong), status=422)
    return landed(request, actor, outcome)
