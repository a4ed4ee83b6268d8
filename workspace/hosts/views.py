"""What hosts download."""

import zlib

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from workspace.hosts import wheels
from workspace.hosts.bundles import WHERE, bundle
from workspace.hosts.repositories import REQUEST_BYTES, Malformed, repository


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


@require_GET
@login_not_required
def references(request: HttpRequest, host: str) -> HttpResponse:
    """What a clone of a host's folder asks first. Open to all, as the zip is."""
    if host not in WHERE:
        raise Http404
    if request.GET.get("service") != "git-upload-pack":
        return HttpResponse("This is for git clone.\n", status=403, content_type="text/plain")
    return _told(repository(host, settings.BATON_BASE_URL).advertisement(), "advertisement")


@csrf_exempt  # a clone has no session that could be abused, and nothing is written
@require_POST
@login_not_required
def upload_pack(request: HttpRequest, host: str) -> HttpResponse:
    """What a clone asks then: the commit. Open to all, as the zip is."""
    if host not in WHERE:
        raise Http404
    try:
        answer = repository(host, settings.BATON_BASE_URL).answer(_received(request))
    except Malformed as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain")
    return _told(answer, "result")


def _told(content: bytes, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"application/x-git-upload-pack-{kind}")
    response["Cache-Control"] = "no-cache"
    return response


def _received(request: HttpRequest) -> bytes:
    """The request's content, which Git compresses where it is long. Raises ``Malformed``."""
    content = request.read(REQUEST_BYTES + 1)
    if request.headers.get("Content-Encoding") in ("gzip", "x-gzip"):
        try:
            content = zlib.decompressobj(wbits=31).decompress(content, REQUEST_BYTES + 1)
        except zlib.error:
            raise Malformed("it is not compressed as it says") from None
    if len(content) > REQUEST_BYTES:
        raise Malformed("it is too long")
    return content
