"""One's own account: name, address, password, second steps, sessions, other services' accounts."""

from allauth.account import views as library
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.errors import Invalid
from workspace.services import people, sessions
from workspace.web import fields
from workspace.web.forms.accounts import NameForm
from workspace.web.frame import page, person


def show(request: HttpRequest) -> HttpResponse:
    """Everything about the account, each with the page that changes it."""
    return _shown(request, NameForm(initial={"name": request.user.name}))  # type: ignore[union-attr]


def _shown(request: HttpRequest, form: NameForm, *, status: int = 200) -> HttpResponse:
    user = request.user
    steps = list(Authenticator.objects.filter(user=user))
    kinds = Authenticator.Type
    codes = next((step.wrap() for step in steps if step.type == kinds.RECOVERY_CODES), None)
    addresses = list(EmailAddress.objects.filter(user=user))
    context = {
        "form": form,
        "confirmed": any(a.verified and a.email == user.email for a in addresses),  # type: ignore[union-attr]
        "pending": next((a.email for a in addresses if not a.verified and a.email != user.email), ""),  # type: ignore[union-attr]
        "has_password": user.has_usable_password(),  # type: ignore[union-attr]
        "passkeys": sum(step.type == kinds.WEBAUTHN for step in steps),
        "app": any(step.type == kinds.TOTP for step in steps),
        "codes_left": len(codes.get_unused_codes()) if codes else None,
        "sessions": len(UserSession.objects.purge_and_list(user)),
        "connected": SocialAccount.objects.filter(user=user).count(),
        "providers": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
    return page(request, "account/overview.html", context, section="account", status=status)


def rename(request: HttpRequest) -> HttpResponse:
    """Change one's name."""
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            people.rename(person(request), name=form.cleaned_data["name"])
        except Invalid as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, "Saved. Others see this name from now on.")
            return redirect("account")
    return _shown(request, form, status=422)


def email(request: HttpRequest) -> HttpResponse:
    """The library's page for addresses, without its choice among several: it would let one be chosen that nobody has
    confirmed, where none is."""
    if "action_primary" in request.POST:
        raise Invalid("email", "takes the place of the present address when it is confirmed.")
    answer: HttpResponse = library.email(request)
    return answer


def end_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out in one other browser, or in all others. The library's page lists them, and ends them only together."""
    actor, current, session = person(request), request.session.session_key or "", request.POST.get("session")
    if session is None:
        count = sessions.end_others(actor, current=current)
        said = f"Signed out in {count} other browser{'' if count == 1 else 's'}."
        messages.success(request, said if count else "You are signed in nowhere else.")
    else:
        sessions.end(actor, session=fields.number(session), current=current)
        messages.success(request, "Signed out there.")
    return redirect("usersessions_list")
