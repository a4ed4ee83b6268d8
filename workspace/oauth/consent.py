"""The consent page: who asks, for whom, what it may do, where and until when; and what the person decided.

The protocol's view calls, in this order, ``page`` on GET and on POST ``unseal``, ``decide``, ``connect`` and
``leaving.leave``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.oauth import leaving, redirects
from workspace.oauth.choices import EXPIRIES, ChoicesForm
from workspace.services import connections
from workspace.services.connections import WRITE, Asking, Connected

SEAL_AGE_S = 600
"""How long a page that was opened can be answered."""
FIELD = "request"
"""The form field that carries the sealed request."""
ALLOW = "grant"
AUTHORIZE = "authorize"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What the person decided. ``scopes`` are those that the grant may carry: without writing where the person
    chose reading only. The rest is for ``connect``."""

    allowed: bool
    scopes: tuple[str, ...] = ()
    name: str = ""
    agent: str = ""
    places: tuple[str, ...] = ()
    read_only: bool = False
    manages: bool = False
    expires_days: int | None = None


def seal(request: HttpRequest, info: Mapping[str, Any], *, of: str = AUTHORIZE) -> str:
    """``info`` (JSON-ready) signed for who is signed in and for one kind of page, for ten minutes."""
    return signing.dumps(dict(info), salt=_salt(request, of), compress=True)


def unseal(request: HttpRequest, sealed: str, *, of: str = AUTHORIZE) -> dict[str, Any] | None:
    """What was sealed; None when it was sealed for another person or page, too long ago, or by nobody here."""
    try:
        found = signing.loads(sealed, salt=_salt(request, of), max_age=SEAL_AGE_S)
    except signing.BadSignature:
        return None
    return found if isinstance(found, dict) else None


def _salt(request: HttpRequest, of: str) -> str:
    return f"workspace.oauth.consent:{of}:{request.user.pk}"


def person(request: HttpRequest) -> Actor:
    """Who is signed in, as an actor."""
    return person_actor(request.user, via=Via.WEB)  # type: ignore[arg-type]


def page(
    request: HttpRequest, asking: Asking, *, sealed: str, redirect_uri: str, form: ChoicesForm | None = None
) -> HttpResponse:
    """The page that asks the person: 200, or 422 with a ``form`` that was refused."""
    actor = person(request)
    context = {
        "asking": asking,
        "actor": actor,
        "form": form or ChoicesForm(actor, asking),
        "expiries": EXPIRIES,
        "sealed": sealed,
        "again": request.get_full_path(),
        "on_this_computer": redirects.stays(asking.redirect_host),
    }
    response = render(request, "oauth/consent.html", context, status=422 if form else 200)
    add_never_cache_headers(response)
    response._csp_config = leaving.policy(redirect_uri)  # type: ignore[attr-defined]
    return response


def stale(request: HttpRequest) -> HttpResponse:
    """Says that an answer came too late, or from another person than the page was made for."""
    response = render(request, "oauth/stale.html", status=403)
    add_never_cache_headers(response)
    return response


def answered(request: HttpRequest) -> HttpResponse:
    """Says that the request was answered before, and that this answer changed nothing."""
    response = render(request, "oauth/answered.html", status=409)
    add_never_cache_headers(response)
    return response


def decide(request: HttpRequest, asking: Asking, *, sealed: str, redirect_uri: str) -> Decision | HttpResponse:
    """What the person decided by the form that they sent; the page again, with what is wrong, where they did not."""
    if request.POST.get("action") != ALLOW:
        return Decision(allowed=False)
    form = ChoicesForm(person(request), asking, request.POST)
    if not form.is_valid():
        return page(request, asking, sealed=sealed, redirect_uri=redirect_uri, form=form)
    return decision(form)


def decision(form: ChoicesForm) -> Decision:
    """What a valid form allows."""
    chosen = form.cleaned_data
    reads = chosen["read_only"] or not form.may_write
    return Decision(
        allowed=True,
        scopes=tuple(scope for scope in form.asking.scopes if scope != WRITE or not reads),
        name=chosen["name"] if not chosen["agent"] else "",
        agent=chosen["agent"],
        places=chosen["places"],
        read_only=reads,
        manages=chosen["manage"] and not reads,
        expires_days=chosen["expires"] or None,
    )


def connect(request: HttpRequest, asking: Asking, decided: Decision, *, grant_id: str) -> Connected:
    """The connection that ``decided`` allows, for the grant that was made for it.

    Raises a refusal where what the person chose went away in the meantime. The grant is then good for nothing.
    """
    return connections.connect(
        person(request),
        asking=asking,
        grant_id=grant_id,
        name=decided.name,
        agent=decided.agent,
        places=decided.places,
        read_only=decided.read_only,
        manages=decided.manages,
        expires_days=decided.expires_days,
    )
