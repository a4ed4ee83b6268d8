"""Moving whatever is at a location, a folder or a document."""

from typing import Unpack

from workspace import access, locations
from workspace.actor import Actor
from workspace.errors import Gone, Invalid, NotFound
from workspace.models import Folder
from workspace.services import documents, folders
from workspace.services.documents.request import Guarded
from workspace.services.folders import Made
from workspace.services.outcomes import Conflict, Replayed, Saved, Unchanged


def move(
    actor: Actor,
    *,
    source: str,
    target: str,
    acknowledge_access_change: bool = False,
    **request: Unpack[Guarded],
) -> Saved | Unchanged | Replayed | Conflict | Made:
    """As ``documents.move`` or ``folders.move``, by what is at ``source``; a folder gives ``Made``."""
    try:
        place: object = access.place(actor, location=source)
    except (NotFound, Gone):
        # The first of two equal requests may have moved it away; ``documents.move`` then gives its outcome again.
        if request.get("idempotency_key") is None or locations.SEPARATOR not in source:
            raise
        place = None
    if isinstance(place, Folder):
        if request.get("expected_commit") is not None:
            raise Invalid("expected_commit", "cannot be given for a folder, which has no commits.")
        return folders.move(actor, source=source, target=target, acknowledge_access_change=acknowledge_access_change)
    return documents.move(
        actor, source=source, target=target, acknowledge_access_change=acknowledge_access_change, **request
    )
