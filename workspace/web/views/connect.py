"""How to connect each host, with this instance's address, and a look at whether it has arrived."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from workspace.queries import arrivals
from workspace.queries.arrivals import Arrival
from workspace.web.frame import page, person
from workspace.web.times import age_words
from workspace.web.views.help import TOPICS

WATCHED = timedelta(minutes=20)
"""How long an open page asks by itself."""
STOP_POLLING = 286
"""What tells htmx to ask no further."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to do: words, and what to paste. ``{mcp}`` and ``{base}`` stand for this instance's addresses."""

    say: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one host is connected. ``after`` is what it shows then; ``needs_public`` is whether its maker's servers
    have to reach this instance."""

    key: str
    name: str
    steps: tuple[Step, ...]
    after: str = ""
    token: bool = False
    needs_public: bool = False


def show(request: HttpRequest) -> HttpResponse:
    """The lines for each host."""
    chosen = next((way for way in WAYS if way.key == request.GET.get("host")), WAYS[0])
    now = timezone.now()
    context = {
        "ways": WAYS,
        "way": chosen,
        "steps": [(step.say, [_filled(line) for line in step.lines]) for step in chosen.steps],
        "address": _filled("{mcp}"),
        "unreachable": chosen.needs_public and _is_private(),
        "topics": TOPICS,
        "topic": next(each for each in TOPICS if each.slug == "connect"),
        "arrivals": _arrivals(request, now),
        "since": int(now.timestamp()),
    }
    return page(request, "connect.html", context, section="help")


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


def _filled(line: str) -> str:
    return line.replace("{mcp}", f"{settings.BATON_BASE_URL}/mcp").replace("{base}", settings.BATON_BASE_URL)


def _is_private() -> bool:
    """Whether this instance goes by an address that only its own machine or network knows."""
    parts = urlsplit(settings.BATON_BASE_URL)
    return parts.scheme != "https" or "." not in (parts.hostname or "")


WAYS = (
    Way(
        key="claude-code",
        name="Claude Code",
        after="In a session, /mcp shows it as connected.",
        steps=(
            Step(
                say="Add Baton, and sign in. Your browser opens.",
                lines=(
                    "claude mcp add --transport http baton {mcp}",
                    "claude mcp login baton",
                ),
            ),
        ),
    ),
    Way(
        key="codex",
        name="Codex",
        steps=(
            Step(say="Add Baton. Your browser opens.", lines=("codex mcp add baton --url {mcp}",)),
            Step(say="To sign in again later:", lines=("codex mcp login baton",)),
        ),
    ),
    Way(
        key="gemini",
        name="Gemini CLI",
        steps=(
            Step(say="Add Baton.", lines=("gemini mcp add --transport http baton {mcp}",)),
            Step(say="Start gemini, and in it sign in. Your browser opens.", lines=("/mcp auth baton",)),
        ),
    ),
    Way(
        key="opencode",
        name="opencode",
        steps=(
            Step(
                say="In opencode.json:",
                lines=('{\n  "mcp": {\n    "baton": {\n      "type": "remote",\n      "url": "{mcp}"\n    }\n  }\n}',),
            ),
            Step(say="Sign in. Your browser opens.", lines=("opencode mcp auth baton",)),
            Step(say="From version 2 on, instead of both:", lines=("opencode mcp add baton --url {mcp}",)),
        ),
    ),
    Way(
        key="cursor",
        name="Cursor",
        steps=(
            Step(
                say="In ~/.cursor/mcp.json:",
                lines=('{\n  "mcpServers": {\n    "baton": {\n      "url": "{mcp}"\n    }\n  }\n}',),
            ),
            Step(say="In Cursor's settings, under MCP, baton asks you to sign in."),
        ),
    ),
    Way(
        key="vscode",
        name="VS Code",
        steps=(
            Step(say="In a terminal:", lines=('code --add-mcp \'{"name":"baton","type":"http","url":"{mcp}"}\'',)),
            Step(
                say="Or for one folder alone, in .vscode/mcp.json:",
                lines=(
                    '{\n  "servers": {\n    "baton": {\n      "type": "http",\n      "url": "{mcp}"\n    }\n  }\n}',
                ),
            ),
            Step(say="Start the server from the command palette (MCP: List Servers). Your browser opens."),
        ),
    ),
    Way(
        key="claude",
        name="Claude app and web",
        needs_public=True,
        steps=(
            Step(
                say="Under Settings, Connectors, choose “Add custom connector” and give it this address:",
                lines=("{mcp}",),
            ),
            Step(say="Press Connect. Other assistants on the web take the same address where they add a connector."),
        ),
    ),
    Way(
        key="inspector",
        name="MCP Inspector",
        steps=(
            Step(
                say="Start it, choose Streamable HTTP, give it the address and connect:",
                lines=(
                    "npx @modelcontextprotocol/inspector",
                    "{mcp}",
                ),
            ),
            Step(
                say="Or without a browser, with a token:",
                lines=(
                    "npx @modelcontextprotocol/inspector --cli {mcp} --transport http "
                    '--header "Authorization: Bearer $BATON_TOKEN" --method tools/list',
                ),
            ),
        ),
    ),
    Way(
        key="other",
        name="Any other",
        steps=(
            Step(
                say="Any MCP client over streamable HTTP takes this address and finds the rest by itself:",
                lines=("{mcp}",),
            ),
            Step(
                say="It registers, opens your browser and asks you. Where there is no browser, it shows a code: type "
                "that at this address.",
                lines=("{base}/device",),
            ),
        ),
    ),
    Way(
        key="ci",
        name="CI and scripts",
        token=True,
        steps=(
            Step(
                say="Keep the token in the secrets of your CI as BATON_TOKEN. For REST:",
                lines=('curl -H "Authorization: Bearer $BATON_TOKEN" {base}/api/v1/me',),
            ),
            Step(
                say="For a host in a job, which sends it as a bearer:",
                lines=(
                    'claude mcp add --transport http baton {mcp} --header "Authorization: Bearer $BATON_TOKEN"',
                    "codex mcp add baton --url {mcp} --bearer-token-env-var BATON_TOKEN",
                ),
            ),
        ),
    ),
)
