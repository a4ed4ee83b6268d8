"""The tools, in the order in which hosts list them."""

from workspace.mcp.tool import Tool
from workspace.mcp.tools import (
    browse,
    capture,
    conflict,
    create,
    delete,
    history,
    identity,
    read,
    search,
    update,
)

TOOLS: dict[str, Tool] = {
    module.TOOL.name: module.TOOL
    for module in (browse, read, search, create, update, delete, history, conflict, capture, identity)
}
