"""``doc_delete`` in two steps: the first tells what would go, the second does it."""

import hashlib
from typing import Annotated, Any, TypedDict

from django.core import signing
from pydantic import Field

from workspace import access, locations
from workspace.actor import Actor, Role
from workspace.errors import Gone, Invalid, NotFound, Refusal
from workspace.mcp import bounds, shapes, writes
from workspace.mcp.arguments import Arguments, Key, Location, Message, Reason, naming
from workspace.mcp.fence import counted, fenced
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import citations
from workspace.queries import documents as queries
from workspace.queries.documents import DocumentText
from workspace.services import documents, folders

VALID_S = 600
_SALT = "workspace.mcp.doc_delete"
_FIRST = 300
"""Bytes of the text that the preview shows."""
_FOLDER = "folder:"
_AGAIN = "Call again without confirm_token and look at what would go."


class Delete(Arguments):
    location: Location
    confirm_token: (
        Annotated[str, Field(max_length=1000, description="From the first call; valid for 10 minutes.")] | None
    ) = None
    idempotency_key: Key | None = None
    message: Message = ""
    reason: Reason = ""


ASK = "Nothing was deleted yet. Show the person what would go, and call again with the token only if they agree."
"""Stands in the structured content too: some hosts give the model nothing else."""


class DeletePreview(TypedDict):
    """Nothing was deleted; this is what the second call would delete."""

    deleted: bool
    detail: str
    location: str
    id: str
    title: str
    commit: str
    number: int
    total_bytes: int
    total_lines: int
    author: shapes.Author
    committed_at: str
    age: str
    confirm_token: str
    expires_in_s: int
    next: str
    web_url: str


class FolderPreview(TypedDict):
    """Nothing was deleted; this folder and these documents are what the second call would delete."""

    deleted: bool
    detail: str
    location: str
    documents: list[str]
    document_count: int
    confirm_token: str
    expires_in_s: int
    next: str


class FolderDeleted(TypedDict):
    location: str
    outcome: str
    document_count: int


def delete(actor: Actor, given: Delete) -> Answer:
    if given.confirm_token is None:
        try:
            return _preview(actor, given)
        except (NotFound, Gone, Invalid) as refusal:
            return _folder_preview(actor, given.location, refusal)
    commit = _confirmed(actor, given)
    if commit.startswith(_FOLDER):
        return _delete_folder(actor, locations.join(*locations.split(given.location)), commit.removeprefix(_FOLDER))
    outcome = documents.delete(
        actor,
        location=given.location,
        expected_commit=commit,
        # The token is one decision, so a repeat after a lost answer is the same deletion.
        idempotency_key=given.idempotency_key or hashlib.sha256(given.confirm_token.encode()).hexdigest(),
        message=given.message,
        reason=given.reason,
    )
    answer = writes.write_answer(outcome)
    if answer.error:
        return answer
    undo = shapes.call("doc_update", action="restore", location=answer.data["location"])
    return Answer(
        text=f"Deleted {answer.data['location']} by commit {answer.data['commit']}. To undo: {undo}.",
        data=answer.data,
    )


def _preview(actor: Actor, given: Delete) -> Answer:
    access.document(actor, location=given.location, need=Role.EDITOR)
    found = queries.read(actor, location=given.location, limit=_FIRST)
    token = signing.dumps(_bound(actor, found.location, found.commit), salt=_SALT)
    data: dict[str, Any] = {
        "deleted": False,
        "detail": ASK,
        "location": found.location,
        "id": found.id,
        "title": found.title,
        "commit": found.commit,
        "number": found.number,
        "total_bytes": found.total_bytes,
        "total_lines": found.total_lines,
        "author": shapes.author(found.author),
        "committed_at": iso(found.committed_at),
        "age": age(found.committed_at),
        "confirm_token": token,
        "expires_in_s": VALID_S,
        "next": shapes.call("doc_delete", location=found.location, confirm_token=token),
        "web_url": citations.web_url(found.location),
    }
    return Answer(text=_text(found, data["next"]), data=data)


