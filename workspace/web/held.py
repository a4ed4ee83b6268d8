"""Forms that came from a page that was open longer than its session: what was typed is given back, to be sent again.

Nothing of it is stored: the page that gives it back holds it, and nobody else can see it. Only a form that a page of
this instance sent can be sent again from there; otherwise another site could have its own text saved with one click.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from workspace.web.frame import page

TOKEN = "csrfmiddlewaretoken"  # noqa: S105
TEXTS = ("content", "text-")
"""Fields, or what they begin with, that hold more than a line."""
TYPED = (*TEXTS, "message", "reason", "choice-")
"""Those that somebody filled in, so that losing them would hurt."""
LABELS = {"content": "Your text", "message": "What changed", "reason": "Why"}
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a form that was sent; ``kind`` is ``text``, ``line`` or ``hidden``."""

    name: str
    value: str
    kind: str
    label: str


def repeatable(request: HttpRequest) -> bool:
    """Whether this is a form that holds what somebody typed, and that a page of this instance sent as a form."""
    if request.method != "POST" or request.FILES or "HX-Request" in request.headers:
        return False
    # A script asks for something else than a page, and keeps what it sent.
    if "text/html" not in request.headers.get("Accept", ""):
        return False
    return _from_here(request) and bool(_typed(request)) and not _torn(request)


def page_of(request: HttpRequest, *, status: int) -> HttpResponse:
    """The page that gives the form back, in the frame for whoever is signed in."""
    signed_in = request.user.is_authenticated
    context: dict[str, Any] = {
        "status": status,
        "fields": tuple(_fields(request)),
        "action": request.get_full_path(),
        "signed_in": signed_in,
        # Not back to this address: what is there is the page without the text.
        "sign_in": f"{reverse('account_login')}?{urlencode({'next': '/'})}",
        "request_id": getattr(request, "request_id", ""),
    }
    if signed_in:
        response = page(request, "held.html", context, status=status)
    else:
        response = render(request, "held_entrance.html", context, status=status)
    add_never_cache_headers(response)
    return response


class SignInRequired(LoginRequiredMiddleware):
    """Leads to signing in; a form that holds what somebody typed is given back instead."""

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponseBase:  # type: ignore[override]
        if repeatable(request):
            return page_of(request, status=401)
        return super().handle_no_permission(request, view_func)


def _from_here(request: HttpRequest) -> bool:
    """Whether the browser says that a page of this instance sent it; no page can forge these two headers (Fetch)."""
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == "same-origin"
    here = (f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS)
    return request.headers.get("Origin") in here


def _typed(request: HttpRequest) -> list[str]:
    """The names of fields that hold something that was typed or chosen; never those of a form with a password."""
    if any("password" in name for name in request.POST):
        return []
    return [name for name, value in request.POST.items() if name.startswith(TYPED) and str(value).strip()]


def _torn(request: HttpRequest) -> bool:
    """Whether it was not UTF-8, so that what is here is not what was sent."""
    return any(REPLACEMENT in str(value) for values in dict(request.POST.lists()).values() for value in values)


def _fields(request: HttpRequest) -> Iterator[Field]:
    for name, values in request.POST.lists():
        if name == TOKEN:
            continue
        label = LABELS.get(name, "Your own words")
        for value in map(str, values):
            kind = "text" if name.startswith(TEXTS) else "line" if name in LABELS and value else "hidden"
            yield Field(name=name, value=value, kind=kind, label=label)
