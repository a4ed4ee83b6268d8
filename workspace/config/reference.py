"""What the benchmarks compare the product with: the product's own application, with a bare Django view and a bare
MCP tool beside it that each run one query. Only ``manage.py bench`` starts it, as
``python -m workspace.config.reference PORT``.
"""

import os
import sys
import types
from typing import cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")

import uvicorn
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

django_application = get_asgi_application()

from django.conf import settings  # noqa: E402
from django.contrib.auth.decorators import login_not_required  # noqa: E402

from workspace.config import asgi, urls  # noqa: E402
from workspace.config.edge import Edge  # noqa: E402
from workspace.mcp.server import app as product_mcp  # noqa: E402
from workspace.mcp.threads import in_thread  # noqa: E402
from workspace.models import Document  # noqa: E402

MCP = "/reference/mcp"


def _one_query() -> str:
    return Document.objects.values_list("name", flat=True).order_by("pk")[0]


@login_not_required
def bare(request: HttpRequest) -> HttpResponse:
    """One query, one short answer."""
    return HttpResponse(_one_query(), content_type="text/plain")


server = MCPServer("reference")


@server.tool()
async def one_query() -> str:
    """One query, one short answer."""
    return await in_thread(_one_query)


mcp_application = server.streamable_http_app(stateless_http=True, json_response=True, streamable_http_path=MCP)


class Application:
    """The product, and the two references under ``/reference``."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            product, own = product_mcp, mcp_application
            async with product.router.lifespan_context(product), own.router.lifespan_context(own):
                await receive()
                await send({"type": "lifespan.startup.complete"})
                await receive()
                await send({"type": "lifespan.shutdown.complete"})
        elif scope["path"].startswith(MCP):
            await edge(scope, receive, send)
        else:
            await asgi.application(scope, receive, send)


edge = Edge(cast(ASGIApp, mcp_application), most=settings.BATON_BODY_BYTES)


def main() -> None:
    urlconf = types.ModuleType("reference_urls")
    urlconf.urlpatterns = [path("reference/bare", bare), *urls.urlpatterns]  # type: ignore[attr-defined]
    sys.modules["reference_urls"] = urlconf
    settings.ROOT_URLCONF = "reference_urls"
    uvicorn.run(Application(), port=int(sys.argv[1]), log_level="warning", access_log=False, proxy_headers=False)


if __name__ == "__main__":
    main()
