"""What surrounds every page: the tree, what waits, and who is signed in."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject, cached_property

from workspace import access
from workspace.actor import Actor, Via
from workspace.errors import Refusal
from workspace.queries import documents, folders, waiting
from workspace.queries.folders import FolderNode
from workspace.queries.waiting import Waiting
from workspace.queries.who import Who
from workspace.web import tree

LEAVES = 100


def person(request: HttpRequest) -> Actor:
    """Who is signed in, acting through the pages."""
    return access.person_actor(request.user, via=Via.WEB)  # type: ignore[arg-type]


class Frame:
    """Reads what the frame shows when the template asks for it. ``at`` is the folder of the page, which stands
    open in the tree; ``current`` is the location of the page itself."""

    def __init__(self, actor: Actor, *, section: str = "", at: str = "", current: str = "") -> None:
        self.actor = actor
        self.section = section
        self.at = at
        self.current = current
        self.admin = actor.admin
        self.me = Who(kind="person", label=actor.label, email=actor.email, person_label=actor.label)

    @cached_property
    def counted(self) -> Waiting:
        return waiting.counted(self.actor)

    @property
    def waiting(self) -> int:
        return self.counted.conflicts

    @property
    def requests(self) -> int:
        return self.counted.requests

    @property
    def proposed(self) -> int:
        return self.counted.proposed

    @cached_property
    def folders(self) -> tuple[FolderNode, ...]:
        return folders.tree(self.actor)

    @property
    def example(self) -> str:
        """A folder that the reader can read, to name where help would name one; "" where there is none."""
        return next((node.location for node in self.folders if node.role), "")

    @cached_property
    def tree(self) -> str:
        leaves: tuple[Any, ...] = ()
        if self.at:
            try:
                leaves = documents.children(self.actor, location=self.at, limit=LEAVES).items
            except Refusal:
                leaves = ()
        return tree.whole(self.folders, leaves, at=self.at, current=self.current)


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    section: str = "",
    at: str = "",
    current: str = "",
    status: int = 200,
) -> HttpResponse:
    """A page in the frame."""
    around = Frame(person(request), section=section, at=at, current=current)
    return render(request, template, {"frame": around, **(context or {})}, status=status)


def around(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the frame for pages that the sign-in library renders. It reads nothing until one asks."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"frame": SimpleLazyObject(lambda: Frame(person(request), section="account"))}
