"""Writing a document's text."""

from collections.abc import Callable, Mapping
from typing import Unpack

from django.db import transaction

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import Invalid
from workspace.markdown import sections
from workspace.markdown.sections import SectionError
from workspace.merge import Merge, merge
from workspace.models import Commit, CommitKind, ConflictState, Document, ReceiptKind
from workspace.models import Conflict as ConflictRow
from workspace.services import audit, commits, folders, receipts, texts
from workspace.services.documents import shrinking
from workspace.services.documents.request import ON_CONFLICT, Edit, Replacement, Request, written
from workspace.services.idempotency import once
from workspace.services.outcomes import Conflict, Merged, Outcome, Replayed, Saved, Unchanged
from workspace.services.texts import Text


@transaction.atomic(durable=True)
def create(actor: Actor, *, location: str, content: str, **request: Unpack[Request]) -> Saved | Replayed:
    """A new document; folders on the way that are missing are made, and the actor becomes their manager.

    Never overwrites: a name that is taken, or has a twin that differs only in case or normalisation, is
    ``AlreadyExists``. Needs editor on the deepest folder that exists. Raises also ``NotFound``, ``Forbidden``,
    ``Invalid``, ``TooLarge``, ``IdempotencyMismatch``.
    """
    names, name = locations.split_document(location)
    text = texts.check(content)
    key, notes = request.pop("idempotency_key", None), commits.notes(request)

    def act() -> Saved:
        folder, made = folders.ensure(actor, names)
        folders.refuse_taken(folder, name)
        document = Document(folder=folder, name=name, twin_key=locations.twin_key(name))
        commit = commits.record(actor, document, kind=CommitKind.CREATE, text=text, **notes)
        return written(Saved, document, commit, made)

    payload = {"location": location, "content": text.hash, **notes}
    return once(actor, "documents.create", key, payload, act)


def edit(actor: Actor, *, location: str, content: str, expected_commit: str, **request: Unpack[Replacement]) -> Outcome:
    """Replace the whole text, as written upon ``expected_commit``.

    Where the head has moved since, ``merge`` merges and ``reject`` tells; what cannot be merged is kept whole as
    a conflict. A text that leaves all but nothing of a long page is ``Invalid`` unless ``confirm_shrink``. Raises
    ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid``, ``TooLarge``, ``IdempotencyMismatch``.
    """
    text = texts.check(content)
    whole: Edit = {**request, "expected_commit": expected_commit}
    return _write(actor, "edit", {"content": text.hash}, lambda _: content, location=location, **whole)


def merge_in(
    actor: Actor, *, location: str, merged: Merge, upon: str, expected_commit: str, **request: Unpack[Replacement]
) -> Outcome:
    """Write what ``merged`` made of ``expected_commit`` and of a text that was changed elsewhere since ``upon``.

    Both are the commit's parents, and what the merge settled is its own to tell. Where the head has moved since, the
    text goes the way of ``edit``. Raises as that does.
    """
    assert merged.text is not None
    text = merged.text
    whole: Edit = {**request, "expected_commit": expected_commit}
    payload = {"content": texts.check(text).hash, "upon": upon}
    return _write(actor, "merge_in", payload, lambda _: text, location=location, made=(merged, upon), **whole)


def substitute(
    actor: Actor,
    *,
    location: str,
    old_string: str,
    new_string: str,
    replace_all: bool = False,
    **request: Unpack[Edit],
) -> Outcome:
    """Replace ``old_string`` where it stands, once unless ``replace_all``; else ``Invalid`` says how often.

    Applies to the head, or to ``expected_commit`` where that is given. Raises as ``edit`` does.
    """
    texts.check(old_string, field="old_string")
    texts.check(new_string, field="new_string")
    if not old_string:
        raise Invalid("old_string", "is empty. Give the exact text to replace.")

    def compute(text: str) -> str:
        old, new = old_string, new_string
        if old not in text and "\r\n" in text:
            # Written with LF by somebody who read a CRLF text.
            old, new = (s.replace("\r\n", "\n").replace("\n", "\r\n") for s in (old, new))
        found = text.count(old)
        if not found:
            raise Invalid("old_string", "was found 0 times. Read the document again and copy the text exactly.")
        if found > 1 and not replace_all:
            raise Invalid("old_string", f"was found {found} times. Give more text around it, or set replace_all.")
        return text.replace(old, new)

    payload = {"old": old_string, "new": new_string, "all": replace_all}
    return _write(actor, "substitute", payload, compute, location=location, **request)


def append(actor: Actor, *, location: str, content: str, **request: Unpack[Edit]) -> Outcome:
    """Put ``content`` at the end, on a line of its own. Raises as ``edit`` does."""
    texts.check(content)
    if not content:
        raise Invalid("content", "is empty. Give the text to append.")

    def compute(text: str) -> str:
        end = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text or text.endswith(("\n", "\r")) else end
        return text + gap + content + ("" if content.endswith(("\n", "\r")) else end)

    return _write(actor, "append", {"append": content}, compute, location=location, **request)


