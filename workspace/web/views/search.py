"""Search over what the person can read."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from workspace.errors import Invalid, NotFound
from workspace.queries import citations, search
from workspace.web.diffs import spanned
from workspace.web.errors import note
from workspace.web.frame import page, person

MODES = (("auto", "Everything"), ("text", "Words"), ("titles", "Titles"))
HITS = 30


def show(request: HttpRequest) -> HttpResponse:
    """The search page; what was asked stands in its address."""
    q, within = request.GET.get("q", "").strip(), request.GET.get("location", "").strip().strip("/")
    mode = request.GET.get("mode", "auto")
    mode = mode if mode in dict(MODES) else "auto"
    context: dict[str, Any] = {"q": q, "within": within, "mode": mode, "modes": MODES, "hits": []}
    if not q:
        return page(request, "search.html", context)
    try:
        if "\0" in q:
            raise Invalid("q", "holds a NUL character. Remove it.")
        found = search.search(person(request), q=q, mode=mode, location=within or None, limit=HITS)
    except Invalid as refusal:
        context["errors"] = [f"{e.field} {e.message}" for e in refusal.errors]
        return page(request, "search.html", context, status=422)
    except NotFound as refusal:
        note(request, refusal, location=within)
        context["errors"] = ["There is no folder of that name that you can see."]
        return page(request, "search.html", context, status=422)
    context["hits"] = [
        {
            "hit": hit,
            "heading": hit.heading.removeprefix(hit.title).removeprefix(" > ").replace(" > ", " › "),
            "web_path": citations.web_path(hit.location, at=hit.commit, lines=hit.lines),
            "marked": highlighted(hit.snippet, hit.highlights),
        }
        for hit in found
    ]
    return page(request, "search.html", context)


def highlighted(snippet: str, highlights: Sequence[tuple[int, int]]) -> SafeString:
    """The snippet, escaped, with the words that were found marked."""
    return spanned(snippet, highlights, "mark")
