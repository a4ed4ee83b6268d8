"""The ASGI application: static files, `/mcp` and Django behind one edge."""

import os
from typing import cast

from starlette.types import ASGIApp, Receive, Scope, Send

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")

import django

django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from workspace.config.edge import Edge  # noqa: E402
from workspace.config.handler import Handler  # noqa: E402
from workspace.config.static import StaticFiles  # noqa: E402
from workspace.mcp.server import app as mcp_application  # noqa: E402


class Router:
    """By path: `/static/` and `/mcp` by themselves, all else to Django. The lifespan is the MCP server's."""

    def __init__(self, *, static: ASGIApp, mcp: ASGIApp, django: ASGIApp) -> None:
        self.static = static
        self.mcp = mcp
        self.django = django

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.mcp(scope, receive, send)
        elif scope["type"] == "http":
            await self._route(scope["path"])(scope, receive, send)

    def _route(self, path: str) -> ASGIApp:
        if path.startswith(settings.STATIC_URL):
            return self.static
        if path == "/mcp" or path.startswith("/mcp/"):
            return self.mcp
        return self.django


# A page that cannot be imported stops the start, rather than every request; and the first visitor does not wait.
get_resolver()._populate()

application = Edge(
    Router(
        static=StaticFiles(settings.STATIC_ROOT, settings.STATIC_URL),
        mcp=mcp_application,
        django=cast(ASGIApp, Handler()),
    ),
    most=settings.BATON_BODY_BYTES,
    scheme="https" if settings.BATON_HTTPS else None,
    access_log=settings.BATON_ACCESS_LOG,
)
