"""The tree of folders at the left, as markup. Built in one pass over the rows, because a template include for
each of some thousand folders would cost more than the query."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Protocol
from urllib.parse import quote

from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe

from workspace.digest import handoff

LAZY_ABOVE = 200
"""With more folders than this, only the way to the current one is drawn; the rest comes when it is opened."""


class Folder(Protocol):
    @property
    def location(self) -> str: ...
    @property
    def name(self) -> str: ...


class Leaf(Protocol):
    @property
    def location(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unread(self) -> bool: ...


def _icon(name: str) -> str:
    return f'<svg class="icon" aria-hidden="true"><use href="{static("img/icons.svg")}#{name}"/></svg>'


def leaves(documents: Iterable[Leaf], current: str = "") -> str:
    """Documents as items of a list."""
    out = []
    plain, cover = _icon("file"), _icon("handoff")
    for document in documents:
        here = ' aria-current="page"' if document.location == current else ""
        unread = '<span class="dot" title="Changed since you were here"></span>' if document.unread else ""
        icon = cover if document.name.casefold() == handoff.PAGE.casefold() else plain
        out.append(
            f'<li class="node"><a href="/d/{quote(document.location)}"{here}>{icon}'
            f"<span>{escape(document.title or document.name)}</span>{unread}</a></li>"
        )
    return "".join(out)


def branch(
    folders: Sequence[Folder], documents: Iterable[Leaf] = (), *, top: str = "", current: str = "", lazy: bool = True
) -> SafeString:
    """The list of what lies directly below ``top``, each folder closed and fetched when it is opened."""
    items = [_folder(folder, "", opened=False, current=current, lazy=lazy) for folder in folders]
    return mark_safe(f"<ul>{''.join(items)}{leaves(documents, current)}</ul>")


def whole(folders: Sequence[Folder], documents: Sequence[Leaf] = (), *, at: str = "", current: str = "") -> SafeString:
    """The tree. ``folders`` is every visible folder; ``documents`` are those of the folder ``at``, which is open
    with all above it; ``current`` is the location of the page."""
    if not folders:
        return mark_safe('<p class="tree-empty">No folder yet.</p>')
    lazy = len(folders) > LAZY_ABOVE
    below: dict[str, list[Folder]] = {}
    for folder in folders:
        below.setdefault(folder.location.rpartition("/")[0], []).append(folder)
    documents_at = leaves(documents, current)

    def draw(parent: str) -> str:
        out = []
        for folder in below.get(parent, ()):
            opened = at == folder.location or at.startswith(folder.location + "/")
            inside = draw(folder.location) if opened or not lazy else ""
            if folder.location == at:
                inside += documents_at
            out.append(_folder(folder, inside, opened=opened, current=current, lazy=not opened))
        return "".join(out)

    return mark_safe(f"<ul>{draw('')}</ul>")


def _folder(folder: Folder, inside: str, *, opened: bool, current: str, lazy: bool) -> str:
    here = ' aria-current="page"' if folder.location == current else ""
    address = quote(folder.location)
    fetch = ""
    if lazy:
        fetch = f' hx-get="/tree/{address}" hx-trigger="toggle once" hx-target="find ul" hx-swap="outerHTML"'
    name = escape(folder.name)
    return (
        f'<li class="node"><a href="/f/{address}"{here}>{_icon("folder")}<span>{name}</span></a>'
        f'<details data-folder="{escape(folder.location)}"{" open" if opened else ""}{fetch}>'
        f'<summary aria-label="What is in {name}">{_icon("chevron")}</summary><ul>{inside}</ul></details></li>'
    )
