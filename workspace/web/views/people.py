"""Everybody, for administrators: letting them in, out, and back in."""

from allauth.account.forms import ResetPasswordForm
from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from workspace.errors import Gone
from workspace.queries import members
from workspace.queries.who import Who
from workspace.services import people, sign_in_links
from workspace.web import accounts
from workspace.web.frame import page, person

QUERY = 200


def index(request: HttpRequest) -> HttpResponse:
    """Everybody with an account."""
    return _listed(request)


def _listed(request: HttpRequest, *, status: int = 200, **more: object) -> HttpResponse:
    actor = person(request)
    # No name holds a NUL, and the database takes none.
    q = request.GET.get("q", "").replace("\x00", "").strip()[:QUERY]
    state = request.GET.get("state")
    state = state if state in members.STATES else None
    rows = members.listing(actor, q=q, state=state, cursor=request.GET.get("cursor"))
    faces = [(row, Who(kind="person", label=row.label, email=row.email, person_label=row.label)) for row in rows.items]
    context = {"page": rows, "people": faces, "sought": q, "chosen": state, "states": members.STATES, **more}
    return page(request, "people/list.html", context, section="people", status=status)


def activate(request: HttpRequest, person_id: int) -> HttpResponse:
    """Let somebody back in."""
    found = people.update(person(request), person=person_id, active=True)
    messages.success(request, f"{found.email} may sign in again.")
    return redirect("people")


def deactivate(request: HttpRequest, person_id: int) -> HttpResponse:
    """Keep somebody out."""
    found = people.update(person(request), person=person_id, active=False)
    messages.success(request, f"{found.email} is signed out everywhere and cannot sign in; their agents are refused.")
    return redirect("people")


def sign_out(request: HttpRequest, person_id: int) -> HttpResponse:
    """End somebody's sessions."""
    actor = person(request)
    people.sign_out(actor, person=person_id)
    messages.success(request, f"{members.read(actor, person=person_id).email} is signed out everywhere.")
    return redirect("people")


def reset_second_steps(request: HttpRequest, person_id: int) -> HttpResponse:
    """Turn off what somebody has lost."""
    actor = person(request)
    people.reset_second_steps(actor, person=person_id)
    messages.success(request, f"{members.read(actor, person=person_id).email} signs in without a second step now.")
    return redirect("people")


def send_reset(request: HttpRequest, person_id: int) -> HttpResponse:
    """Mail somebody a link to set a new password."""
    found = members.read(person(request), person=person_id)
    form = ResetPasswordForm({"email": found.email})
    if form.is_valid():
        form.save(request)
    messages.success(request, f"A link to set a new password was mailed to {found.email}.")
    return redirect("people")


def make_link(request: HttpRequest, person_id: int) -> HttpResponse:
    """A one-time link that signs somebody in. It is on this one answer and nowhere else."""
    actor = person(request)
    found = members.read(actor, person=person_id)
    token = sign_in_links.make(actor, person=person_id)
    response = _listed(request, status=201, link=accounts.address("sign_in_link", token), link_for=found)
    response["Cache-Control"] = "no-store"
    return response


@login_not_required
@never_cache
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Whom the link signs in. Looking uses nothing up: mail programs look at links."""
    try:
        return render(request, "people/link.html", {"holder": sign_in_links.holder(token)})
    except Gone as refusal:
        return render(request, "people/link.html", {"detail": refusal.detail}, status=410)


@login_not_required
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Use the link up and sign in; a second step is still asked for."""
    try:
        holder = sign_in_links.redeem(token)
    except Gone as refusal:
        return render(request, "people/link.html", {"detail": refusal.detail}, status=410)
    if request.user.is_authenticated:
        accounts.leave(request)
    response: HttpResponse = perform_login(request, holder, email_verification="none", redirect_url="/account")
    accounts.entered(request)
    return response
