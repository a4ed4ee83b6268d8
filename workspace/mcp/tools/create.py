"""``doc_create``: a new document or folder. Never overwrites."""

from typing import Annotated, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace import locations
from workspace.actor import Actor
from workspace.errors import FieldError, Invalid
from workspace.mcp import writes
from workspace.mcp.arguments import Arguments, Key, Message, Reason, Takes
from workspace.mcp.tool import Answer, Tool
from workspace.services import documents, folders
from workspace.services.outcomes import Made, name_of


class Create(Arguments):
    ACTIONS: ClassVar = {
        "document": Takes(needs=("folder_path", "name", "content"), may=("idempotency_key", "message", "reason")),
        "folder": Takes(needs=("name",), may=("folder_path", "content", "idempotency_key")),
    }

    action: Literal["document", "folder"]
    folder_path: Annotated[
        list[str],
        Field(
            max_length=locations.MAX_DEPTH,
            description='The folders above it, such as ["product", "notes"]; missing ones are made.',
        ),
    ] = []
    name: Annotated[str, Field(description="Name of the new document or folder, such as launch.md.")]
    content: Annotated[str, Field(description="The document's whole text, Markdown.")] | None = None
    idempotency_key: Key | None = None
    message: Message = ""
    reason: Reason = ""


class FolderMade(TypedDict):
    location: str
    folder_id: int
    outcome: str
    created_folders: list[str]


def create(actor: Actor, given: Create) -> Answer:
    location = _location(given)
    if given.action == "folder":
        return _folder(actor, given, location)
    assert given.content is not None
    return writes.write_answer(
        documents.create(
            actor,
            location=location,
            content=given.content,
            idempotency_key=given.idempotency_key,
            message=given.message,
            reason=given.reason,
        )
    )


def _folder(actor: Actor, given: Create, location: str) -> Answer:
    if given.content:
        raise Invalid("content", "is not taken by action folder. Leave it out.")
    made = folders.create(actor, location=location, idempotency_key=given.idempotency_key)
    return folder_answer(made, f"The folder {made.location} is made.")


def folder_answer(made: Made, text: str) -> Answer:
    """The answer of any tool that makes or moves a folder."""
    if made.replayed:
        text += " Replayed: this key was used before, so nothing was done again."
    data = {
        "location": made.location,
        "folder_id": made.id,
        "outcome": name_of(made),
        "created_folders": list(made.created_folders),
    }
    return Answer(text=text, data=data)


def _location(given: Create) -> str:
    """The whole path, each name checked by itself, so that the answer says which one is wrong."""
    names: list[str] = []
    problems: list[FieldError] = []
    for field, name in [(f"folder_path.{n}", name) for n, name in enumerate(given.folder_path)] + [
        ("name", given.name)
    ]:
        try:
            names.append(locations.clean_name(name, field=field))
        except Invalid as invalid:
            problems += invalid.errors
    if given.action == "document" and not given.folder_path:
        problems.append(
            FieldError(field="folder_path", message="is empty. The top level holds folders only; name at least one.")
        )
    if problems:
        raise Invalid(errors=problems)
    return locations.join(*names)


TOOL = Tool(
    name="doc_create",
    title="Create a document or a folder",
    description=(
        "Makes a document (or an empty folder) with the folders above it. A taken name is refused. Send an "
        "idempotency_key, so that a repeat after a lost answer makes no second one."
    ),
    arguments=Create,
    shapes=(writes.WriteShape, FolderMade),
    run=create,
    writes=True,
)