def _text(found: DocumentText, following: str) -> str:
    more = "…" if found.truncated else ""
    return "\n".join(
        [
            f"Nothing was deleted yet. This would go: {found.location}, {counted(found.total_lines, 'line')}, "
            f"{counted(found.total_bytes, 'byte')}, {counted(found.number, 'commit')}; "
            f"last changed by {shapes.by(found.author)}, {stamp(found.committed_at)}. It begins:",
            fenced(f"{found.content}{more}", source=found.location),
            f"To delete it, within 10 minutes: {following}",
            "History stays, and an editor can bring it back.",
        ]
    )


def _folder_preview(actor: Actor, location: str, refusal: Refusal) -> Answer:
    """As for a document. What is neither a document nor a folder gives the ``refusal`` of the document."""
    try:
        found = folders.deletion(actor, location=location, most=bounds.PAGE_MOST)
    except NotFound:
        raise refusal from None
    token = signing.dumps(_bound(actor, found.location, _FOLDER + found.digest), salt=_SALT)
    shown = found.first[: bounds.fitting(found.first, most=bounds.SIDE)]
    more = f"\n… and {found.documents - len(shown)} more" if len(shown) < found.documents else ""
    following = shapes.call("doc_delete", location=found.location, confirm_token=token)
    inside = f"{counted(found.documents, 'document')} in it"
    if found.folders:
        inside += f" and in the {counted(found.folders, 'folder')} below"
    text = [
        f"Nothing was deleted yet. This would go: the folder {found.location} with {inside}:",
        fenced("\n".join(shown) + more, source=found.location),
        f"To delete it, within 10 minutes: {following}",
        "History stays, and each document can be brought back.",
    ]
    data = {
        "deleted": False,
        "detail": ASK,
        "location": found.location,
        "documents": list(shown),
        "document_count": found.documents,
        "confirm_token": token,
        "expires_in_s": VALID_S,
        "next": following,
    }
    return Answer(text="\n".join(text), data=data)


def _delete_folder(actor: Actor, location: str, digest: str) -> Answer:
    with naming(expected="confirm_token"):
        count = folders.delete(actor, location=location, expected=digest)
    return Answer(
        text=f"Deleted the folder {location} with {counted(count, 'document')}.",
        data={"location": location, "outcome": "deleted", "document_count": count},
    )


def _bound(actor: Actor, location: str, commit: str) -> list[str]:
    return [actor.principal, location, commit]


def _confirmed(actor: Actor, given: Delete) -> str:
    """The commit that the token's holder was shown. Raises ``Invalid`` for a token that is not of this deletion."""
    try:
        principal, location, commit = signing.loads(given.confirm_token or "", salt=_SALT, max_age=VALID_S)
    except signing.SignatureExpired:
        raise Invalid("confirm_token", f"is older than 10 minutes. {_AGAIN}") from None
    except (signing.BadSignature, ValueError):
        raise Invalid("confirm_token", f"is not one that was given for this. {_AGAIN}") from None
    if _bound(actor, locations.join(*locations.split(given.location)), commit) != [principal, location, commit]:
        raise Invalid("confirm_token", f"is not one that was given for this. {_AGAIN}")
    return str(commit)


TOOL = Tool(
    name="doc_delete",
    title="Delete a document or a folder",
    description=(
        "Deletes a document, or a folder with all in it, in two steps. The first call deletes nothing: it tells what "
        "would go and gives a confirm_token. Show the person, then call again with it. It can be undone."
    ),
    arguments=Delete,
    shapes=(DeletePreview, FolderPreview, FolderDeleted, writes.WriteShape, writes.ConflictShape),
    quotes=True,
    run=delete,
    writes=True,
    destroys=True,
    repeatable=True,
)
