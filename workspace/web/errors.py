"""Refusals as pages: one complete table from refusal to status, title and next step."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import unquote_to_bytes, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from workspace import errors
from workspace.actor import Via
from workspace.services import audit
from workspace.web import held
from workspace.web.frame import page, person

logger = logging.getLogger(__name__)

type View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, kw_only=True)
class Face:
    """How one kind of refusal looks. ``next`` says what to do, in addition to the refusal's own sentence."""

    status: int
    title: str
    next: str = ""


FACES: dict[type[errors.Refusal], Face] = {
    errors.Unauthenticated: Face(status=401, title="Sign in first"),
    errors.Forbidden: Face(
        status=403,
        title="Your role here does not allow that",
        next="Ask somebody who manages this place, or copy what you need into a folder of your own.",
    ),
    errors.NotFound: Face(status=404, title="Nothing here that you can see"),
    errors.AlreadyExists: Face(status=409, title="The name is taken", next="Nothing was overwritten."),
    errors.IdempotencyMismatch: Face(
        status=409, title="This form was already sent", next="Open the page again and repeat the change."
    ),
    errors.AccessChange: Face(status=409, title="This would change who can read it"),
    errors.Gone: Face(status=410, title="This was deleted"),
    errors.PreconditionRequired: Face(status=428, title="The form was incomplete", next="Open the page again."),
    errors.Invalid: Face(status=422, title="That cannot be taken as it is", next="Go back and mend what is named."),
    errors.TooLarge: Face(status=413, title="Too large", next="Nothing was saved, and nothing was cut off."),
    errors.RateLimited: Face(status=429, title="Too many requests"),
    errors.Unavailable: Face(status=503, title="A part of Baton does not answer", next="Nothing was saved. Try again."),
}


ASK = "ask"
"""The query by which a page that was refused leads to the form that asks for access to it. The link to it holds no
location, so that the page of what is hidden is, to the byte, that of any address where there is nothing."""


def _may_ask(request: HttpRequest) -> bool:
    """Whether the page at this address can be asked for by somebody who is signed in; a form's answer cannot."""
    user = getattr(request, "user", None)
    return request.method in ("GET", "HEAD") and user is not None and user.is_authenticated


def narrowing(refusal: errors.NotFound | errors.Invalid) -> list[str]:
    """What is wrong with the filters of a list, which its address holds: one sentence each."""
    wrong = refusal.errors if isinstance(refusal, errors.Invalid) else ()
    told = [f"{error.field} {error.message}" for error in wrong if error.field != "location"]
    return told or ["No folder of that name that you can see."]


def _asking(request: HttpRequest, refusal: errors.NotFound | errors.Forbidden) -> str:
    """The form that asks for access to the page at this address."""
    found = request.resolver_match.kwargs if request.resolver_match else {}
    asked = {"location": found.get("location") or found.get("folder") or ""}
    if isinstance(refusal, errors.Forbidden) and refusal.need in ASKED_FOR:
        asked["role"] = refusal.need
    return f"{reverse('access_request_new')}?{urlencode({name: value for name, value in asked.items() if value})}"


ASKED_FOR = ("viewer", "editor", "manager")


def refused(request: HttpRequest, refusal: errors.Refusal) -> HttpResponse:
    """The page of a refusal. Text that was being written is on it, so that nothing typed is lost."""
    face = FACES[type(refusal)]
    if isinstance(refusal, errors.Unauthenticated):
        return redirect("account_login")
    if isinstance(refusal, errors.NotFound | errors.Forbidden) and ASK in request.GET and _may_ask(request):
        return redirect(_asking(request, refusal))
    response = fault(
        request,
        face.status,
        face.title,
        "" if isinstance(refusal, errors.Invalid) else refusal.detail,
        next=face.next,
        errors=refusal.errors if isinstance(refusal, errors.Invalid) else (),
        kept=request.POST.get("content", "") if request.method == "POST" else "",
        ask=f"?{ASK}" if isinstance(refusal, errors.NotFound | errors.Forbidden) and _may_ask(request) else "",
    )
    if "retry_after" in refusal.data:
        response["Retry-After"] = str(refusal.data["retry_after"])
    return response


def fault(request: HttpRequest, status: int, title: str, detail: str, **more: Any) -> HttpResponse:
    """An error page, in the frame for who is signed in and alone for others."""
    context = {
        "status": status,
        "title": title,
        "detail": detail,
        "request_id": getattr(request, "request_id", ""),
        **more,
    }
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return page(request, "error.html", context, status=status)
    return render(request, "error_entrance.html", context, status=status)


