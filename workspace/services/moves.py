"""Moving whatever is at a location, a folder or a document."""

from typing import Unpack

from workspace import access
from workspace.actor import Actor
from workspace.errors import Gone, Invalid, NotFound
from workspace.models import Folder
from workspace.services import documents, folders, idempotency
from workspace.services.documents.request import Guarded
from workspace.services.outcomes import Conflict, Made, Replayed, Saved, Unchanged


def move(
    actor: Actor,
    *,
    source: str,
    target: str,
    acknowledge_access_change: bool = False,
    **request: Unpack[Guarded],
) -> Saved | Unchanged | Replayed | Conflict | Made:
    """As ``documents.move`` or ``folders.move``, by what is at ``source``; a folder gives ``Made``."""
    key = request.get("idempotency_key")
    try:
        is_folder = isinstance(access.place(actor, location=source), Folder)
    except (NotFound, Gone):
        # The first of two equal requests may have moved it away; its outcome is then given again.
        kind = idempotency.first(actor, idempotency.MOVE, key) if key is not None else None
        if kind is None:
            raise
        is_folder = kind is Made
    if not is_folder:
        return documents.move(
            actor, source=source, target=target, acknowledge_access_change=acknowledge_access_change, **request
        )
    if request.get("expected_commit") is not None:
        raise Invalid("expected_commit", "cannot be given for a folder, which has no commits.")
    return folders.move(
        actor,
        source=source,
        target=target,
        acknowledge_access_change=acknowledge_access_change,
        idempotency_key=key,
        message=request.get("message", ""),
        reason=request.get("reason", ""),
    )
