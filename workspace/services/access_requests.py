"""Requests for access: somebody asks for a role at a place; those who could grant it answer.

Asking tells nothing: the same answer after the same statements whether the place is there and hidden, or never was.
Order of locks: the person (asking), the place, the request.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from workspace import access, locations
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid, NotFound, RateLimited
from workspace.models import AccessRequest, Document, Folder, Person, RequestState
from workspace.services import audit, sharing, texts
from workspace.services.previews import Preview

MOST_OPEN = 20
MOST_A_DAY = 40
RETRY = 3600
DAY = timedelta(days=1)

# What is at a location, if anything lives there, and what the person holds; the same statement for any location.
LOOKUP = """
SELECT folder.id, document.id, above.lineage, folder.lineage,
       workspace_granted_role(%(person)s, coalesce(above.lineage, folder.lineage, '{}'), coalesce(document.id, ''))
  FROM (SELECT 1) AS one
  LEFT JOIN workspace_folder folder ON folder.path = %(path)s AND folder.deleted_at IS NULL
  LEFT JOIN (workspace_document document JOIN workspace_folder above ON above.id = document.folder_id)
    ON above.path = %(parent)s AND document.name = %(name)s AND document.deleted_at IS NULL
 LIMIT 1
"""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as it stands: ``state`` is open, approved, declined or withdrawn; ``granted`` the role that came of
    it, empty where none did. ``again`` where it stood so before the call, which changed nothing."""

    id: str
    location: str
    role: str
    reason: str
    state: str
    created_at: datetime
    granted: str = ""
    answer: str = ""
    again: bool = False


def ask(actor: Actor, *, location: str, role: str, reason: str = "") -> Asked:
    """Ask for ``role`` at ``location`` for the person who acts, or whose agent does. At most 20 of theirs are open,
    and 40 are asked in 24 hours, withdrawn ones too: whoever shares the place would find them in the audit log.

    Asking again while a request for the place is open changes nothing and gives the same answer. Raises ``Invalid``
    (also where they hold as much already, for those who see the place) and ``RateLimited``.
    """
    wanted, reason = sharing.parse_role(role), texts.note(reason, field="reason")
    path = locations.join(*locations.split(location))
    person = _person(actor)
    with transaction.atomic(durable=True):
        # Two requests of one person at once: the second sees the first, so that the limit and the one open hold.
        Person.objects.select_for_update(no_key=True).get(pk=person)
        folder, document, lineage, held = _lookup(person, path)
        sees = access.effective(actor, Role.MANAGER if actor.admin else held, lineage, document)
        since = timezone.now() - DAY
        counted = Q(state=RequestState.OPEN) | Q(created_at__gt=since)
        rows = list(AccessRequest.objects.filter(counted, person=person))
        standing = {row.location: row for row in rows if row.state == RequestState.OPEN}
        if sees is not None and (actor.admin or (held or 0) >= wanted):
            who = "your person is" if actor.agent else "you are"
            role = Role.MANAGER.label if actor.admin else Role(held or wanted).label
            raise Invalid("role", f"is held already: {who} {role} there.")
        if path in standing:
            return _asked(standing[path])
        _refuse_more(rows, since)
        row = AccessRequest.objects.create(
            person_id=person,
            agent_id=actor.agent,
            location=path,
            folder_id=folder,
            document_id=document,
            role=wanted,
            reason=reason,
            created_at=timezone.now(),
        )
        audit.record(
            actor,
            "access.requested",
            folder=folder or (lineage[-1] if lineage else None),
            document=document,
            location=path,
            reason=reason,
            data={"request": row.pk, "role": wanted.label},
        )
        return _asked(row)


def _refuse_more(rows: Sequence[AccessRequest], since: datetime) -> None:
    """``RateLimited`` where as many of ``rows`` are open, or were asked after ``since``, as may be."""
    if sum(row.state == RequestState.OPEN for row in rows) >= MOST_OPEN:
        raise RateLimited(
            happened=f"{MOST_OPEN} requests for access are open",
            mend="withdraw one, or wait until one is answered",
            retry_after=RETRY,
        )
    times = sorted(row.created_at for row in rows if row.created_at > since)
    if len(times) >= MOST_A_DAY:
        seconds = math.ceil((times[-MOST_A_DAY] - since).total_seconds())
        raise RateLimited(
            happened=f"{MOST_A_DAY} requests for access were made within 24 hours, withdrawn ones too",
            mend=f"ask again in {seconds} s, or speak to whoever shares the place",
            retry_after=max(seconds, 1),
        )


def _person(actor: Actor) -> int:
    """The person who acts, or whose agent does; not a job, nor somebody who only looks as another."""
    if actor.person is None or actor.looks:
        raise NotFound
    if not actor.may_write:
        raise Forbidden("This agent may only read; asking for access needs one that may write.", need="editor")
    return actor.person


def _lookup(person: int, path: str) -> tuple[int | None, str | None, list[int], int | None]:
    """The folder or the document at ``path``, its lineage, and the person's role there."""
    parent, _, name = path.rpartition(locations.SEPARATOR)
    with connection.cursor() as cursor:
        cursor.execute(LOOKUP, {"person": person, "path": path, "parent": parent, "name": name})
        folder, document, above, own, held = cursor.fetchone()
    return folder, document, above or own or [], held