def moved_on(request: HttpRequest, location: str) -> HttpResponse:
    """The document has a newer version than the one that a deletion or restoration was decided on."""
    return fault(
        request,
        409,
        "The document has changed meanwhile",
        "Nothing was done. Look at it as it is now, then decide again.",
        back=reverse("document", args=[location]),
    )


SUBJECTS = ("conflict_id", "capture_id", "job_id", "agent_id", "request_id", "binding_id")
"""Parts of addresses that name a thing, for the audit log; a part that is a secret is none of them."""


def note(request: HttpRequest, refusal: errors.Refusal, *, location: str = "") -> None:
    """Records a refusal in the audit log; ``location`` is what was asked for where the address does not hold it."""
    match = request.resolver_match
    found = match.kwargs if match else {}
    audit.attempt(
        person(request) if request.user.is_authenticated else None,
        refusal,
        call=f"{request.method} /{match.route}" if match else str(request.method),
        location=location or found.get("location") or found.get("folder") or request.GET.get("location", ""),
        subject=next((str(found[name]) for name in SUBJECTS if name in found), ""),
        via=Via.WEB,
    )


def answering(view: View) -> View:
    """The view, with refusals answered as pages."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except errors.Refusal as refusal:
            note(request, refusal)
            return refused(request, refusal)

    return answered


def _legible(view: View) -> View:
    """The view, refusing a form that is not UTF-8: Django would put other characters in place of what was sent."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.content_type == "application/x-www-form-urlencoded":
            sent = (str(value) for name, values in request.POST.lists() for value in (name, *values))
            if not request.body.isascii() or any(held.REPLACEMENT in value for value in sent):
                _refuse_bytes(request.body)
        return view(request, *args, **kwargs)

    return checked


def _refuse_bytes(body: bytes) -> None:
    for pair in body.split(b"&"):
        try:
            unquote_to_bytes(pair).decode()
        except UnicodeDecodeError:
            name = unquote_to_bytes(pair.partition(b"=")[0]).decode(errors="replace")
            raise errors.Invalid(name[:100], "is not UTF-8. Send the form from its page.") from None


def verbs(**views: View) -> View:
    """One address, one function for each verb: ``verbs(GET=show, POST=save)``."""
    allowed = [*views, *(["HEAD"] if "GET" in views else [])]

    def dispatch(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        view = views.get("GET" if request.method == "HEAD" else request.method or "")
        if view is None:
            return HttpResponseNotAllowed(allowed)
        return answering(_legible(view))(request, *args, **kwargs)

    first = next(iter(views.values()))
    dispatch.login_required = getattr(first, "login_required", True)  # type: ignore[attr-defined]
    return dispatch


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler400."""
    return fault(request, 400, "The request was not understood", "Go back and try again.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler403."""
    face = FACES[errors.Forbidden]
    return fault(request, 403, face.title, "You may not see or do this.", next=face.next)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: mostly a page that was open since before signing in again. What was typed into it
    is given back."""
    if held.repeatable(request):
        return held.page_of(request, status=403)
    return fault(
        request,
        403,
        "This form is too old",
        "Nothing was saved. Open the page again and repeat it; that is for your safety.",
        kept=request.POST.get("content", ""),
        back=request.path if request.POST.get("content") else "",
        back_words="Open it again",
    )


def too_many(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The sign-in library's handler429: forms that were sent too often from one place or for one account."""
    response = fault(
        request,
        429,
        "Too many attempts",
        "Somebody tried this very often just now, from here or for this account.",
        next="Wait some minutes, then try again. Nothing was changed.",
    )
    response["Retry-After"] = "300"
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404: the same page as for what is hidden."""
    return refused(request, errors.NotFound())


def broken(request: HttpRequest) -> HttpResponse:
    """Django's handler500. Reads nothing: what broke may be the database."""
    return render(
        request,
        "error_entrance.html",
        {
            "status": 500,
            "title": "Something broke here",
            "detail": "It is not your doing, and it was written to the log. What was saved before is safe.",
            "next": "Go back and try again. If it stays, tell whoever runs this instance the number below.",
            "request_id": getattr(request, "request_id", ""),
        },
        status=500,
    )
