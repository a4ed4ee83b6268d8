"""Acknowledging a brief: what it told is not told again.

It is a mark in what somebody alone reads, like a place in a book: it leaves neither receipt nor entry in the audit log.
"""

from django.db import transaction
from django.utils import timezone

from workspace.actor import Actor
from workspace.models import BriefMark, Folder
from workspace.queries import briefs


@transaction.atomic(durable=True)
def acknowledge(actor: Actor, *, ack_through: str) -> None:
    """Takes note of everything up to the ``cursor.head`` of a brief, of what that one told: of its folder, or of all
    work. What is behind the mark already changes nothing. Raises ``Invalid``."""
    through = briefs.through(actor, ack_through, field="ack_through")
    if through.folder is not None and not Folder.objects.filter(pk=through.folder).exists():
        return  # erased since, with all that could be told of it
    mark = {"principal": actor.principal, "folder_id": through.folder}
    values = {"through": through.moment, "told": list(through.told), "acknowledged_at": timezone.now()}
    BriefMark.objects.get_or_create(**mark, defaults=values)
    row = BriefMark.objects.select_for_update(no_key=True).get(**mark)
    # Of two cursors of one moment the one that told more is the later: what was told stays told.
    if (row.through, len(row.told)) < (through.moment, len(through.told)):
        BriefMark.objects.filter(pk=row.pk).update(**values)
