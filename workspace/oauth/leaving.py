"""Sending the browser back to the program that asked.

Chromium holds every redirect that follows a form to the ``form-action`` of the page that the form was on. So the
consent page names the one origin that its answer goes to where that is a port of the person's own computer, and
everything else (a web page, which may redirect further; a scheme of an application) is reached from a page of its own.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.encoding import iri_to_uri

_LOOPBACK = frozenset({"localhost", "127.0.0.1"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*\Z")
# A browser would run these, or show what they hold as if this server had said it.
_NEVER = frozenset({"javascript", "data", "blob", "vbscript", "file", "about", "filesystem", "view-source"})


def is_loopback(uri: str) -> bool:
    """Whether ``uri`` is an http address on the person's own computer that a policy can name."""
    return bool(_origin(uri))


def _origin(uri: str) -> str:
    """The origin of a loopback ``uri`` for a policy; "" for any other, and for IPv6, which a policy cannot name."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK or "@" in parts.netloc:
        return ""
    return f"http://{parts.hostname}" + (f":{port}" if port else "")


def policy(redirect_uri: str) -> dict[str, Any]:
    """The content security policy of a page whose form answers with a redirect to ``redirect_uri``."""
    origin = _origin(redirect_uri)
    if not origin:
        return dict(settings.SECURE_CSP)
    policy: dict[str, Any] = dict(settings.SECURE_CSP)
    return {**policy, "form-action": [*policy["form-action"], origin]}


def tell(request: HttpRequest, url: str) -> HttpResponse:
    """To ``url`` with what is wrong with a request that nobody was asked about.

    That is a redirect, but where the browser came by a form of this server, such as the one that signs in: the policy
    of the page that the form was on holds for all that follows, and names no origin but this one.
    """
    if request.method == "POST" or request.headers.get("Sec-Fetch-Site") == "same-origin":
        return leave(request, url, to="")
    return _redirect(url)


def leave(request: HttpRequest, url: str, *, to: str) -> HttpResponse:
    """To ``url``, which lies at a redirect address that was checked; ``to`` is the program's name for the page."""
    if is_loopback(url) and request.method == "POST":
        response = _redirect(url)
    else:
        scheme = urlsplit(url).scheme.lower()
        if not _SCHEME.match(scheme) or scheme in _NEVER:
            raise ValueError("Not an address to send a browser to.")
        response = render(request, "oauth/leaving.html", {"url": url, "to": to})
        response["Refresh"] = f"0; url={iri_to_uri(url)}"
    add_never_cache_headers(response)
    response["Referrer-Policy"] = "no-referrer"
    return response


def _redirect(url: str) -> HttpResponse:
    response = HttpResponse(status=302)
    response["Location"] = url
    return response
