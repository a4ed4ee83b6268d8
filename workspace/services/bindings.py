"""Bindings: the folder that a person's hosts read from, and save to, in a repository.

Reading is bound by whoever may read the folder, an agent too. That sessions are saved is the person's own decision, in
person, told beforehand what it means; binding another folder takes it back.
"""

from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from workspace import access, remotes
from workspace.actor import Actor
from workspace.errors import FieldError, Forbidden, Invalid, NotFound
from workspace.models import Binding, BindingPolicy, CaptureMode, Folder
from workspace.models.bindings import (
    DEFAULT_BUDGET_CHARS,
    DEFAULT_DEADLINE_MS,
    LEAST_BUDGET_CHARS,
    LEAST_DEADLINE_MS,
    MOST_BUDGET_CHARS,
    MOST_DEADLINE_MS,
)
from workspace.queries import bindings as reads
from workspace.services import audit, texts

POLICIES: Final = tuple(BindingPolicy.values)
CAPTURES: Final = tuple(CaptureMode.values)
POLICY: Final = BindingPolicy.OPTIONAL.value
DEADLINE_MS: Final = DEFAULT_DEADLINE_MS
BUDGET_CHARS: Final = DEFAULT_BUDGET_CHARS
DEADLINES_MS: Final = (LEAST_DEADLINE_MS, MOST_DEADLINE_MS)
BUDGETS_CHARS: Final = (LEAST_BUDGET_CHARS, MOST_BUDGET_CHARS)
"""The least and the most that is taken."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A binding as it is now. ``capture_ended`` says that sessions were saved until this took the consent back."""

    id: str
    repository: str
    folder: str
    capture_ended: bool = False


