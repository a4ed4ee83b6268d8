"""Where a person answers a machine without a browser (RFC 8628): they type its code, see who asks, and decide.

The address is short because people type it. Whoever sends somebody a link with a code of their own wants to be let in
on that person's account (section 5.4), so the page says what to compare before anything is allowed.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from workspace.errors import Refusal
from workspace.oauth import consent, devices
from workspace.oauth.answers import TooMany
from workspace.oauth.choices import EXPIRIES, ChoicesForm
from workspace.oauth.devices import Pending

PURPOSE = "device"
WRONG = (
    "No machine waits with this code. It was answered already, or it is older than ten minutes; check it, or let the "
    "machine show a new one."
)


def device(request: HttpRequest) -> HttpResponse:
    """``GET`` asks for the code, or with ``?code=`` what to answer; ``POST`` takes the code, then the answer."""
    match request.method:
        case "GET" | "HEAD":
            code = request.GET.get("code", "")
            response = _look(request, code) if code else _typing(request)
        case "POST":
            sealed = request.POST.get(consent.FIELD, "")
            response = _answer(request, sealed) if sealed else _look(request, request.POST.get("code", ""))
        case _:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    add_never_cache_headers(response)
    return response


def _typing(request: HttpRequest, *, code: str = "", error: str = "", status: int = 200) -> HttpResponse:
    context = {"code": code[:100], "error": error, "actor": consent.person(request)}
    return render(request, "oauth/device.html", context, status=status)


def _look(request: HttpRequest, code: str) -> HttpResponse:
    """What waits with ``code``, or the form for the code again."""
    try:
        pending = devices.find(request, code.strip()) if code.strip() else None
    except TooMany as limit:
        response = _typing(request, code=code, error="Too many codes were tried. Wait a minute.", status=429)
        response["Retry-After"] = str(limit.seconds)
        return response
    if pending is None:
        return _typing(request, code=code, error=WRONG if code.strip() else "Type the code.", status=422)
    return _page(request, pending, consent.seal(request, {"code": pending.user_code}, of=PURPOSE))


def _page(request: HttpRequest, pending: Pending, sealed: str, form: ChoicesForm | None = None) -> HttpResponse:
    actor = consent.person(request)
    context = {
        "pending": pending,
        "asking": pending.asking,
        "actor": actor,
        "form": form or ChoicesForm(actor, pending.asking),
        "expiries": EXPIRIES,
        "sealed": sealed,
        "again": request.path,
    }
    return render(request, "oauth/device_consent.html", context, status=422 if form else 200)


def _answer(request: HttpRequest, sealed: str) -> HttpResponse:
    info = consent.unseal(request, sealed, of=PURPOSE)
    if info is None:
        return consent.stale(request)
    try:
        pending = devices.find(request, info["code"])
    except TooMany as limit:
        response = _typing(request, code=info["code"], error="Too many tries. Wait a minute.", status=429)
        response["Retry-After"] = str(limit.seconds)
        return response
    if pending is None:
        return _over(request, info["code"])
    if request.POST.get("action") != consent.ALLOW:
        if not devices.deny(request, pending):
            return _over(request, info["code"])
        return _done(request, allowed=False)
    form = ChoicesForm(consent.person(request), pending.asking, request.POST)
    if not form.is_valid():
        return _page(request, pending, sealed, form)
    try:
        connected = devices.allow(request, pending, consent.decision(form))
    except Refusal as refusal:
        form.add_error(None, refusal.detail)
        return _page(request, pending, sealed, form)
    if connected is None:
        return _over(request, info["code"])
    return _done(request, allowed=True, name=connected.agent_name)


def _over(request: HttpRequest, code: str) -> HttpResponse:
    """What the person has answered already, or that nothing waits with this code."""
    answered = devices.answered(request, code)
    if answered is None:
        return _typing(request, error=WRONG, status=422)
    return _done(request, allowed=answered.allowed, name=answered.agent_name)


def _done(request: HttpRequest, *, allowed: bool, name: str = "") -> HttpResponse:
    return render(request, "oauth/device_done.html", {"allowed": allowed, "name": name})
