"""Who settles a conflict now, what they chose so far, and who wrote what they choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from workspace import access
from workspace.actor import Actor
from workspace.merge import Choice, Hunk
from workspace.models import Commit, Settling
from workspace.queries import history, who
from workspace.queries.history import CommitRow
from workspace.queries.who import Who

PRESENT = timedelta(seconds=60)
"""Whoever was seen within this time is at it."""
WRITES = 20
"""Commits between base and head that are looked through for the one that wrote a place."""
READS = 4_000_000
"""Bytes of text that are read for that."""


@dataclass(frozen=True, kw_only=True)
class Other:
    """Somebody else who is settling the same conflict."""

    who: Who
    chosen: int
    seen_at: datetime


@dataclass(frozen=True, kw_only=True)
class Version:
    """A commit that the document got since the draft began, with its text where that was to be read."""

    commit: CommitRow
    text: str | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """What lies around a conflict for one person.

    ``choices`` are theirs, for the hunks against the commit ``head`` (None where they never chose), whose text is
    ``head_text``. ``versions`` are the newest of the document since the draft began, newest first.
    """

    others: tuple[Other, ...]
    choices: tuple[Choice | None, ...]
    head: str | None
    head_text: str
    versions: tuple[Version, ...]


def table(actor: Actor, *, conflict: str) -> Table:
    """What lies around an open conflict. Raises ``NotFound``."""
    row, document = access.conflict(actor, id=conflict, related=("base",))
    mine, others = _people(actor, conflict)
    commits = Commit.objects.filter(document=document, number__gt=row.base.number)
    newest = history.listed(actor, commits).defer("blob__content").order_by("-number")[:WRITES]
    found = list(newest)
    texts: dict[int, str] = {}
    if found and sum(commit.blob.size for commit in found) <= READS:
        texts = dict(commits.filter(number__gte=found[-1].number).values_list("number", "blob__content"))
    return Table(
        others=others,
        choices=tuple(mine.choices) if mine else (),
        head=mine.head_id if mine else None,
        head_text=mine.head.blob.content if mine else "",
        versions=tuple(Version(commit=history.row(commit), text=texts.get(commit.number)) for commit in found),
    )


def others(actor: Actor, *, conflict: str) -> tuple[Other, ...]:
    """Who else is settling the conflict now. Raises ``NotFound``."""
    access.conflict(actor, id=conflict)
    return _people(actor, conflict)[1]


def _people(actor: Actor, conflict: str) -> tuple[Settling | None, tuple[Other, ...]]:
    """The actor's own row, and the others who are present."""
    present = Q(seen_at__gte=timezone.now() - PRESENT) | Q(person=actor.person)
    rows = Settling.objects.filter(present, conflict=conflict).select_related("person", "head__blob")
    mine, rest = None, []
    for row in rows.order_by("pk"):
        if row.person_id == actor.person:
            mine = row
        else:
            chosen = sum(choice is not None for choice in row.choices)
            rest.append(Other(who=who.of(row.person, None), chosen=chosen, seen_at=row.seen_at))
    return mine, tuple(rest)


def writer(hunk: Hunk, versions: Sequence[Version]) -> CommitRow | None:
    """The commit that wrote what the document says in a place, or the newest where that cannot be told."""
    found = versions[0].commit if versions else None
    for version in versions:
        if version.text is None or not _says(hunk, version.text):
            break
        found = version.commit
    return found


def _says(hunk: Hunk, text: str) -> bool:
    return hunk.theirs in text if hunk.theirs.strip() else hunk.base not in text
