"""Asking for access, and answering those who ask."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.actor import Actor
from workspace.errors import AccessChange, Forbidden, Invalid, RateLimited
from workspace.queries import access_requests as queries
from workspace.queries.access_requests import RequestRow
from workspace.services import access_requests, sharing
from workspace.web.forms.sharing import DecisionForm, RequestForm
from workspace.web.frame import page, person
from workspace.web.previews import Shown, drawn, shown_again

TO_DECIDE, MINE = "to_decide", "mine"
CHANGED = "What you looked at has changed since, or is another role. This is what approving changes now."


def index(request: HttpRequest) -> HttpResponse:
    """Requests that I can decide, or with ``?list=mine`` those I made."""
    actor, cursor = person(request), request.GET.get("cursor")
    chosen = MINE if request.GET.get("list") == MINE else TO_DECIDE
    found = queries.mine(actor, cursor=cursor) if chosen == MINE else queries.to_decide(actor, cursor=cursor)
    context = {"page": found, "chosen": chosen}
    return page(request, "access_request/list.html", context, section="access_requests")


def new(request: HttpRequest) -> HttpResponse:
    """The form that asks. What is typed into it need not exist."""
    initial = {name: request.GET[name] for name in ("location", "role") if request.GET.get(name)}
    return _form(request, RequestForm(initial=initial))


def _form(request: HttpRequest, form: RequestForm, *, status: int = 200) -> HttpResponse:
    return page(request, "access_request/new.html", {"form": form}, section="access_requests", status=status)


def ask(request: HttpRequest) -> HttpResponse:
    """Ask. The answer is the same whether there is such a place or not."""
    form = RequestForm(request.POST)
    if form.is_valid():
        try:
            access_requests.ask(person(request), **form.cleaned_data)
        except Invalid as refusal:
            form.refuse(refusal)
        except RateLimited as refusal:
            form.add_error(None, refusal.detail)
            answer = _form(request, form, status=429)
            answer["Retry-After"] = str(refusal.retry_after)
            return answer
        else:
            messages.success(request, "Asked. It waits here until somebody who shares that place decides.")
            return redirect("/access-requests?list=mine")
    return _form(request, form, status=422)


def show(request: HttpRequest, request_id: str) -> HttpResponse:
    """A request that waits for me, with what approving it would change."""
    actor = person(request)
    item = queries.show(actor, request=request_id)
    return _decision(request, item, DecisionForm(initial={"role": item.role.label}, most=item.role.label))


def _decision(
    request: HttpRequest, item: RequestRow, form: DecisionForm, *, status: int = 200, **more: object
) -> HttpResponse:
    role = str(form["role"].value() or item.role.label)
    if "preview" not in more:
        try:
            more["preview"] = _preview(person(request), item, role)
        except Invalid as refusal:
            form.is_valid()
            form.refuse(refusal)
            status = 422
        except Forbidden as refusal:
            more["notice"] = refusal.detail
    context = {"item": item, "form": form, **more}
    return page(request, "access_request/show.html", context, section="access_requests", status=status)


def _preview(actor: Actor, item: RequestRow, role: str) -> Shown:
    found = access_requests.preview(actor, request=item.id, role=role)
    change = access_requests.change(actor, request=item.id, role=role)
    return drawn(found, sharing.confirm_token(actor, change=change), subject=item.email)


def decide(request: HttpRequest, request_id: str) -> HttpResponse:
    """Approve as was looked at, decline, or look at what another role would open."""
    actor, decision = person(request), request.POST.get("decision", "")
    item = queries.show(actor, request=request_id)
    form = DecisionForm(request.POST, most=item.role.label)
    if not form.is_valid() or decision not in ("approve", "decline"):
        return _decision(request, item, form, status=200 if form.is_valid() else 422)
    sent, approve = form.cleaned_data, decision == "approve"
    try:
        done = access_requests.decide(
            actor,
            request=request_id,
            approve=approve,
            role=sent["role"] if approve else None,
            answer=sent["answer"],
            confirm_token=sent["confirm_token"] if approve else None,
        )
    except Invalid as refusal:
        form.refuse(refusal)
        return _decision(request, item, form, status=422)
    except AccessChange as refusal:
        preview = shown_again(refusal, subject=item.email)
        return _decision(request, item, form, status=409, preview=preview, changed=CHANGED)
    messages.success(request, _said(item, done))
    return redirect("access_requests")


def _said(item: RequestRow, done: access_requests.Asked) -> str:
    if done.again:
        return f"It was {done.state} already."
    if done.granted:
        return f"{item.email} is {done.granted} of {item.location} now."
    return f"Declined. {item.by.label} finds your answer among their requests."


def withdraw(request: HttpRequest, request_id: str) -> HttpResponse:
    """Take back a request of mine."""
    done = access_requests.withdraw(person(request), request=request_id)
    messages.success(request, f"It was {done.state} already." if done.again else "Withdrawn.")
    return redirect("/access-requests?list=mine")
