"""Settling the drafts that could not be merged."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.merge import MERGE_VERSION, ChoiceError, Hunk, merge
from workspace.merge import resolve as settle
from workspace.models import CommitKind, ConflictState, Document, ReceiptKind
from workspace.models import Conflict as ConflictRow
from workspace.services import audit, commits, receipts, texts
from workspace.services.idempotency import once
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved


@transaction.atomic(durable=True)
def resolve(
    actor: Actor,
    *,
    conflict: str,
    expected_commit: str | None = None,
    choices: Sequence[str | Mapping[str, str]] | None = None,
    content: str | None = None,
    message: str = "",
    reason: str = "",
    idempotency_key: str | None = None,
) -> Saved | Merged | Replayed | Conflict:
    """Settle a conflict by one choice for each hunk, or by the whole text; makes a commit with two parents.

    ``expected_commit`` is the head that the choices were made upon (by default the one the conflict names). Where
    the head has moved since, whole text is merged with it where that is clean, and otherwise the answer is the
    conflict as it is now. Needs editor. Raises ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid``, ``TooLarge``.
    """
    if (choices is None) == (content is None):
        raise Invalid("choices", "give either choices, one for each hunk, or content.")
    if content is not None:
        texts.check(content)

    def act() -> Saved | Merged | Conflict:
        row, document = access.conflict(actor, id=conflict, lock=True, related=("base", "head", "draft"))
        if document.role < Role.EDITOR:
            raise Forbidden("You are viewer of this document; this needs editor.", need=Role.EDITOR.label)
        # Read again under the document's lock, so that of two who resolve at once one finds it settled.
        row.refresh_from_db(fields=["state", "resolution"])
        if row.state != ConflictState.OPEN:
            raise Invalid("conflict_id", f"is {row.state} already. List the open ones.")
        if document.deleted_at:
            raise Invalid("conflict_id", "belongs to a deleted document. Undelete that first.")
        head = document.head
        seen = commits.named(document, expected_commit) if expected_commit else row.head
        head_text = commits.text_of(head)
        draft, base_text = row.draft.content, commits.text_of(row.base)
        merged = merge(base_text, head_text, draft)
        moved = seen.pk != head.pk
        if content is not None:
            result = content
            if moved:
                again = merge(commits.text_of(seen), head_text, content)
                if again.text is None:
                    return _open(row, document, again.hunks, again.preview)
                result = again.text
        else:
            if moved:
                return _open(row, document, merged.hunks, merged.preview)
            try:
                result = settle(merged, list(choices or ()))
            except ChoiceError as error:
                raise Invalid("choices", str(error)) from None
        commit = commits.record(
            actor,
            document,
            kind=CommitKind.RESOLVE,
            text=texts.check(result),
            parents=[head.pk, row.base_id],
            message=message or row.message,
            reason=reason or row.reason,
            merge_version=MERGE_VERSION,
        )
        _close(actor, row, ConflictState.RESOLVED)
        row.resolution = commit
        row.save(update_fields=["state", "closed_at", "closed_by", "resolution"])
        receipts.record(
            actor,
            ReceiptKind.RESOLVED,
            document=document,
            folder=document.folder,
            commit=commit,
            conflict=row,
            reason=reason,
        )
        kind = Merged if moved else Saved
        return kind(
            document=document.pk,
            location=location_of(document),
            commit=commit.pk,
            parents=tuple(commit.parents),
        )

    payload = {"conflict": conflict, "expected": expected_commit, "choices": choices, "content": content}
    return once(actor, "conflicts.resolve", idempotency_key, payload, act)


@transaction.atomic(durable=True)
def discard(actor: Actor, *, conflict: str, reason: str = "") -> None:
    """Set a draft aside without writing it; the draft itself is kept. For its author and for editors."""
    row, document = access.conflict(actor, id=conflict, lock=True)
    if actor.scopes and document.role < Role.EDITOR:
        raise Forbidden("This agent may only read this document; this needs editor.", need=Role.EDITOR.label)
    row.refresh_from_db(fields=["state"])
    if row.state == ConflictState.DISCARDED:
        return
    if row.state != ConflictState.OPEN:
        raise Invalid("conflict_id", "is resolved already.")
    _close(actor, row, ConflictState.DISCARDED)
    row.save(update_fields=["state", "closed_at", "closed_by"])
    receipts.record(
        actor,
        ReceiptKind.DISCARDED,
        document=document,
        folder=document.folder,
        conflict=row,
        reason=texts.note(reason, field="reason"),
    )
    audit.record(actor, "conflict.discarded", document=document, reason=reason, data={"conflict": row.pk})


def _close(actor: Actor, row: ConflictRow, state: ConflictState) -> None:
    row.state = state
    row.closed_at = timezone.now()
    row.closed_by_id = actor.person


def _open(row: ConflictRow, document: Document, hunks: tuple[Hunk, ...], preview: str) -> Conflict:
    return Conflict(
        conflict=row.pk,
        document=document.pk,
        location=location_of(document),
        base_commit=row.base_id,
        head_commit=document.head_id,
        hunks=hunks,
        merged_preview=preview,
    )
