"""The browsers in which a person is signed in, ended by themselves."""

from django.contrib.sessions.models import Session
from django.db import transaction

from workspace.actor import Actor
from workspace.errors import NotFound
from workspace.models import Person
from workspace.services import audit
from workspace.services.agents import person_of

TOLD = 20


def end(actor: Actor, *, session: int, current: str) -> None:
    """End one of the person's sessions, from its next request on; ``current`` is the key of the one they act in, which
    signing out ends. Raises ``NotFound`` for that, for what is not theirs and for an agent."""
    if _end(actor, current=current, only=session) == 0:
        raise NotFound


def end_others(actor: Actor, *, current: str) -> int:
    """End every session of the person but the one whose key is ``current``, and return how many those were."""
    return _end(actor, current=current)


def _end(actor: Actor, *, current: str, only: int | None = None) -> int:
    person = person_of(actor)
    with transaction.atomic():
        held = Person.objects.get(pk=person).usersession_set
        rows = held.select_for_update().exclude(session_key=current)
        ended = list(rows if only is None else rows.filter(pk=only))
        if not ended:
            return 0
        Session.objects.filter(session_key__in=[row.session_key for row in ended]).delete()
        held.filter(pk__in=[row.pk for row in ended]).delete()
        told = [{"ip": row.ip, "browser": row.user_agent[:200]} for row in ended[:TOLD]]
        audit.record(actor, "signin.session_ended", subject=actor.email, data={"count": len(ended), "sessions": told})
    return len(ended)
