"""History of a document: its commits, the difference of two, and who wrote which line."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.markdown import lines
from workspace.queries import history
from workspace.web import diffs
from workspace.web.frame import page, person
from workspace.web.source import SOURCE_LINES, first_line
from workspace.web.times import day_words

ROWS = 50
DIFF_LINES = 3_000
"""A browser takes seconds to lay out more."""


@dataclass(frozen=True, kw_only=True)
class Day:
    """The commits of one day. (``items`` would be a dictionary's method to a template.)"""

    day: str
    commits: tuple[Any, ...]


def log(request: HttpRequest, location: str) -> HttpResponse:
    """The commits of a document, newest first, by day."""
    actor = person(request)
    rows = history.log(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    days = [Day(day=day, commits=tuple(items)) for day, items in groupby(rows.items, lambda r: day_words(r.created_at))]
    newest = "cursor" not in request.GET and rows.items
    context = {
        "location": location,
        "page": rows,
        "days": days,
        "head": rows.items[0].id if newest else "",
        "default_to": rows.items[0].id if rows.items else "",
        "default_from": rows.items[1].id if len(rows.items) > 1 else "",
        "more": "Older",
    }
    return page(request, "document/history.html", context, at=location.rpartition("/")[0], current=location)


def diff(request: HttpRequest, location: str) -> HttpResponse:
    """What changed between two commits; without ``from``, since the parent of ``to``."""
    actor, view = person(request), request.GET.get("view", "side")
    frm, to = request.GET.get("from") or None, request.GET.get("to") or None
    found = history.diff(actor, location=location, frm=frm, to=to, most=DIFF_LINES)
    if frm is None and not found.to_commit.parents:
        return redirect("history", location)
    context = {
        "location": location,
        "diff": found,
        "hunks": diffs.rows(found.hunks),
        "view": view if view in ("side", "inline") else "side",
    }
    return page(request, "document/diff.html", context, at=location.rpartition("/")[0], current=location)


def blame(request: HttpRequest, location: str) -> HttpResponse:
    """The lines from ``?line=`` on, each with the commit that brought it in."""
    at, line = request.GET.get("at") or None, first_line(request)
    found = history.blame(person(request), location=location, at=at, line=line, most=SOURCE_LINES)
    runs = [
        {
            "commit": run.commit,
            "lines": list(enumerate((lines.bare(line) for line in lines.split(run.text)), run.start_line)),
        }
        for run in found.runs
    ]
    context = {"location": location, "blame": found, "runs": runs, "first": line, "next_line": found.next_line}
    return page(request, "document/blame.html", context, at=location.rpartition("/")[0], current=location)
