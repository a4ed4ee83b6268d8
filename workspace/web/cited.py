"""Citations of captures as chips. A capture's id is thirty characters that say nothing to a reader; a chip shows the
last six, and the whole id on hover. Texts stay as they are stored: this is how they are drawn."""

import re
from html import escape
from itertools import islice

from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe

from workspace.markdown.render import Rendered, render

SHOWN = 4
"""Chips of a run of ids; the rest of it is counted."""
_ID = r"cap_[0-9a-hjkmnp-tv-z]{26}"
# As the sanitiser writes links: its output has no quote in an address and no bare "<" in a text.
_LINK = re.compile(rf'<a href="/captures/({_ID})"[^<>]*>\1</a>')
_ANY = rf'<a href="/captures/{_ID}"[^<>]*>{_ID}</a>'
_BRACKETED = re.compile(rf"\(({_ANY}(?:[,;]? {_ANY})*)\)")
_RUN = re.compile(rf"{_ID}\b(?:, {_ID}\b)*")


def chip(capture: str) -> str:
    """A link to a capture, as markup."""
    icon = f'<svg class="icon" aria-hidden="true"><use href="{static("img/icons.svg")}#capture"/></svg>'
    return (
        f'<a class="chip" href="/captures/{capture}" title="Capture {capture}">{icon}'
        f'<span class="visually-hidden">capture </span>{capture[-6:]}</a>'
    )


def chips(html: str) -> SafeString:
    """Sanitised ``html`` with each link whose text is the bare id of its capture as a chip, brackets around it off."""
    html = _BRACKETED.sub(r"\1", html)
    return mark_safe(_LINK.sub(lambda found: chip(found[1]), html))


def page(text: str) -> tuple[SafeString, Rendered]:
    """A Markdown document as it stands in a page, and what else its rendering tells."""
    rendered = render(text)
    return chips(rendered.html), rendered


def reason(text: str) -> SafeString:
    """Plain text, escaped, with the ids of captures in it as chips: of a long run the first few and a count."""
    return mark_safe(_RUN.sub(lambda found: _run(found[0].split(", ")), escape(text)))


def _run(ids: list[str]) -> str:
    shown = " ".join(chip(each) for each in islice(ids, SHOWN))
    left = len(ids) - SHOWN
    return shown if left <= 0 else f"{shown} and {left} more"
