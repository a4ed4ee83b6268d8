"""Template tags of the design system, registered as the builtin library ``baton``."""

from datetime import datetime
from urllib.parse import quote
from uuid import uuid4

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from workspace.web import cited as citations
from workspace.web.marks import Author, mark_of
from workspace.web.times import age_words, day_words, exact

register = template.Library()

STATE_SHAPES = {
    "saved": "state-saved",
    "done": "state-saved",
    "resolved": "state-saved",
    "indexed": "state-saved",
    "summarised": "state-proposed",
    "consolidated": "handoff",
    "acknowledged": "state-saved",
    "active": "state-saved",
    "merged": "merge",
    "conflict": "conflict",
    "open": "conflict",
    "stale": "state-stale",
    "expired": "state-stale",
    "superseded": "state-superseded",
    "discarded": "state-superseded",
    "deleted": "trash",
    "revoked": "lock",
    "proposed": "state-proposed",
    "degraded": "state-degraded",
    "failed": "state-failed",
    "queued": "state-queued",
    "pending": "state-queued",
    "captured": "capture",
    "running": "state-running",
}
SURFACES = {
    "web": "the browser",
    "rest": "REST",
    "mcp": "MCP",
    "hook": "a host's hook",
    "job": "a job",
    "admin": "the administration",
    "command": "a command",
}
STATE_STYLES = {
    "pending": "queued",
    "discarded": "superseded",
    "expired": "stale",
    "summarised": "proposed",
    "consolidated": "done",
    "acknowledged": "done",
    "active": "done",
    "revoked": "superseded",
    "deleted": "superseded",
}


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """One symbol of the sprite, hidden from screen readers: the words beside it say what it means."""
    extra = f" icon-{size}" if size else ""
    return format_html(
        '<svg class="icon{}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        extra,
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def mark(author: Author, size: str = "") -> SafeString:
    """Person = round initial, agent = square with the host's letter, job = gear."""
    drawn = mark_of(author)
    extra = f" mark-{size}" if size else ""
    if drawn.kind == "job":
        return format_html('<span class="mark mark-job{}" title="{}">{}</span>', extra, drawn.title, icon("gear"))
    return format_html(
        '<span class="mark mark-{}{} hue-{}" title="{}" aria-hidden="true">{}</span>',
        drawn.kind,
        extra,
        drawn.hue,
        drawn.title,
        drawn.letter,
    )


@register.simple_tag
def who(author: Author) -> SafeString:
    """Mark and name; an agent says for whom it acts."""
    owner = getattr(author, "person_label", "") if getattr(author, "kind", "") == "agent" else ""
    for_whom = format_html(' <span class="who-for">for {}</span>', owner) if owner else ""
    return format_html(
        '<span class="who">{}<span><span class="who-name">{}</span>{}</span></span>',
        mark(author),
        author.label,
        for_whom,
    )


@register.simple_tag
def commit(commit_id: str, location: str = "") -> SafeString:
    """Eight characters; a click copies the whole id, and without script opens that version."""
    if not commit_id:
        return mark_safe("")
    href = f"/d/{quote(location)}?at={commit_id}" if location else "#"
    return format_html(
        '<span class="commit"><a href="{}" data-copy="{}" data-said="Commit id copied"'
        ' title="Copy commit {}">{}</a></span>',
        href,
        commit_id,
        commit_id,
        commit_id[:8],
    )


@register.simple_tag
def age(then: datetime | None) -> SafeString:
    """How long ago in words, the exact time on hover and for machines."""
    if then is None:
        return format_html('<span class="age">{}</span>', "never")
    return format_html(
        '<time class="age" datetime="{}" title="{}">{}</time>', then.isoformat(), exact(then), age_words(then)
    )


@register.simple_tag
def state(word: str, text: str = "") -> SafeString:
    """A state by word and shape; the colour only helps."""
    word = str(word)
    return format_html(
        '<span class="state state-{}">{}{}</span>',
        STATE_STYLES.get(word, word),
        icon(STATE_SHAPES.get(word, "info")),
        text or word,
    )


@register.filter
def day(then: datetime) -> str:
    """The day of a time, in words, for headings."""
    return day_words(then)


@register.filter
def short(commit_id: str) -> str:
    """Eight characters of a commit id."""
    return commit_id[:8]


@register.filter
def surface(via: str) -> str:
    """The surface that something came through, in words."""
    return SURFACES.get(via, via)


@register.filter
def cited(text: str) -> SafeString:
    """A reason, with the captures that it names as chips."""
    return citations.reason(text)


@register.filter
def parent_of(location: str) -> str:
    """The folder of a location, empty at the top."""
    return location.rpartition("/")[0]


@register.filter
def name_of(location: str) -> str:
    """The last name of a location."""
    return location.rpartition("/")[2]


@register.simple_tag
def crumbs(location: str, current: bool = True, of: str = "document") -> SafeString:
    """The way down. The last name is the page itself, or where ``current`` is false a link to the ``of`` there."""
    names = location.split("/") if location else []
    items = []
    for index, name in enumerate(names):
        path = "/".join(names[: index + 1])
        if index == len(names) - 1 and current:
            items.append(format_html('<li><span aria-current="page">{}</span></li>', name))
        else:
            last = index == len(names) - 1
            href = f"/{'d' if last and of == 'document' else 'f'}/{quote(path)}"
            items.append(format_html('<li><a href="{}">{}</a></li>', href, name))
    return format_html(
        '<nav class="crumbs" aria-label="Location"><ol>{}</ol></nav>',
        format_html_join("", "{}", ((item,) for item in items)),
    )


@register.simple_tag
def sign_up_is_open() -> bool:
    """Whether people may make accounts for themselves."""
    return bool(settings.BATON_SIGNUP == "open")


@register.simple_tag
def acts_once() -> SafeString:
    """The hidden key of a form without fields of its own, by which a double click is one request."""
    return format_html('<input type="hidden" name="key" value="{}">', uuid4().hex)


@register.inclusion_tag("components/field.html")
def field(bound: object, hint: str = "") -> dict[str, object]:
    """A labelled form field with its hint and its errors."""
    return {"field": bound, "hint": hint}
