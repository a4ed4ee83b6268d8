"""The ASGI application: static files, `/mcp` and Django behind one edge."""

import os
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")

from django.core.asgi import get_asgi_application  # noqa: E402

django_application = get_asgi_application()

from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from workspace.config.edge import Application, Edge, Receive, Scope, Send  # noqa: E402
from workspace.config.static import StaticFiles  # noqa: E402

if find_spec("workspace.mcp") and find_spec("workspace.mcp.server"):
    from workspace.mcp.server import app as mcp_application
else:
    mcp_application = None


class Router:
    """By path: `/static/` and `/mcp` by themselves, all else to Django. The lifespan is the MCP server's."""

    def __init__(self, *, static: Application, mcp: Application | None, django: Application) -> None:
        self.static = static
        self.mcp = mcp
        self.django = django

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await (self.mcp or _lifespan)(scope, receive, send)
        elif scope["type"] == "http":
            await self._route(scope["path"])(scope, receive, send)

    def _route(self, path: str) -> Application:
        if path.startswith(settings.STATIC_URL):
            return self.static
        if self.mcp and (path == "/mcp" or path.startswith("/mcp/")):
            return self.mcp
        return self.django


async def _lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    while True:
        message: dict[str, Any] = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


# A page that cannot be imported stops the start, rather than every request; and the first visitor does not wait.
get_resolver()._populate()  # type: ignore[attr-defined]

application = Edge(
    Router(
        static=StaticFiles(settings.STATIC_ROOT, settings.STATIC_URL),
        mcp=mcp_application,
        django=django_application,
    ),
    most=settings.BATON_BODY_BYTES,
    scheme="https" if settings.BATON_HTTPS else None,
    access_log=settings.BATON_ACCESS_LOG,
)
