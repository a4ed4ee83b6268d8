"""Settling the drafts that could not be merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from django.db import transaction
from django.utils import timezone

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.merge import Choice, ChoiceError, Decision, Merge, decided, merge
from workspace.merge import resolve as settle
from workspace.models import Commit, CommitKind, ConflictState, Document, ReceiptKind, Settling
from workspace.models import Conflict as ConflictRow
from workspace.services import audit, commits, receipts, texts
from workspace.services.choices import Given, carried, complete, dropped, left_out, numbered, refuse_drop
from workspace.services.documents.request import written
from workspace.services.idempotency import once
from workspace.services.outcomes import Conflict, Merged, Replayed, Saved


@transaction.atomic(durable=True)
def resolve(
    actor: Actor,
    *,
    conflict: str,
    expected_commit: str | None = None,
    choices: Sequence[Given] | None = None,
    content: str | None = None,
    confirm_drop: bool = False,
    message: str = "",
    reason: str = "",
    idempotency_key: str | None = None,
) -> Saved | Merged | Replayed | Conflict:
    """Settle a conflict by one choice for each hunk, or by the whole text; makes a commit with two parents.

    ``choices`` are in the order of the hunks, or ``{"hunk": index, "choice": …}`` each. ``expected_commit`` is the head
    that they were made upon (by default the one the conflict names). Where the head has moved since, the draft is
    merged with it anew: choices stay for hunks that say what they said, and if those are all, that is the commit. Whole
    text is merged with the new head where that is clean. Otherwise the answer is the conflict as it is now, with the
    choices that were ``kept``. A text, whole or in the place of a hunk, that leaves out a line which either side added
    is ``Invalid`` unless ``confirm_drop``; a side that is chosen by its name is not asked about. Needs editor. Raises
    ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid``, ``TooLarge``.
    """
    if (choices is None) == (content is None):
        raise Invalid("choices", "give either choices, one for each hunk, or content.")
    if content is not None:
        texts.check(content)
    chosen = numbered(choices or ())

    def act() -> Saved | Merged | Conflict:
        row, document = access.conflict(actor, id=conflict, lock=True, related=("base", "head", "draft"))
        if document.role < Role.EDITOR:
            raise Forbidden("You are viewer of this document; this needs editor.", need=Role.EDITOR.label)
        # Read again under the document's lock, so that of two who resolve at once one finds it settled.
        row.refresh_from_db(fields=["state", "resolution", "merge_version"])
        _refuse_settled(row)
        if document.deleted_at:
            raise Invalid("conflict_id", "belongs to a deleted document. Undelete that first.")
        seen = commits.named(document, expected_commit) if expected_commit else row.head
        sides = _Sides.of(row, document, seen)
        if content is None:
            settled = _by_choices(sides, chosen, confirmed=confirm_drop)
        else:
            settled = _by_text(sides, content, confirmed=confirm_drop)
        if isinstance(settled, _Still):
            return _open(row, document, settled)
        commit = commits.record(
            actor,
            document,
            kind=CommitKind.RESOLVE,
            text=texts.check(settled.text),
            parents=[document.head_id, row.base_id],
            message=message or row.message,
            reason=reason or row.reason,
            merge_version=settled.version,
            decisions=settled.decisions,
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
        outcome: type[Saved] | type[Merged] = Merged if sides.moved else Saved
        return written(outcome, document, commit, decisions=settled.decisions)

    payload = {"conflict": conflict, "expected": expected_commit, "choices": choices, "content": content}
    return once(actor, "conflicts.resolve", idempotency_key, payload, act)


@dataclass(frozen=True, kw_only=True)
class _Sides:
    """The texts of a conflict, and its merge as it was told (``told``, against ``seen``) and as it is (``now``)."""

    base: str
    seen: str
    head: str
    draft: str
    told: Merge
    now: Merge
    moved: bool

    @classmethod
    def of(cls, row: ConflictRow, document: Document, seen: Commit) -> Self:
        """``seen`` is the head that was decided upon."""
        base, draft, moved = commits.text_of(row.base), row.draft.content, seen.pk != document.head_id
        before = commits.text_of(seen)
        head = commits.text_of(document.head) if moved else before
        told = merge(base, before, draft, version=row.merge_version)
        now = merge(base, head, draft) if moved else told
        return cls(base=base, seen=before, head=head, draft=draft, told=told, now=now, moved=moved)


@dataclass(frozen=True, kw_only=True)
class _Settled:
    text: str
    version: int
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, kw_only=True)
class _Still:
    """Not settled: the conflict as it is now, and the choices that were kept."""

    merged: Merge
    kept: Mapping[int, Choice]


def _by_choices(sides: _Sides, chosen: Mapping[int, Choice], *, confirmed: bool) -> _Settled | _Still:
    if sides.moved:
        kept, whole = carried(sides.told.hunks, sides.now.hunks, chosen)
        if not whole or len(kept) < len(sides.now.hunks):
            return _Still(merged=sides.now, kept=kept)
        chosen = kept
    try:
        choices = complete(chosen, sides.now.hunks)
        text = settle(sides.now, choices)
    except ChoiceError as error:
        raise Invalid("choices", str(error)) from None
    if not confirmed:
        refuse_drop(left_out(sides.now, choices, base=sides.base, head=sides.head, draft=sides.draft, content=text))
    return _Settled(text=text, version=sides.now.version, decisions=decided(sides.now, choices))


def _by_text(sides: _Sides, content: str, *, confirmed: bool) -> _Settled | _Still:
    if not confirmed:
        refuse_drop(dropped(sides.told, base=sides.base, head=sides.seen, draft=sides.draft, content=content))
    again = merge(sides.seen, sides.head, content)
    if again.text is None:
        return _Still(merged=sides.now, kept={})
    return _Settled(text=again.text, version=again.version, decisions=again.decisions)


@transaction.atomic(durable=True)
def discard(actor: Actor, *, conflict: str, reason: str = "") -> None:
    """Set a draft aside without writing it. For its author and for editors.

    The draft is kept for ``BATON_CONFLICT_DAYS`` (``purging.drafts``). Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    row, document = access.conflict(actor, id=conflict, lock=True)
    if actor.scopes and document.role < Role.EDITOR:
        raise Forbidden("This agent may only read this document; this needs editor.", need=Role.EDITOR.label)
    row.refresh_from_db(fields=["state", "resolution"])
    if row.state == ConflictState.DISCARDED:
        return
    _refuse_settled(row)
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
    # What was chosen on the way, and typed, is in the commit or wanted no more.
    Settling.objects.filter(conflict=row).delete()


def _refuse_settled(row: ConflictRow) -> None:
    match row.state:
        case ConflictState.OPEN:
            return
        case ConflictState.RESOLVED:
            told = f"is resolved already, by commit {row.resolution_id}. Read the document; nothing is left to settle."
        case _:
            told = "is discarded already. If its draft is wanted after all, write it upon the document as it is now."
    raise Invalid("conflict_id", told)


def _open(row: ConflictRow, document: Document, still: _Still) -> Conflict:
    """The answer, and the merge that it tells of noted: the choices to come are for its hunks."""
    row.merge_version = still.merged.version
    row.save(update_fields=["merge_version"])
    hunks = still.merged.hunks
    return Conflict(
        conflict=row.pk,
        document=document.pk,
        location=location_of(document),
        base_commit=row.base_id,
        head_commit=document.head_id,
        hunks=hunks,
        merged_preview=still.merged.preview,
        kept=tuple(still.kept.get(index) for index in range(len(hunks))) if still.kept else (),
    )
