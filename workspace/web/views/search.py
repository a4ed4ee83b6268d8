"""Search over what the person can read."""

import re
from html import escape

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString, mark_safe

from workspace.errors import Invalid
from workspace.queries import citations, search
from workspace.web.frame import page, person

MODES = (("auto", "Everything"), ("text", "Words"), ("titles", "Titles"))
HITS = 30


def show(request: HttpRequest) -> HttpResponse:
    """The search page; what was asked stands in its address."""
    q, within = request.GET.get("q", "").strip(), request.GET.get("location", "").strip().strip("/")
    mode = request.GET.get("mode", "auto")
    mode = mode if mode in dict(MODES) else "auto"
    context = {"q": q, "within": within, "mode": mode, "modes": MODES, "hits": []}
    if not q:
        return page(request, "search.html", context)
    try:
        found = search.search(person(request), q=q, mode=mode, location=within or None, limit=HITS)
    except Invalid as refusal:
        context["errors"] = [f"{e.field} {e.message}" for e in refusal.errors]
        return page(request, "search.html", context, status=422)
    context["hits"] = [
        {
            "hit": hit,
            "web_path": citations.web_path(hit.location, at=hit.commit, lines=hit.lines),
            "marked": highlighted(hit.snippet, q),
        }
        for hit in found
    ]
    return page(request, "search.html", context)


def highlighted(snippet: str, q: str) -> SafeString:
    """The snippet, escaped, with the words of ``q`` marked."""
    words = sorted({word for word in re.findall(r"\w+", q) if len(word) > 1 or not word.isascii()}, key=len, reverse=True)
    if not words:
        return mark_safe(escape(snippet))
    pattern = re.compile("|".join(re.escape(word) for word in words[:16]), re.IGNORECASE)
    out, at = [], 0
    for found in pattern.finditer(snippet):
        out.append(escape(snippet[at : found.start()]))
        out.append(f"<mark>{escape(found.group())}</mark>")
        at = found.end()
    out.append(escape(snippet[at:]))
    return mark_safe("".join(out))
