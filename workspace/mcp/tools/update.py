"""``doc_update``: every change of an existing document."""

from typing import Annotated, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.errors import FieldError, Invalid, PreconditionRequired
from workspace.mcp import writes
from workspace.mcp.arguments import Arguments, CommitId, Key, Location, Message, Reason, Takes
from workspace.mcp.tool import Answer, Tool
from workspace.mcp.tools.create import FolderMade, folder_answer
from workspace.services import documents, moves
from workspace.services.outcomes import Made, Outcome

_NOTES = ("idempotency_key", "message", "reason")
_GUARDS = ("expected_commit", "on_conflict", *_NOTES)


class Update(Arguments):
    ACTIONS: ClassVar = {
        "replace": Takes(needs=("location", "content"), may=("confirm_shrink", *_GUARDS)),
        "edit": Takes(needs=("location", "old_string", "new_string"), may=("replace_all", "confirm_shrink", *_GUARDS)),
        "append": Takes(needs=("location", "content"), may=_GUARDS),
        "section": Takes(needs=("location", "section", "content"), may=("confirm_shrink", *_GUARDS)),
        "move": Takes(needs=("location", "to"), may=("expected_commit", "acknowledge_access_change", *_NOTES)),
        "restore": Takes(needs=("location",), may=("commit", "section", "confirm_shrink", *_GUARDS)),
    }

    action: Literal["replace", "edit", "append", "section", "move", "restore"]
    location: Location
    content: (
        Annotated[str, Field(description="replace: the whole text. append, section: the text to put there.")] | None
    ) = None
    old_string: Annotated[str, Field(description="edit: the exact text, as read.")] | None = None
    new_string: Annotated[str, Field(description="edit: what stands there afterwards.")] | None = None
    replace_all: Annotated[bool, Field(description="edit: every place, not the only one.")] = False
    section: (
        Annotated[
            str,
            Field(
                description="section: the heading's title, its path as A > B, or its anchor. "
                "restore: only this section of commit."
            ),
        ]
        | None
    ) = None
    to: Annotated[str, Field(description="move: the new location, whole.")] | None = None
    commit: (
        Annotated[
            str,
            Field(
                min_length=7,
                max_length=64,
                description="restore: whose text becomes the newest. Without it: undelete.",
            ),
        ]
        | None
    ) = None
    expected_commit: (
        Annotated[
            CommitId,
            Field(description="The commit you read; required by replace. If the document moved on, you are told."),
        ]
        | None
    ) = None
    on_conflict: Annotated[
        Literal["reject", "merge"],
        Field(description="When others wrote meanwhile: tell, or merge where that is clean."),
    ] = "reject"
    confirm_shrink: Annotated[bool, Field(description="Go ahead although little of a long text is left.")] = False
    acknowledge_access_change: Annotated[
        bool, Field(description="move: go ahead although others can read it there.")
    ] = False
    idempotency_key: Key | None = None
    message: Message = ""
    reason: Reason = ""


class Notes(TypedDict):
    """What every write may carry."""

    idempotency_key: str | None
    message: str
    reason: str


def update(actor: Actor, given: Update) -> Answer:
    notes: Notes = {
        "idempotency_key": given.idempotency_key,
        "message": given.message,
        "reason": given.reason,
    }
    outcome: Outcome
    match given.action:
        case "replace":
            if given.expected_commit is None:
                raise PreconditionRequired(
                    "replace takes the place of the whole text, so it needs the commit that you read.",
                    field="expected_commit",
                )
            outcome = documents.edit(
                actor,
                location=given.location,
                content=given.content or "",
                expected_commit=given.expected_commit,
                on_conflict=given.on_conflict,
                confirm_shrink=given.confirm_shrink,
                **notes,
            )
        case "edit":
            outcome = documents.substitute(
                actor,
                location=given.location,
                old_string=given.old_string or "",
                new_string=given.new_string or "",
                replace_all=given.replace_all,
                expected_commit=given.expected_commit,
                on_conflict=given.on_conflict,
                confirm_shrink=given.confirm_shrink,
                **notes,
            )
        case "append":
            outcome = documents.append(
                actor,
                location=given.location,
                content=given.content or "",
                expected_commit=given.expected_commit,
                on_conflict=given.on_conflict,
                **notes,
            )
        case "section":
            outcome = documents.replace_section(
                actor,
                location=given.location,
                section=given.section or "",
                content=given.content or "",
                expected_commit=given.expected_commit,
                on_conflict=given.on_conflict,
                confirm_shrink=given.confirm_shrink,
                **notes,
            )
        case "move":
            return _move(actor, given, notes)
        case "restore":
            outcome = _restore(actor, given, notes)
    return writes.write_answer(outcome)


def _move(actor: Actor, given: Update, notes: Notes) -> Answer:
    outcome = moves.move(
        actor,
        source=given.location,
        target=given.to or "",
        acknowledge_access_change=given.acknowledge_access_change,
        expected_commit=given.expected_commit,
        **notes,
    )
    if not isinstance(outcome, Made):
        return writes.write_answer(outcome)
    return folder_answer(outcome, f"The folder is now {outcome.location}, with all that is in it.")


def _restore(actor: Actor, given: Update, notes: Notes) -> Outcome:
    if given.commit is None:
        unfit = _given(given, "expected_commit", "section", "on_conflict", "confirm_shrink")
        if unfit:
            told = "goes with commit. Without commit, a deleted document is brought back."
            raise Invalid(errors=[FieldError(field=name, message=told) for name in unfit])
        return documents.undelete(actor, location=given.location, **notes)
    if given.section is not None:
        return documents.restore_section(
            actor,
            location=given.location,
            commit=given.commit,
            section=given.section,
            expected_commit=given.expected_commit,
            on_conflict=given.on_conflict,
            confirm_shrink=given.confirm_shrink,
            **notes,
        )
    if unfit := _given(given, "on_conflict"):
        raise Invalid(errors=[FieldError(field=name, message="goes with section.") for name in unfit])
    return documents.restore(
        actor,
        location=given.location,
        commit=given.commit,
        expected_commit=given.expected_commit,
        confirm_shrink=given.confirm_shrink,
        **notes,
    )


def _given(given: Update, *names: str) -> list[str]:
    """Those of the arguments that were named in the call."""
    return [name for name in names if name in given.model_fields_set]


TOOL = Tool(
    name="doc_update",
    title="Change a document",
    description=(
        "Changes one document by a new commit. edit replaces exact text, append adds at the end, section replaces what "
        "stands under a heading, replace takes the whole text (with expected_commit), move renames or moves a document "
        "or folder, restore brings back an earlier text (commit), one section of it, or a deleted document. Send "
        "expected_commit from your read, and on_conflict merge to keep both texts where "
        "they fit."
    ),
    arguments=Update,
    shapes=(writes.WriteShape, writes.ConflictShape, FolderMade),
    run=update,
    writes=True,
)
