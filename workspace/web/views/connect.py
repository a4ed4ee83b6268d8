"""How to connect each host, with this instance's address, and a look at whether it has arrived."""

import shlex
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from workspace.queries import arrivals
from workspace.queries.arrivals import Arrival
from workspace.web.frame import Frame, page, person
from workspace.web.times import age_words
from workspace.web.views.help import TOPICS
from workspace.web.ways import WAYS

WATCHED = timedelta(minutes=20)
"""How long an open page asks by itself."""
STOP_POLLING = 286
"""What tells htmx to ask no further."""


def show(request: HttpRequest) -> HttpResponse:
    """The lines for each host."""
    chosen = next((way for way in WAYS if way.key == request.GET.get("host")), WAYS[0])
    now = timezone.now()
    frame = Frame(person(request), section="help")
    folder = shlex.quote(frame.example or "FOLDER")
    context = {
        "frame": frame,
        "ways": WAYS,
        "way": chosen,
        "steps": [(step.say, [_filled(line, folder) for line in step.lines]) for step in chosen.steps],
        "address": _filled("{mcp}"),
        "unreachable": chosen.needs_public and _is_private(),
        "topics": TOPICS,
        "topic": next(each for each in TOPICS if each.slug == "connect"),
        "arrivals": _arrivals(request, now),
        "since": int(now.timestamp()),
    }
    return page(request, "connect.html", context)


def arrived(request: HttpRequest) -> HttpResponse:
    """The part of the page that looks out for agents, as of now."""
    since = request.GET.get("since", "")
    opened = datetime.fromtimestamp(int(since[:10]) if since.isascii() and since.isdigit() else 0, tz=UTC)
    over = timezone.now() - opened > WATCHED
    context = {"arrivals": _arrivals(request, opened)}
    return page(request, "connect.html#arrivals", context, status=STOP_POLLING if over else 200)


def _arrivals(request: HttpRequest, opened: datetime) -> list[tuple[Arrival, str, bool]]:
    """Each with its age in words, and whether it came after the page was opened."""
    return [(each, _ago(each.at), each.at > opened) for each in arrivals.newest(person(request))]


def _ago(then: datetime) -> str:
    seconds = int((timezone.now() - then).total_seconds())
    return f"{max(seconds, 0)} s ago" if seconds < 60 else age_words(then)


def _filled(line: str, folder: str = "") -> str:
    base = settings.BATON_BASE_URL
    return line.replace("{mcp}", f"{base}/mcp").replace("{base}", base).replace("{folder}", folder)


def _is_private() -> bool:
    """Whether this instance goes by an address that only its own machine or network knows."""
    parts = urlsplit(settings.BATON_BASE_URL)
    return parts.scheme != "https" or "." not in (parts.hostname or "")
