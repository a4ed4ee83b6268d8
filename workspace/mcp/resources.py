"""Documents as MCP resources: ``baton://LOCATION``, percent-encoded, each readable; the recent ones listed."""

from typing import Final
from urllib.parse import unquote

from mcp.types import (
    Annotations,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.mcp import bounds
from workspace.mcp.fence import one_line
from workspace.mcp.shapes import SCHEME, uri
from workspace.mcp.times import iso
from workspace.mcp.tools import read
from workspace.queries import documents
from workspace.queries.documents import DocumentRow

MIME: Final = "text/markdown"
RECENT: Final = 50

TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            uri_template=f"{SCHEME}{{+location}}",
            name="document",
            title="A document",
            description="One document, by its whole path from the root, such as baton://product/plan.md.",
            mime_type=MIME,
        )
    ]
)


def listed(actor: Actor, cursor: str | None) -> ListResourcesResult:
    """The documents that were changed last, newest first."""
    page = documents.recent(actor, limit=RECENT, cursor=cursor)
    return ListResourcesResult(resources=[_resource(row) for row in page.items], next_cursor=page.next_cursor)


def _resource(row: DocumentRow) -> Resource:
    return Resource(
        uri=uri(row.location),
        name=row.location,
        title=one_line(row.title) or row.name,
        description=one_line(row.summary) or None,
        mime_type=MIME,
        annotations=Annotations(last_modified=iso(row.updated_at)),
    )


def contents(actor: Actor, address: str) -> ReadResourceResult:
    """A document as text, fenced and bounded like the answer of ``read``. Raises the refusals of ``read``."""
    if not address.startswith(SCHEME):
        raise Invalid("uri", f"must begin with {SCHEME}")
    try:
        location = unquote(address.removeprefix(SCHEME), errors="strict")
    except UnicodeDecodeError:
        raise Invalid("uri", "is percent-encoded, but not as UTF-8.") from None
    found = documents.read(actor, location=location, limit=bounds.TEXT * 4)
    answer = read.answer(found, most=bounds.TEXT)
    return ReadResourceResult(contents=[TextResourceContents(uri=address, text=answer.text, mime_type=MIME)])