def _asked(row: AccessRequest, *, again: bool = False) -> Asked:
    return Asked(
        id=row.pk,
        location=row.location,
        role=Role(row.role).label,
        reason=row.reason,
        state=row.state,
        created_at=row.created_at,
        granted=Role(row.granted_role).label if row.granted_role else "",
        answer=row.answer,
        again=again,
    )


def preview(actor: Actor, *, request: str, role: str | None = None) -> Preview:
    """What approving would change, with ``role`` or the role asked for; the same refusals as ``decide``."""
    row, place = _decidable(actor, request, lock=False)
    return sharing.preview_at(actor, place, row.person, _role(row, role))


def change(actor: Actor, *, request: str, role: str | None = None) -> dict[str, Any]:
    """Approving as a change that ``sharing.confirm_token`` takes."""
    row, place = _decidable(actor, request, lock=False)
    return {
        "action": "grant",
        "location": sharing.location_of(place),
        "subject": row.person.email,
        "role": _role(row, role).label,
        "request": row.pk,
    }


def decide(
    actor: Actor,
    *,
    request: str,
    approve: bool,
    role: str | None = None,
    answer: str = "",
    confirm_token: str | None = None,
) -> Asked:
    """Approve a request, by a grant of the role asked for or of a lesser one, or decline it, with an answer.

    For those who could share the place up to the role asked for. One that was decided or withdrawn already is given
    as it stands, with ``again``. Raises ``NotFound`` for all others, ``Forbidden``, ``Gone``, ``Invalid`` and, with a
    ``confirm_token`` that does not hold, ``AccessChange``.
    """
    if not isinstance(approve, bool):
        raise Invalid("approve", "must be true or false.")
    answer = texts.note(answer, field="answer")
    if role is not None:
        sharing.parse_role(role)
    if role is not None and not approve:
        raise Invalid("role", "cannot be given when a request is declined.")
    with transaction.atomic(durable=True):
        row, place = _decidable(actor, request, lock=True)
        if row.state != RequestState.OPEN:
            return _asked(row, again=True)
        if approve:
            wanted = _role(row, role)
            if confirm_token is not None:
                sharing.check_token(actor, confirm_token, change(actor, request=request, role=role))
            # What they were given there meanwhile is not taken back by an answer to what they asked for before.
            if (sharing.given(place, row.person) or 0) < wanted:
                sharing.give(actor, place, row.person, wanted)
            row.granted_role = wanted
        row.state = RequestState.APPROVED if approve else RequestState.DECLINED
        row.answer, row.decided_at, row.decided_by_id = answer, timezone.now(), actor.person
        row.save(update_fields=["state", "answer", "decided_at", "decided_by", "granted_role"])
        audit.record(
            actor,
            "access.approved" if approve else "access.declined",
            **({"folder": place} if isinstance(place, Folder) else {"document": place}),
            subject=row.person.email,
            data={"request": row.pk, "asked": Role(row.role).label}
            | ({"role": Role(row.granted_role).label} if row.granted_role else {}),
        )
        return _asked(row)


def withdraw(actor: Actor, *, request: str) -> Asked:
    """Take back one's own request, also by an agent. One that is not open is given as it stands, with ``again``.

    Raises ``NotFound``.
    """
    person = _person(actor)
    with transaction.atomic(durable=True):
        row = AccessRequest.objects.select_for_update(no_key=True).filter(pk=request, person=person).first()
        if row is None:
            raise NotFound
        if row.state != RequestState.OPEN:
            return _asked(row, again=True)
        row.state, row.decided_at, row.decided_by_id = RequestState.WITHDRAWN, timezone.now(), person
        row.save(update_fields=["state", "decided_at", "decided_by"])
        audit.record(actor, "access.withdrawn", location=row.location, data={"request": row.pk})
        return _asked(row)


def _decidable(actor: Actor, request: str, *, lock: bool) -> tuple[AccessRequest, Folder | Document]:
    """The request and its place, where ``actor`` may grant what it asks for. What is not theirs to decide, a place
    that is gone and an id that never was take the same queries and are ``NotFound``."""
    row = AccessRequest.objects.filter(pk=request).select_related("person").first()
    place: Folder | Document
    if row is not None and row.document_id:
        place = access.document(actor, id=row.document_id, lock=lock)
    else:
        place = access.folder(actor, id=row.folder_id or 0 if row else 0, lock=lock)
    if row is None:
        raise NotFound
    able = access.abilities(place.role, shares=place.shares)
    if not able.share or (row.role == Role.MANAGER and not able.manage):
        raise NotFound
    if row.person_id == actor.person:
        raise Forbidden("Somebody else decides what you asked for.", need="another person")
    if lock:
        row = AccessRequest.objects.select_for_update(no_key=True, of=("self",)).select_related("person").get(pk=row.pk)
    return row, place


def _role(row: AccessRequest, role: str | None) -> Role:
    """The role to be granted: what was asked for, or a lesser one."""
    if not row.person.is_active:
        raise Invalid("request", "is of somebody who is deactivated. Decline it.")
    wanted = Role(row.role) if role is None else sharing.parse_role(role)
    if wanted > row.role:
        raise Invalid("role", f"is more than the {Role(row.role).label} that was asked for.")
    return wanted
