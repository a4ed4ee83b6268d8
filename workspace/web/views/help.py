"""Help: Markdown of this package, with the instance's own address and figures in it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from workspace.digest.summary import MAX_WORDS
from workspace.errors import NotFound
from workspace.markdown.render import Rendered
from workspace.services import audit
from workspace.services.skills import RECONCILING
from workspace.services.summaries import NEWEST
from workspace.web import cited
from workspace.web.frame import page

FOLDER = Path(__file__).resolve().parents[1] / "help"
DEPTH = 2


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A page of help. ``about`` is its line in the index."""

    slug: str
    title: str
    icon: str
    about: str


TOPICS = (
    Topic(slug="connect", title="Connect", icon="plug", about="The exact lines for each agent host."),
    Topic(
        slug="concepts",
        title="Concepts",
        icon="book",
        about="Documents, commits, merging, captures, permissions, citations.",
    ),
    Topic(
        slug="merging",
        title="Merging",
        icon="merge",
        about="What is merged by itself, what is a conflict, and how one is settled.",
    ),
    Topic(
        slug="sign-in",
        title="Signing in",
        icon="key",
        about="Invitations, passwords, passkeys, second steps, other services, and getting back in.",
    ),
    Topic(
        slug="sharing",
        title="Sharing",
        icon="share",
        about="Roles, previews, who can read and why, asking for access, groups.",
    ),
    Topic(slug="rest", title="REST", icon="code", about="For programs: sign in, read, write, and what refusals mean."),
    Topic(
        slug="hooks",
        title="Hooks",
        icon="handoff",
        about="What is sent and when, what happens without memory, capture, bindings, and how to be rid of it.",
    ),
    Topic(
        slug="python",
        title="Python",
        icon="code",
        about="For programs that drive models themselves: context before each prompt, captures after.",
    ),
    Topic(slug="mcp", title="MCP", icon="agent", about="For agents: the tools, and how to use them well."),
    Topic(
        slug="obligations",
        title="Obligations",
        icon="obligation",
        about="What a host owes each session, how it is told whether that was met, and what each state means.",
    ),
    Topic(
        slug="running",
        title="Running it",
        icon="gear",
        about="Settings, commands, backup, brokers, proxies, and what to do when something is wrong.",
    ),
    Topic(
        slug="audit",
        title="Audit log",
        icon="list",
        about="What is recorded, who reads it, for how long, and how to ship it elsewhere.",
    ),
    Topic(slug="erasing", title="Erasing", icon="trash", about="What erasing a capture does, and what it does not."),
    Topic(slug="keys", title="Keys", icon="keyboard", about="Everything that a key does."),
)


def index(request: HttpRequest) -> HttpResponse:
    """All topics."""
    return page(request, "help/index.html", {"topics": TOPICS}, section="help")


def show(request: HttpRequest, slug: str) -> HttpResponse:
    """One topic."""
    topic = next((each for each in TOPICS if each.slug == slug), None)
    if topic is None:
        raise NotFound
    html, rendered = _rendered(slug, settings.BATON_BASE_URL)
    contents = [entry for entry in rendered.contents if entry.level == DEPTH]
    context = {"topics": TOPICS, "topic": topic, "html": html, "contents": contents}
    return page(request, "help/show.html", context, section="help")


def _days(count: int) -> str:
    return "ever" if count == 0 else "a day" if count == 1 else f"{count} days"


@cache
def _rendered(slug: str, base: str) -> tuple[str, Rendered]:
    text = (FOLDER / f"{slug}.md").read_text(encoding="utf-8")
    figures = {
        "{base}": base,
        "{document_size}": f"{settings.BATON_DOCUMENT_BYTES / 2**20:.3g} MiB",
        "{draft_days}": str(settings.BATON_DRAFT_DAYS),
        "{newest}": str(NEWEST),
        "{words}": str(MAX_WORDS),
        "{reconciling}": RECONCILING,
        "{conflict_days}": _days(settings.BATON_CONFLICT_DAYS),
        "{denied}": str(audit.PER_MINUTE),
        "{unknown}": str(audit.PER_MINUTE_UNKNOWN),
    }
    for name, value in figures.items():
        text = text.replace(name, value)
    return cited.page(text)
