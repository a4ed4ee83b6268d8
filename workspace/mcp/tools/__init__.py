"""The tools, in the order in which hosts list them."""

from workspace.mcp.tool import Tool
from workspace.mcp.tools import (
    access_grant,
    access_read,
    access_revoke,
    brief,
    browse,
    capture,
    conflict,
    context,
    create,
    delete,
    history,
    identity,
    read,
    revalidate,
    search,
    update,
)

MODULES = (
    *(brief, browse, read, search, create, update, delete, history, conflict, capture, context, revalidate),
    *(access_read, access_grant, access_revoke, identity),
)
TOOLS: dict[str, Tool] = {module.TOOL.name: module.TOOL for module in MODULES}
