"""Invitations: sending them, and taking one."""

from allauth.account.internal.flows.signup import complete_signup, prevent_enumeration
from allauth.account.utils import perform_login
from allauth.core.ratelimit import consume, respond_429
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from workspace.errors import AlreadyExists, Forbidden, Gone, Invalid, NotFound
from workspace.queries import invitations as queries
from workspace.services import invitations
from workspace.services.invitations import Offer
from workspace.web import accounts
from workspace.web.errors import note
from workspace.web.forms.accounts import InviteForm, JoinForm
from workspace.web.frame import page, person


def index(request: HttpRequest) -> HttpResponse:
    """My invitations, for an administrator everybody's, and the form for another."""
    actor = person(request)
    return _listed(request, InviteForm(admin=actor.admin, initial={"location": request.GET.get("location", "")}))


def _listed(request: HttpRequest, form: InviteForm, *, status: int = 200, **more: object) -> HttpResponse:
    actor = person(request)
    everybody = actor.admin and request.GET.get("of") != "me"
    context = {
        "form": form,
        "page": queries.listing(actor, everybody=everybody, cursor=request.GET.get("cursor")),
        "everybody": everybody,
        **more,
    }
    response = page(request, "invitation/list.html", context, section="invitations", status=status)
    if "invited" in more:
        response["Cache-Control"] = "no-store"
    return response


def create(request: HttpRequest) -> HttpResponse:
    """Invite. The link is on this one answer and nowhere else, so there is no redirect."""
    actor = person(request)
    form = InviteForm(request.POST, admin=actor.admin)
    if form.is_valid():
        try:
            invited = invitations.create(actor, **form.values())
        except Invalid as refusal:
            form.refuse(refusal)
        except NotFound as refusal:
            note(request, refusal, location=str(form.cleaned_data["location"]))
            form.add_error("location", "There is nothing here that you can see. Check the location.")
            return _listed(request, form, status=404)
        except Forbidden as refusal:
            form.add_error("location", refusal.detail)
            return _listed(request, form, status=403)
        else:
            return _listed(request, InviteForm(admin=actor.admin), status=201, invited=invited)
    return _listed(request, form, status=422)


def renew(request: HttpRequest, invitation_id: str) -> HttpResponse:
    """A new link in place of the one before."""
    actor = person(request)
    invited = invitations.renew(actor, invitation=invitation_id)
    return _listed(request, InviteForm(admin=actor.admin), status=201, invited=invited)


def revoke(request: HttpRequest, invitation_id: str) -> HttpResponse:
    """End an invitation."""
    invitations.revoke(person(request), invitation=invitation_id)
    messages.success(request, "Revoked. Its link lets nobody in any more.")
    return redirect((request.POST.get("back") == "people" and "people") or "invitations")


@login_not_required
@never_cache
def show(request: HttpRequest, link: str) -> HttpResponse:
    """What an invitation offers, with the form for an account, or for somebody who has one the button to take it."""
    try:
        offer = invitations.offer(link)
    except Gone as refusal:
        return _ended(request, refusal)
    if request.user.is_authenticated:
        if offer.email and offer.email.lower() != person(request).email.lower():
            return _ended(request, Gone(invitations.ENDED))
        return render(request, "invitation/accept.html", {"offer": offer})
    # Signing in through another service leaves this page and comes back to another one.
    request.session[accounts.INVITATION] = link
    return _joining(request, offer, JoinForm(email=offer.email))


def _joining(request: HttpRequest, offer: Offer, form: JoinForm, *, status: int = 200) -> HttpResponse:
    context = {"offer": offer, "form": form, "sign_in": f"{reverse('account_login')}?next={request.path}"}
    return render(request, "invitation/join.html", context, status=status)


def _ended(request: HttpRequest, refusal: Gone) -> HttpResponse:
    return render(request, "invitation/ended.html", {"detail": refusal.detail}, status=410)


@login_not_required
@never_cache
@sensitive_post_parameters("password")
def take(request: HttpRequest, link: str) -> HttpResponse:
    """Take it: as who is signed in, or with a new account."""
    try:
        if request.user.is_authenticated:
            return _accept(request, link)
        if not consume(request, action="signup"):
            limited: HttpResponse = respond_429(request)
            return limited
        return _join(request, link)
    except Gone as refusal:
        return _ended(request, refusal)


def _accept(request: HttpRequest, link: str) -> HttpResponse:
    taken = invitations.accept(person(request), link=link)
    messages.success(request, f"{taken.invited_by} let you in.")
    return _landing(taken)


def _landing(offer: Offer) -> HttpResponse:
    return redirect(offer.of, offer.location) if offer.of else redirect("home")


def _join(request: HttpRequest, link: str) -> HttpResponse:
    offer = invitations.offer(link)
    passkey = "passkey" in request.POST and offer.confirmed
    form = JoinForm(request.POST, email=offer.email, passkey=passkey)
    if form.is_valid():
        sent = form.cleaned_data
        try:
            made = invitations.sign_up(link, email=sent["email"], name=sent["name"], password=sent.get("password"))
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            # The same page, the same cookies and a mail, as for an account that was made.
            hidden: HttpResponse = prevent_enumeration(request, email=refusal.location)
            return hidden
        else:
            request.session.pop(accounts.INVITATION, None)
            if not offer.confirmed:
                signed_up: HttpResponse = complete_signup(request, user=made)
                return signed_up
            perform_login(request, made)
            accounts.entered(request)
            return redirect("mfa_add_webauthn") if passkey else _landing(offer)
    return _joining(request, offer, form, status=422)
