"""What hosts download."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from workspace.hosts import wheels
from workspace.hosts.bundles import WHERE, bundle


@require_GET
@login_not_required
def download(request: HttpRequest, host: str) -> HttpResponse:
    """The plugin folder of a host. Open to all: it holds this instance's address and nothing else of it."""
    if host not in WHERE:
        raise Http404
    response = HttpResponse(bundle(host, settings.BATON_BASE_URL), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="baton-{host}.zip"'
    response["Cache-Control"] = "no-cache"
    return response


@require_GET
@login_not_required
def wheel(request: HttpRequest, name: str) -> HttpResponse:
    """The package for Python, under the one name that it has. Open to all, as the plugin folders are."""
    if f"{name}.whl" != wheels.NAME:
        raise Http404
    response = HttpResponse(wheels.wheel(settings.BATON_BASE_URL), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{wheels.NAME}"'
    response["Cache-Control"] = "no-cache"
    return response