def replace_section(actor: Actor, *, location: str, section: str, content: str, **request: Unpack[Edit]) -> Outcome:
    """Replace what stands under one heading, named by its title, its path ``A > B`` or its anchor.

    Raises as ``edit`` does; no such section, or several, is ``Invalid``.
    """
    texts.check(content)
    texts.check(section, field="section")

    def compute(text: str) -> str:
        try:
            return sections.replace(text, section, content)
        except SectionError as error:
            raise Invalid("section", str(error)) from None

    payload = {"section": section, "content": content}
    return _write(actor, "replace_section", payload, compute, location=location, **request)


def restore_section(actor: Actor, *, location: str, commit: str, section: str, **request: Unpack[Edit]) -> Outcome:
    """Make one section what it was at an earlier ``commit``, its heading and subsections included, and leave the rest.

    One that is gone comes back where it stood. ``section`` is named as in ``replace_section``, by what that commit has.
    Raises as ``edit`` does.
    """
    texts.check(section, field="section")
    document = access.document(actor, location=location, need=Role.EDITOR)
    earlier = commits.named(document, commit, field="commit")
    old = commits.text_of(earlier)

    def compute(text: str) -> str:
        try:
            return sections.restore(text, old, section)
        except SectionError as error:
            raise Invalid("section", str(error)) from None

    if not request.get("message"):
        request["message"] = f"Restore “{' '.join(section.split())[:120]}” of {earlier.pk[:8]}"
    payload = {"section": section, "commit": earlier.pk}
    return _write(actor, "restore_section", payload, compute, location=location, **request)


@transaction.atomic(durable=True)
def _write(
    actor: Actor,
    operation: str,
    payload: Mapping[str, object],
    compute: Callable[[str], str],
    *,
    location: str,
    made: tuple[Merge, str] | None = None,
    **request: Unpack[Edit],
) -> Outcome:
    """The one way a new text enters a document. ``compute`` makes it from the text it is based on; ``made`` is the
    merge that it came from, and the commit that its other side was written upon."""
    expected, on_conflict = request.get("expected_commit"), request.get("on_conflict", "reject")
    if on_conflict not in ON_CONFLICT:
        raise Invalid("on_conflict", "must be reject or merge.")
    notes = commits.notes(request)
    # A job writes what it made of the page before, and has nobody to ask.
    asks = not request.get("confirm_shrink") and not actor.job

    def act() -> Outcome:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        head = document.head
        base = head if expected is None else commits.named(document, expected)
        base_text = commits.text_of(base)
        text = texts.check(compute(base_text))
        if text.hash in (head.blob_id, base.blob_id):
            return written(Unchanged, document, head)
        if base.pk == head.pk:
            if asks:
                shrinking.refuse(base_text, text.content)
            if made is not None:
                return _merge(actor, document, made[0], commits.named(document, made[1]), notes)
            commit = commits.record(actor, document, kind=CommitKind.EDIT, text=text, parents=[head.pk], **notes)
            return written(Saved, document, commit)
        head_text = commits.text_of(head)
        merged = merge(base_text, head_text, text.content)
        if on_conflict == "reject" or merged.text is None:
            return _keep(actor, document, base, text, merged, notes)
        if merged.text == head_text:
            return written(Unchanged, document, head)
        if asks:
            shrinking.refuse(head_text, merged.text)
        return _merge(actor, document, merged, base, notes)

    whole = {**payload, "location": location, "expected": expected, "on_conflict": on_conflict, **notes}
    return once(actor, f"documents.{operation}", request.get("idempotency_key"), whole, act)


def _merge(actor: Actor, document: Document, merged: Merge, base: Commit, notes: commits.Notes) -> Merged:
    """The commit of a merge of the head with what was written upon ``base``."""
    assert merged.text is not None
    commit = commits.record(
        actor,
        document,
        kind=CommitKind.MERGE,
        text=texts.check(merged.text),
        parents=dict.fromkeys((document.head_id, base.pk)),
        merge_version=merged.version,
        decisions=merged.decisions,
        **notes,
    )
    return written(Merged, document, commit, decisions=merged.decisions)


def _keep(actor: Actor, document: Document, base: Commit, draft: Text, merged: Merge, notes: commits.Notes) -> Conflict:
    """Keep a draft whole as a conflict; the same draft of the same writer upon the same head is one row."""
    commits.store(draft)
    row, made = ConflictRow.objects.get_or_create(
        document=document,
        base=base,
        head=document.head,
        draft_id=draft.hash,
        author_id=actor.person,
        agent_id=actor.agent,
        job=actor.job,
        state=ConflictState.OPEN,
        defaults={
            "via": actor.via,
            "merge_version": merged.version,
            "hunk_count": len(merged.hunks),
            "message": notes["message"],
            "reason": notes["reason"] or actor.reason,
        },
    )
    if made:
        receipts.record(
            actor,
            ReceiptKind.CONFLICTED,
            document=document,
            folder=document.folder,
            commit=document.head,
            conflict=row,
            reason=row.reason,
        )
        audit.record(actor, "conflict.opened", document=document, reason=row.reason, data={"conflict": row.pk})
    elif row.merge_version != merged.version:
        # Choices are for the hunks that are told, so what is told now is what they will be read by.
        row.merge_version, row.hunk_count = merged.version, len(merged.hunks)
        row.save(update_fields=["merge_version", "hunk_count"])
    return Conflict(
        conflict=row.pk,
        document=document.pk,
        location=location_of(document),
        base_commit=base.pk,
        head_commit=document.head_id,
        hunks=merged.hunks,
        merged_preview=merged.preview,
    )