def bind(
    actor: Actor,
    *,
    repository: str,
    folder: str,
    policy: str = POLICY,
    deadline_ms: int = DEADLINE_MS,
    budget_chars: int = BUDGET_CHARS,
    everybody: bool = False,
) -> Bound:
    """Binds ``repository``, in any spelling, to ``folder``, in place of what was bound before: for the person who acts
    or whose agent does, or, by an administrator, for ``everybody`` who bound no other.

    Needs viewer. Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    name = remotes.repository(repository)
    chosen = _settings(policy, deadline_ms, budget_chars)
    person: int | None = _person(actor)
    if everybody:
        access.require_admin(actor, "Only an administrator binds a repository for everybody.")
        person = None
    for _ in range(2):
        try:
            # Not durable: the administration saves within a transaction of its own.
            with transaction.atomic():
                place = access.folder(actor, location=folder)
                return _bind(actor, person, name, place, chosen)
        except IntegrityError:
            continue  # bound at the same moment by another call: now there is a row to change
    raise Invalid("repository", "is being bound by others at this moment. Try again.")


def _bind(actor: Actor, person: int | None, name: str, place: Folder, chosen: dict[str, str | int]) -> Bound:
    rows = Binding.objects.select_for_update(no_key=True)
    row = rows.filter(person=person, repository__iexact=name).first()
    ended = False
    if row is None:
        row = Binding.objects.create(
            person_id=person, repository=name, folder=place, location=place.path, updated_at=timezone.now(), **chosen
        )
    else:
        if person is not None and not reads.own(actor).filter(pk=row.pk).exists():
            raise Forbidden(
                "Your person bound this repository to where this agent does not reach. They change it in the browser.",
                need="a person",
            )
        moved = row.folder_id != place.pk
        if not moved and all(getattr(row, field) == value for field, value in chosen.items()):
            return _bound(row, place)
        for field, value in chosen.items():
            setattr(row, field, value)
        if moved:
            # Others read there, for as long as they like: nobody agreed to that.
            ended = row.capture != CaptureMode.OFF
            row.folder, row.location, row.capture = place, place.path, CaptureMode.OFF
            row.capture_at = timezone.now() if ended else row.capture_at
        row.updated_at = timezone.now()
        row.save()
    audit.record(
        actor,
        "binding.set",
        folder=place if person is None else None,
        location=place.path,
        subject=name,
        data={"binding": row.pk, "everybody": person is None, **chosen, **({"capture": "off"} if ended else {})},
    )
    return _bound(row, place, ended=ended)


def _bound(row: Binding, place: Folder, *, ended: bool = False) -> Bound:
    return Bound(id=row.pk, repository=row.repository, folder=place.path, capture_ended=ended)


@transaction.atomic(durable=True)
def remove(actor: Actor, *, binding: str) -> None:
    """Removes one of the person's own, or, by an administrator in person, the instance's default. What was saved
    stays. Raises ``NotFound``, ``Forbidden``."""
    person = _person(actor)
    row = reads.own(actor).filter(pk=binding).first()
    if row is None and actor.admin and not actor.agent:
        row = Binding.objects.select_related("folder").filter(pk=binding, person=None).first()
    if row is None:
        raise NotFound
    Binding.objects.filter(pk=row.pk).delete()
    audit.record(
        actor,
        "binding.removed",
        location=row.location,
        subject=row.repository,
        data={"binding": row.pk, "everybody": row.person_id != person},
    )


def switch_capture(actor: Actor, *, binding: str, capture: str, seen: str = "") -> None:
    """Switches the saving of sessions ``off``, to ``ask``, or ``on``, for one of the actor's own.

    The person in person, and not an agent. ``seen`` is that of ``queries.bindings.consent``, which the person was
    shown: anything but ``off`` needs it as it would be told now, and editor on the folder. Raises ``NotFound``,
    ``Forbidden``, and ``Invalid`` naming ``seen`` where another thing would be told.
    """
    if actor.agent or actor.person is None:
        raise Forbidden("Only a person decides in the browser that sessions are saved.", need="a person")
    if capture not in CAPTURES:
        raise Invalid("capture", f"must be one of: {', '.join(CAPTURES)}.")
    with transaction.atomic(durable=True):
        found = reads.own(actor).filter(pk=binding).first()
        if found is None:
            raise NotFound
        facts: dict[str, object] = {"binding": found.pk, "capture": capture}
        if capture != CaptureMode.OFF:
            told = reads.consent(actor, id=binding)
            if not told.may_write:
                raise Forbidden(
                    "You may read this folder and not write to it; saving there needs editor.", need="editor"
                )
            if told.seen != seen:
                raise Invalid(
                    "seen", "is out of date: who can read the folder, or for how long, is no longer the same."
                )
            facts |= {"readers": told.readers, "days": told.days}
        row = Binding.objects.select_for_update(no_key=True).filter(pk=found.pk, folder=found.folder_id).first()
        if row is None:
            raise Invalid("seen", "is out of date: it was bound to another folder.")
        if row.capture == capture:
            return
        row.capture, row.capture_at = capture, timezone.now()
        row.updated_at = row.capture_at
        row.save(update_fields=["capture", "capture_at", "updated_at"])
        audit.record(actor, "binding.capture_switched", location=row.location, subject=row.repository, data=facts)


def _person(actor: Actor) -> int:
    """The person who acts, or whose agent does; not a job, nor somebody who only looks as another."""
    if actor.person is None or actor.looks:
        raise NotFound
    if not actor.may_write:
        raise Forbidden("This agent may only read; binding a repository needs one that may write.", need="editor")
    return actor.person


def _settings(policy: object, deadline_ms: object, budget_chars: object) -> dict[str, str | int]:
    """The three as they are stored. Raises ``Invalid`` naming all that are wrong."""
    wrong: list[FieldError] = []
    numbers: dict[str, int] = {}
    if policy not in POLICIES:
        wrong.append(FieldError(field="policy", message=f"must be one of: {', '.join(POLICIES)}."))
    for field, value, (least, most) in (
        ("deadline_ms", deadline_ms, DEADLINES_MS),
        ("budget_chars", budget_chars, BUDGETS_CHARS),
    ):
        try:
            numbers[field] = texts.whole(value, field=field, least=least, most=most)
        except Invalid as refusal:
            wrong += refusal.errors
    if wrong:
        raise Invalid(errors=wrong)
    return {"policy": str(policy), **numbers}
