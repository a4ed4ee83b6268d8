"""Where a document was at a commit, as far as its reader may know.

A commit says where its document was then, for ever. Whoever reads the document after it was moved may read nothing at
that place: then they are not told of it, in the same way whether it is hidden from them or is gone.
"""

from typing import TYPE_CHECKING, Any

from django.db.models import Exists, F, Func, OuterRef, Q, TextField, Value
from django.db.models.functions import Concat

from workspace.actor import Actor
from workspace.locations import SEPARATOR
from workspace.models import Commit, Folder, Reach

if TYPE_CHECKING:
    from django.db.models import QuerySet


class _FolderOf(Func):
    """The folder of a location."""

    template = f"regexp_replace(%(expressions)s, '{SEPARATOR}[^{SEPARATOR}]*$', '')"
    output_field = TextField()


def told(actor: Actor, rows: "QuerySet[Commit]") -> "QuerySet[Commit]":
    """``rows`` with what ``then`` and ``now`` need, in the same query.

    A location is told where its folder is the one that the document is in now, or one that ``actor`` may read now;
    all of them to whoever reads everything.
    """
    now = Concat("document__folder__path", Value(SEPARATOR), "document__name", output_field=TextField())
    facts: dict[str, Any] = {"told": _knows(actor), "now": now}
    return rows.annotate(**facts)


def _knows(actor: Actor) -> Q | Exists:
    if actor.admin and (not actor.scopes or any(s.folder is None and s.document is None for s in actor.scopes)):
        return Q(pk__isnull=False)
    there = Folder.objects.live().filter(path=_FolderOf(OuterRef("location"))).visible_to(Reach(actor))
    return Q(document__folder__path=_FolderOf(F("location"))) | Q(Exists(there))


def then(commit: Commit) -> str | None:
    """Where the document was at a commit that ``told`` loaded; None where that is not told."""
    return commit.location if commit.told else None
