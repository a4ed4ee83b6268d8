"""Acknowledging a brief: what it told is not told again.

It is a mark in what somebody alone reads, like a place in a book: it leaves neither receipt nor entry in the audit log.
"""

from django.db import transaction
from django.utils import timezone

from workspace.actor import Actor
from workspace.models import BriefMark
from workspace.queries import briefs


@transaction.atomic(durable=True)
def acknowledge(actor: Actor, *, ack_through: str) -> None:
    """Takes note of everything up to the ``cursor.head`` of a brief. What is behind the mark already changes nothing.
    Raises ``Invalid``."""
    through, told = briefs.through(actor, ack_through, field="ack_through")
    values = {"through": through, "told": told, "acknowledged_at": timezone.now()}
    BriefMark.objects.get_or_create(principal=actor.principal, defaults=values)
    BriefMark.objects.filter(principal=actor.principal, through__lt=through).update(**values)
