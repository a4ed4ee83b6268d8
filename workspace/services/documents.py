"""Every change of a document. Each function is one short transaction: access, lock, decide, rows, receipt."""

from collections.abc import Callable
from typing import Literal

from django.db import transaction

from workspace import access, locations
from workspace.access import location_of
from workspace.actor import Actor, Role
from workspace.errors import AlreadyExists, Invalid
from workspace.markdown import sections
from workspace.markdown.sections import SectionError
from workspace.merge import MERGE_VERSION, merge
from workspace.models import (
    Commit,
    CommitKind,
    Conflict as ConflictRow,
    ConflictState,
    Document,
    Folder,
    ReceiptKind,
)
from workspace.services import commits, folders, receipts, texts
from workspace.services.idempotency import once
from workspace.services.outcomes import Conflict, Merged, Outcome, Replayed, Saved, Unchanged

OnConflict = Literal["reject", "merge"]
ON_CONFLICT = ("reject", "merge")


@transaction.atomic(durable=True)
def create(
    actor: Actor,
    *,
    location: str,
    content: str,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Saved | Replayed:
    """A new document; folders on the way that are missing are made, and the actor becomes their manager.

    Never overwrites: a name that is taken, or has a twin that differs only in case or normalisation, is
    ``AlreadyExists``. Needs editor on the deepest folder that exists. Raises also ``NotFound``, ``Forbidden``,
    ``Invalid``, ``TooLarge``, ``IdempotencyMismatch``.
    """
    names, name = locations.split_document(location)
    text = texts.check(content)

    def act() -> Saved:
        folder, made = folders.ensure(actor, names)
        refuse_taken(folder, name)
        document = Document.objects.create(folder=folder, name=name, twin_key=locations.twin_key(name))
        commit = commits.record(
            actor, document, kind=CommitKind.CREATE, text=text, message=message, reason=reason
        )
        return Saved(**_written(document, commit), created_folders=tuple(f.path for f in made))

    payload = {"location": location, "content": text.hash, "message": message, "reason": reason}
    return once(actor, "documents.create", idempotency_key, payload, act)  # type: ignore[return-value]


def edit(
    actor: Actor,
    *,
    location: str,
    content: str,
    expected_commit: str,
    on_conflict: OnConflict = "reject",
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Outcome:
    """Replace the whole text, as written upon ``expected_commit``.

    Where the head has moved since, ``merge`` merges and ``reject`` tells; what cannot be merged is kept whole as
    a conflict. Raises ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid``, ``TooLarge``, ``IdempotencyMismatch``.
    """
    text = texts.check(content)
    return _write(
        actor,
        "documents.edit",
        {"content": text.hash},
        lambda _: content,
        location=location,
        expected_commit=expected_commit,
        on_conflict=on_conflict,
        idempotency_key=idempotency_key,
        message=message,
        reason=reason,
    )


def substitute(
    actor: Actor,
    *,
    location: str,
    old_string: str,
    new_string: str,
    replace_all: bool = False,
    expected_commit: str | None = None,
    on_conflict: OnConflict = "reject",
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Outcome:
    """Replace ``old_string`` where it stands, once unless ``replace_all``; else ``Invalid`` says how often.

    Applies to the head, or to ``expected_commit`` where that is given.
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
            raise Invalid(
                "old_string", "was found 0 times. Read the document again and copy the text exactly."
            )
        if found > 1 and not replace_all:
            raise Invalid(
                "old_string", f"was found {found} times. Give more text around it, or set replace_all."
            )
        return text.replace(old, new)

    return _write(
        actor,
        "documents.substitute",
        {"old": old_string, "new": new_string, "all": replace_all},
        compute,
        location=location,
        expected_commit=expected_commit,
        on_conflict=on_conflict,
        idempotency_key=idempotency_key,
        message=message,
        reason=reason,
    )


def append(
    actor: Actor,
    *,
    location: str,
    content: str,
    expected_commit: str | None = None,
    on_conflict: OnConflict = "reject",
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Outcome:
    """Put ``content`` at the end, on a line of its own."""
    texts.check(content)
    if not content:
        raise Invalid("content", "is empty. Give the text to append.")

    def compute(text: str) -> str:
        end = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text or text.endswith(("\n", "\r")) else end
        return text + gap + content + ("" if content.endswith(("\n", "\r")) else end)

    return _write(
        actor,
        "documents.append",
        {"append": content},
        compute,
        location=location,
        expected_commit=expected_commit,
        on_conflict=on_conflict,
        idempotency_key=idempotency_key,
        message=message,
        reason=reason,
    )


def replace_section(
    actor: Actor,
    *,
    location: str,
    section: str,
    content: str,
    expected_commit: str | None = None,
    on_conflict: OnConflict = "reject",
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Outcome:
    """Replace what stands under one heading, named by its title, its path ``A > B`` or its anchor."""
    texts.check(content)
    texts.check(section, field="section")

    def compute(text: str) -> str:
        try:
            return sections.replace(text, section, content)
        except SectionError as error:
            raise Invalid("section", str(error)) from None

    return _write(
        actor,
        "documents.replace_section",
        {"section": section, "content": content},
        compute,
        location=location,
        expected_commit=expected_commit,
        on_conflict=on_conflict,
        idempotency_key=idempotency_key,
        message=message,
        reason=reason,
    )


@transaction.atomic(durable=True)
def _write(
    actor: Actor,
    operation: str,
    payload: dict[str, object],
    compute: Callable[[str], str],
    *,
    location: str,
    expected_commit: str | None,
    on_conflict: OnConflict,
    idempotency_key: str | None,
    message: str,
    reason: str,
) -> Outcome:
    """The one way a new text enters a document. ``compute`` makes it from the text it is based on."""
    if on_conflict not in ON_CONFLICT:
        raise Invalid("on_conflict", "must be reject or merge.")

    def act() -> Outcome:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        head = document.head
        base = head if expected_commit is None else commits.named(document, expected_commit)
        base_text = commits.text_of(base)
        text = texts.check(compute(base_text))
        if text.hash in (head.blob_id, base.blob_id):
            return Unchanged(**_written(document, head))
        if base.pk == head.pk:
            commit = commits.record(
                actor,
                document,
                kind=CommitKind.EDIT,
                text=text,
                parents=[head.pk],
                message=message,
                reason=reason,
            )
            return Saved(**_written(document, commit))
        head_text = commits.text_of(head)
        merged = merge(base_text, head_text, text.content)
        if on_conflict == "merge" and merged.text is not None:
            if merged.text == head_text:
                return Unchanged(**_written(document, head))
            commit = commits.record(
                actor,
                document,
                kind=CommitKind.MERGE,
                text=texts.check(merged.text),
                parents=[head.pk, base.pk],
                message=message,
                reason=reason,
                merge_version=MERGE_VERSION,
            )
            return Merged(**_written(document, commit))
        commits.store(text)
        row = _keep(actor, document, base, head, text, len(merged.hunks), message, reason)
        return Conflict(
            conflict=row.pk,
            document=document.pk,
            location=location_of(document),
            base_commit=base.pk,
            head_commit=head.pk,
            hunks=merged.hunks,
            merged_preview=merged.preview,
        )

    whole = payload | {
        "location": location,
        "expected": expected_commit,
        "on_conflict": on_conflict,
        "message": message,
        "reason": reason,
    }
    return once(actor, operation, idempotency_key, whole, act)


def _keep(
    actor: Actor,
    document: Document,
    base: Commit,
    head: Commit,
    draft: texts.Text,
    hunks: int,
    message: str,
    reason: str,
) -> ConflictRow:
    """The conflict row of a draft; the same draft of the same writer upon the same head is one row."""
    row, made = ConflictRow.objects.get_or_create(
        document=document,
        base=base,
        head=head,
        draft_id=draft.hash,
        author_id=actor.person,
        agent_id=actor.agent,
        job=actor.job,
        state=ConflictState.OPEN,
        defaults={
            "via": actor.via,
            "hunk_count": hunks,
            "message": texts.note(message, field="message"),
            "reason": texts.note(reason or actor.reason, field="reason"),
        },
    )
    if made:
        receipts.record(
            actor,
            ReceiptKind.CONFLICTED,
            document=document,
            folder=document.folder,
            commit=head,
            conflict=row,
            reason=row.reason,
        )
    return row


@transaction.atomic(durable=True)
def move(
    actor: Actor,
    *,
    source: str,
    target: str,
    acknowledge_access_change: bool = False,
    expected_commit: str | None = None,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Saved | Unchanged | Replayed | Conflict:
    """Give a document the location ``target``; missing folders are made. Its id and history stay.

    Needs editor on the document and on the target folder. Where more people could read it there, raises
    ``AccessChange`` unless acknowledged.
    """
    names, name = locations.split_document(target, field="to")

    def act() -> Saved | Unchanged | Conflict:
        folders.lock_tree()
        document = access.document(actor, location=source, need=Role.EDITOR, lock=True)
        if stale := _stale(document, expected_commit):
            return stale
        if location_of(document) == locations.join(*names, name):
            return Unchanged(**_written(document, document.head))
        folder, made = folders.ensure(actor, names)
        refuse_taken(folder, name, but=document)
        if not acknowledge_access_change:
            folders.refuse_widening(actor, document.folder.lineage, folder.lineage, document=document.pk)
        document.folder = folder
        document.name = name
        document.twin_key = locations.twin_key(name)
        commit = commits.record(
            actor,
            document,
            kind=CommitKind.MOVE,
            text=None,
            parents=[document.head_id],
            message=message,
            reason=reason,
        )
        return Saved(**_written(document, commit), created_folders=tuple(f.path for f in made))

    payload = {
        "from": source,
        "to": target,
        "expected": expected_commit,
        "message": message,
        "reason": reason,
    }
    return once(actor, "documents.move", idempotency_key, payload, act)  # type: ignore[return-value]


@transaction.atomic(durable=True)
def delete(
    actor: Actor,
    *,
    location: str,
    expected_commit: str | None = None,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Saved | Replayed | Conflict:
    """Delete by a tombstone commit; ``undelete`` takes it back."""

    def act() -> Saved | Conflict:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        if stale := _stale(document, expected_commit):
            return stale
        return Saved(**_written(document, commits.bury(actor, document, message=message, reason=reason)))

    payload = {"location": location, "expected": expected_commit, "message": message, "reason": reason}
    return once(actor, "documents.delete", idempotency_key, payload, act)  # type: ignore[return-value]


@transaction.atomic(durable=True)
def undelete(
    actor: Actor,
    *,
    location: str,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Saved | Replayed:
    """Bring back the document that was last deleted at ``location``, and the folders above it."""

    def act() -> Saved:
        folders.lock_tree()
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True, deleted=True)
        if document.deleted_at is None:
            raise AlreadyExists("A document is there, so nothing was undeleted.", location=location)
        folders.revive(document.folder)
        refuse_taken(document.folder, document.name, but=document)
        document.deleted_at = None
        commit = commits.record(
            actor,
            document,
            kind=CommitKind.UNDELETE,
            text=None,
            parents=[document.head_id],
            message=message,
            reason=reason,
        )
        return Saved(**_written(document, commit))

    payload = {"location": location, "message": message, "reason": reason}
    return once(actor, "documents.undelete", idempotency_key, payload, act)  # type: ignore[return-value]


@transaction.atomic(durable=True)
def restore(
    actor: Actor,
    *,
    location: str,
    commit: str,
    expected_commit: str | None = None,
    idempotency_key: str | None = None,
    message: str = "",
    reason: str = "",
) -> Saved | Unchanged | Replayed | Conflict:
    """Make the text of an earlier ``commit`` the head again, by a new commit."""

    def act() -> Saved | Unchanged | Conflict:
        document = access.document(actor, location=location, need=Role.EDITOR, lock=True)
        earlier = commits.named(document, commit, field="commit")
        if stale := _stale(document, expected_commit):
            return stale
        if earlier.blob_id == document.head.blob_id:
            return Unchanged(**_written(document, document.head))
        done = commits.record(
            actor,
            document,
            kind=CommitKind.RESTORE,
            text=texts.check(commits.text_of(earlier)),
            parents=[document.head_id],
            message=message or f"Restore {earlier.pk[:8]}",
            reason=reason,
        )
        return Saved(**_written(document, done))

    payload = {
        "location": location,
        "commit": commit,
        "expected": expected_commit,
        "message": message,
        "reason": reason,
    }
    return once(actor, "documents.restore", idempotency_key, payload, act)  # type: ignore[return-value]


def refuse_taken(folder: Folder, name: str, *, but: Document | None = None) -> None:
    """``AlreadyExists`` when a live document or folder in ``folder`` has this name or a twin of it."""
    key = locations.twin_key(name)
    others = Document.objects.live().filter(folder=folder, twin_key=key)
    if but is not None:
        others = others.exclude(pk=but.pk)
    taken = others.values_list("name", flat=True).first() or (
        Folder.objects.live().filter(parent=folder, twin_key=key).values_list("name", flat=True).first()
    )
    if taken is None:
        return
    why = (
        "This name is taken." if taken == name else f"It differs from {taken} only in case or normalisation."
    )
    raise AlreadyExists(
        f"{why} Choose another name, or edit what is there.", location=f"{folder.path}/{taken}"
    )


def _stale(document: Document, expected_commit: str | None) -> Conflict | None:
    """The answer to a decision that was made on an older version."""
    if expected_commit is None:
        return None
    base = commits.named(document, expected_commit)
    if base.pk == document.head_id:
        return None
    return Conflict(
        conflict=None,
        document=document.pk,
        location=location_of(document),
        base_commit=base.pk,
        head_commit=document.head_id,
        merged_preview="",
    )


def _written(document: Document, commit: Commit) -> dict[str, object]:
    return {
        "document": document.pk,
        "location": location_of(document),
        "commit": commit.pk,
        "parents": tuple(commit.parents),
    }
