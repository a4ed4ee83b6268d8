"""``doc_delete`` in two steps: the first tells what would go, the second does it."""

import hashlib
from typing import Annotated, Any, TypedDict

from django.core import signing
from pydantic import Field

from workspace import locations
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.mcp import shapes
from workspace.mcp.arguments import Arguments, Key, Location, Message, Reason
from workspace.mcp.fence import counted, fenced
from workspace.mcp.times import iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import documents
from workspace.queries.documents import DocumentText
from workspace.services import documents as writes

VALID_S = 600
_SALT = "workspace.mcp.doc_delete"
_FIRST = 300
"""Bytes of the text that the preview shows."""


class Delete(Arguments):
    location: Location
    confirm_token: (
        Annotated[
            str, Field(max_length=1000, description="From the first call, which deletes nothing. Valid for 10 minutes.")
        ]
        | None
    ) = None
    idempotency_key: Key | None = None
    message: Message = ""
    reason: Reason = ""


class DeletePreview(TypedDict):
    """Nothing was deleted; this is what the second call would delete."""

    deleted: bool
    location: str
    id: str
    title: str
    commit: str
    number: int
    total_bytes: int
    total_lines: int
    author: shapes.Author
    committed_at: str
    confirm_token: str
    expires_in_s: int
    web_url: str


def delete(actor: Actor, given: Delete) -> Answer:
    if given.confirm_token is None:
        return _preview(actor, given)
    commit = _confirmed(actor, given)
    outcome = writes.delete(
        actor,
        location=given.location,
        expected_commit=commit,
        # The token is one decision, so a repeat after a lost answer is the same deletion.
        idempotency_key=given.idempotency_key or hashlib.sha256(given.confirm_token.encode()).hexdigest(),
        message=given.message,
        reason=given.reason,
    )
    answer = shapes.write_answer(outcome)
    if answer.error:
        return answer
    undo = shapes.call("doc_update", action="restore", location=answer.data["location"])
    return Answer(
        text=f"Deleted {answer.data['location']} by commit {answer.data['commit']}. To undo: {undo}.",
        data=answer.data,
    )


def _preview(actor: Actor, given: Delete) -> Answer:
    found = documents.read(actor, location=given.location, limit=_FIRST)
    if not found.abilities.delete:
        raise Forbidden(f"You are {found.abilities.role} of this document; this needs editor.", need=Role.EDITOR.label)
    token = signing.dumps(_bound(actor, found.location, found.commit), salt=_SALT)
    data: dict[str, Any] = {
        "deleted": False,
        "location": found.location,
        "id": found.id,
        "title": found.title,
        "commit": found.commit,
        "number": found.number,
        "total_bytes": found.total_bytes,
        "total_lines": found.total_lines,
        "author": shapes.author(found.author),
        "committed_at": iso(found.committed_at),
        "confirm_token": token,
        "expires_in_s": VALID_S,
        "web_url": shapes.web_url(found.location),
    }
    return Answer(text=_text(found, token), data=data)


def _text(found: DocumentText, token: str) -> str:
    more = "…" if found.truncated else ""
    return "\n".join(
        [
            f"Nothing was deleted yet. This would go: {found.location}, {counted(found.total_lines, 'line')}, "
            f"{counted(found.total_bytes, 'byte')}, {counted(found.number, 'commit')}; "
            f"last changed by {shapes.by(found.author)}, {stamp(found.committed_at)}. It begins:",
            fenced(f"{found.content}{more}", source=found.location),
            "To delete it, within 10 minutes: "
            + shapes.call("doc_delete", location=found.location, confirm_token=token),
            "History stays, and an editor can bring it back.",
        ]
    )


def _bound(actor: Actor, location: str, commit: str) -> list[str]:
    return [actor.principal, location, commit]


def _confirmed(actor: Actor, given: Delete) -> str:
    """The commit that the token's holder was shown. Raises ``Invalid`` for a token that is not of this deletion."""
    again = "Call again without confirm_token and look at what would go."
    try:
        principal, location, commit = signing.loads(given.confirm_token or "", salt=_SALT, max_age=VALID_S)
    except signing.SignatureExpired:
        raise Invalid("confirm_token", f"is older than 10 minutes. {again}") from None
    except (signing.BadSignature, ValueError):
        raise Invalid("confirm_token", f"is not one that was given for this. {again}") from None
    if _bound(actor, locations.join(*locations.split(given.location)), commit) != [principal, location, commit]:
        raise Invalid("confirm_token", f"is not one that was given for this. {again}")
    return str(commit)


TOOL = Tool(
    name="doc_delete",
    title="Delete a document",
    description=(
        "Deletes a document in two steps. The first call deletes nothing: it tells what would go and gives a "
        "confirm_token. Show that to the person, then call again with the token. History stays; it can be undone."
    ),
    arguments=Delete,
    shapes=(DeletePreview, shapes.WriteShape, shapes.ConflictShape),
    run=delete,
    writes=True,
    destroys=True,
    repeatable=True,
)
