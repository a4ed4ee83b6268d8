"""The first sign-in of a new workspace."""

from allauth.account.utils import perform_login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from workspace.errors import Gone, Invalid
from workspace.services import welcome
from workspace.web.forms.people import WelcomeForm


@login_not_required
@never_cache
def show(request: HttpRequest, token: str) -> HttpResponse:
    """The form for the administrator's account, while the link is good."""
    if not welcome.is_open(token):
        return _used(request)
    return render(request, "welcome.html", {"form": WelcomeForm()})


@login_not_required
@never_cache
@sensitive_post_parameters("password")
def begin(request: HttpRequest, token: str) -> HttpResponse:
    """Make the account, use the link up and sign in."""
    form = WelcomeForm(request.POST)
    if form.is_valid():
        try:
            administrator = welcome.redeem(token, **form.cleaned_data)
        except Gone:
            return _used(request)
        except Invalid as refusal:
            form.refuse(refusal)
        else:
            perform_login(request, administrator, email_verification="none")
            return redirect("home")
    elif not welcome.is_open(token):
        return _used(request)
    return render(request, "welcome.html", {"form": form}, status=422)


def _used(request: HttpRequest) -> HttpResponse:
    return render(request, "welcome.html", {"form": None}, status=410)
