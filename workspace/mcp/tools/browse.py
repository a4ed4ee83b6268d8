"""``browse``: what is where, and who is there."""

from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import Field

from workspace.actor import Actor
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments, Cursor, Takes
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import citations, documents, folders, people
from workspace.queries.documents import DocumentRow
from workspace.queries.folders import FolderRow
from workspace.queries.people import PersonRow

_PAGES = ("cursor", "limit")


class Browse(Arguments):
    ACTIONS: ClassVar = {
        "folders": Takes(may=("location", *_PAGES)),
        "documents": Takes(may=("location", "type", "label", *_PAGES)),
        "people": Takes(may=("location", "group", *_PAGES)),
    }

    action: Literal["folders", "documents", "people"]
    location: (
        Annotated[
            str,
            Field(
                description=(
                    "folders: those in it, else at the top. documents: all below it, else everywhere. "
                    "people: who can read it, else all who share a folder with you."
                )
            ),
        ]
        | None
    ) = None
    type: Annotated[str, Field(max_length=100, description="documents: only of this type (front matter).")] | None = (
        None
    )
    label: Annotated[str, Field(max_length=100, description="documents: only with this label.")] | None = None
    group: Annotated[str, Field(max_length=200, description="people: only members of this group.")] | None = None
    limit: Annotated[int, Field(ge=1, le=bounds.PAGE_MOST)] = bounds.PAGE
    cursor: Cursor | None = None


class FolderItem(TypedDict):
    location: str
    name: str
    role: str | None
    documents: int
    folders: int


class FolderList(TypedDict):
    """``role`` is null for a folder that is only on the way to one that you may read."""

    folders: list[FolderItem]
    next_cursor: str | None


class DocumentItem(TypedDict):
    location: str
    id: str
    title: str
    type: str
    labels: list[str]
    summary: str
    commit: str
    updated_at: str
    age: str
    updated_by: shapes.Author
    role: str
    open_conflicts: int
    uri: str
    web_url: str


class DocumentList(TypedDict):
    documents: list[DocumentItem]
    next_cursor: str | None


class PersonItem(TypedDict):
    label: str
    email: str
    groups: list[str]


class PersonList(TypedDict):
    people: list[PersonItem]
    next_cursor: str | None


def browse(actor: Actor, given: Browse) -> Answer:
    match given.action:
        case "folders":
            return _folders(actor, given)
        case "documents":
            return _documents(actor, given)
        case "people":
            return _people(actor, given)


def _folders(actor: Actor, given: Browse) -> Answer:
    found = bounds.page(
        lambda limit: folders.children(actor, parent=given.location, limit=limit, cursor=given.cursor),
        _folder,
        _folder_line,
        limit=given.limit,
    )
    return _list("folders", found, empty="No folders here.")


def _folder(row: FolderRow) -> dict[str, Any]:
    return {
        "location": row.location,
        "name": row.name,
        "role": row.role.label if row.role else None,
        "documents": row.documents,
        "folders": row.folders,
    }


def _folder_line(row: FolderRow) -> str:
    role = row.role.label if row.role else "passage only"
    return f"{row.location}/  {role}, {counted(row.documents, 'document')}, {counted(row.folders, 'folder')}"


def _documents(actor: Actor, given: Browse) -> Answer:
    found = bounds.page(
        lambda limit: documents.below(
            actor, location=given.location, type=given.type, label=given.label, limit=limit, cursor=given.cursor
        ),
        _document,
        _document_line,
        limit=given.limit,
    )
    return _list("documents", found, empty="No documents here.")


def _document(row: DocumentRow) -> dict[str, Any]:
    """A document as rows show it: no text, its newest commit."""
    return {
        "location": row.location,
        "id": row.id,
        "title": row.title,
        "type": row.type,
        "labels": list(row.labels),
        "summary": row.summary,
        "commit": row.commit,
        "updated_at": iso(row.updated_at),
        "age": age(row.updated_at),
        "updated_by": shapes.author(row.updated_by),
        "role": row.role.label,
        "open_conflicts": row.open_conflicts,
        "uri": shapes.uri(row.location),
        "web_url": citations.web_url(row.location),
    }


def _document_line(row: DocumentRow) -> str:
    parts = [f"{row.location}@{row.commit[:12]}  {one_line(row.title)}"]
    if row.summary:
        parts.append(f"  {one_line(row.summary)}")
    marks = [row.role.label, f"by {shapes.by(row.updated_by)}, {stamp(row.updated_at)}"]
    marks += [row.type] if row.type else []
    marks += [", ".join(row.labels)] if row.labels else []
    marks += [counted(row.open_conflicts, "open conflict")] if row.open_conflicts else []
    parts.append(f"  {one_line('; '.join(marks))}")
    return "\n".join(parts)


def _people(actor: Actor, given: Browse) -> Answer:
    found = bounds.page(
        lambda limit: people.near(actor, location=given.location, group=given.group, limit=limit, cursor=given.cursor),
        _person,
        _person_line,
        limit=given.limit,
    )
    return _list("people", found, empty="Nobody else shares a folder with you.")


def _person(row: PersonRow) -> dict[str, Any]:
    return {"label": row.label, "email": row.email, "groups": list(row.groups)}


def _person_line(row: PersonRow) -> str:
    groups = f"  groups: {one_line(', '.join(row.groups))}" if row.groups else ""
    return one_line(f"{row.label} <{row.email}>") + groups


def _list(name: str, found: bounds.Listing, *, empty: str) -> Answer:
    text = fenced(found.text, source=f"{name}: {len(found.rows)}") if found.rows else empty
    return Answer(text=text + bounds.more(cursor=found.cursor), data={name: found.rows, "next_cursor": found.cursor})


TOOL = Tool(
    name="browse",
    title="Browse the workspace",
    description=(
        "Lists what you may see: folders (of one folder, or the top level), documents (all below a folder, "
        "folder by folder, with who changed them last and when), or people with whom you share folders."
    ),
    arguments=Browse,
    shapes=(FolderList, DocumentList, PersonList),
    quotes=True,
    run=browse,
)
