"""Which folder belongs to which repository, for the person who bound it; and what saving sessions there would mean."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Case, Exists, OuterRef, QuerySet, Value, When
from django.db.models.functions import Lower

from workspace import access, remotes
from workspace.actor import Actor, Role
from workspace.errors import NotFound
from workspace.models import Binding, CaptureMode, Reach
from workspace.queries import access as reading
from workspace.queries import pages
from workspace.queries.access import Holder
from workspace.queries.pages import Page

NAMED = 20
"""Readers that a page names."""


@dataclass(frozen=True, kw_only=True)
class BindingRow:
    """A binding. ``folder`` is its location; where the person sees that folder no longer, ``reached`` is false and it
    is the location as it was bound, and nothing is saved there. ``own`` is false for the instance's default.

    ``deadline_ms`` is in milliseconds, ``budget_chars`` in characters; ``policy`` is optional or required and
    ``capture`` off, ask or on, as the models of that name say.
    """

    id: str
    repository: str
    folder: str
    policy: str
    deadline_ms: int
    budget_chars: int
    capture: str
    capture_at: datetime | None
    own: bool
    reached: bool
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What a person is told before sessions are saved. ``days`` is the folder's retention, None where it keeps them.

    ``readers`` counts everybody who can read the folder, ``named`` are the first of them by address. ``may_write`` is
    false where what is captured would be refused. ``seen`` stands for all that was told.
    """

    binding: BindingRow
    readers: int
    named: tuple[Holder, ...]
    days: int | None
    may_write: bool
    seen: str


def _with_reach(actor: Actor) -> QuerySet[Any]:
    reached = When(Reach(actor).folders("folder__lineage"), folder__deleted_at=None, then=Value(True))
    return Binding.objects.select_related("folder").annotate(
        reached=Case(reached, default=Value(False), output_field=BooleanField())
    )


def own(actor: Actor) -> QuerySet[Any]:
    """The bindings of the person who acts, or whose agent does; of a narrowed agent, those within its reach. Each has
    ``reached``: whether the folder can be read now."""
    rows: QuerySet[Any] = Binding.objects.none()
    if actor.person is not None:
        rows = _with_reach(actor).filter(person=actor.person)
    return rows.filter(reached=True) if actor.scopes else rows


def _defaults(actor: Actor) -> QuerySet[Any]:
    return _with_reach(actor).filter(person=None, reached=True)


def listing(
    actor: Actor, *, repository: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[BindingRow]:
    """The actor's own, by repository; with ``repository``, in any spelling, the one that holds there: their own, else
    the instance's default, else none. Raises ``Invalid``."""
    if repository is not None:
        name = remotes.repository(repository)
        pages.check_limit(limit)
        found = own(actor).filter(repository__iexact=name).first()
        if found is None and not (actor.scopes and _bound_elsewhere(actor, name)):
            found = _defaults(actor).filter(repository__iexact=name).first()
        return Page(items=(_row(found),) if found else ())
    return pages.page(
        actor, own(actor), _row, listing="bindings", order=("repository", "pk"), limit=limit, cursor=cursor
    )


def _bound_elsewhere(actor: Actor, repository: str) -> bool:
    """Whether the person bound it to where this agent does not reach: the default does not hold there either."""
    return Binding.objects.filter(person=actor.person, repository__iexact=repository).exists()


def defaults(actor: Actor) -> tuple[BindingRow, ...]:
    """The instance's defaults that hold for the actor: of folders that they read, where they bound no other. At most
    100, by repository."""
    mine = Binding.objects.annotate(name=Lower("repository")).filter(
        person=actor.person, name=Lower(OuterRef("repository"))
    )
    rows = _defaults(actor).filter(~Exists(mine)).order_by("repository", "pk")[: pages.MOST]
    return tuple(_row(row) for row in rows)


def show(actor: Actor, *, id: str) -> BindingRow:
    """One of the actor's own. Raises ``NotFound``."""
    row = own(actor).filter(pk=id).first()
    if row is None:
        raise NotFound
    return _row(row)


def consent(actor: Actor, *, id: str) -> Consent:
    """What saving sessions would mean for one of the actor's own. Raises ``NotFound``, also where the folder cannot be
    read any more."""
    row = show(actor, id=id)
    place = access.folder(actor, location=row.folder)
    named = reading.who(actor, location=row.folder, limit=NAMED)
    readers = reading.count(actor, location=row.folder) if named.next_cursor else len(named.items)
    told = [row.id, place.pk, row.folder, readers, [one.email for one in named.items], place.retention_days]
    return Consent(
        binding=row,
        readers=readers,
        named=named.items,
        days=place.retention_days,
        may_write=place.role >= Role.EDITOR,
        seen=hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32],
    )


def _row(row: Any) -> BindingRow:
    reached: bool = row.reached
    return BindingRow(
        id=row.pk,
        repository=row.repository,
        folder=row.folder.path if reached else row.location,
        policy=row.policy,
        deadline_ms=row.deadline_ms,
        budget_chars=row.budget_chars,
        capture=row.capture if reached else CaptureMode.OFF.value,
        capture_at=row.capture_at,
        own=row.person_id is not None,
        reached=reached,
        updated_at=row.updated_at,
    )
