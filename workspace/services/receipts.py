"""Receipts: one fact each, recorded when it happened and by whom."""

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Model

from workspace.actor import Actor
from workspace.models import Capture, Commit, Conflict, Document, Folder, Receipt, ReceiptKind
from workspace.models.ids import receipt_id

logger = logging.getLogger(__name__)

# One round trip and one implicit transaction. A read receipt that a power cut takes is made again by the next
# read, so its commit does not wait for the disk.
READ = """
INSERT INTO {table} (id, kind, person_id, agent_id, job, via, session, document_id, commit_id, reason, data)
SELECT %s, 'read', %s, %s, %s, %s, %s, %s, %s, '', '{{}}'
FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed
ON CONFLICT DO NOTHING
"""


def key_of(thing: Model | str | int | None) -> Any:
    """The primary key of a row; a key is passed through."""
    return thing.pk if isinstance(thing, Model) else thing


def record(
    actor: Actor,
    kind: ReceiptKind | str,
    *,
    folder: Folder | int | None = None,
    document: Document | str | None = None,
    commit: Commit | str | None = None,
    capture: Capture | str | None = None,
    conflict: Conflict | str | None = None,
    operation: str = "",
    reason: str = "",
    data: Mapping[str, Any] | None = None,
) -> Receipt:
    """Records that ``actor`` did ``kind``, inside the caller's transaction. Things are rows or their ids;
    ``data`` is JSON-ready and holds nothing that the readers of the things named may not see."""
    return Receipt.objects.create(
        kind=ReceiptKind(kind),
        person_id=actor.person,
        agent_id=actor.agent,
        job=actor.job,
        via=actor.via.value,
        session=actor.session[:200],
        host=actor.host[:64],
        operation=operation,
        folder_id=key_of(folder),
        document_id=key_of(document),
        commit_id=key_of(commit),
        capture_id=key_of(capture),
        conflict_id=key_of(conflict),
        reason=reason or actor.reason,
        data=dict(data or {}),
    )


def read(actor: Actor, *, document: str, commit: str) -> None:
    """Records that ``actor`` was given ``commit`` of ``document``; once for a person, agent and session,
    however often it is read. To be called after the answer was made, outside a transaction."""
    try:
        _read(actor.person, actor.agent, actor.job, actor.via.value, actor.session[:200], document, commit)
    except DatabaseError:
        # A full disk must not stop people from reading what is there.
        logger.exception("The reading of %s could not be recorded", document)


@lru_cache(maxsize=10_000)
def _read(*fact: str | int | None) -> None:
    # A fact that is recorded stays so, so the process need not ask again; the table keeps it to one among several.
    with connection.cursor() as cursor:
        cursor.execute(READ.format(table=connection.ops.quote_name(Receipt._meta.db_table)), (receipt_id(), *fact))
