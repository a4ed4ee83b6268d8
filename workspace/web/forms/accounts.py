"""Forms of a person's account and of invitations, where the sign-in library's own do not do."""

import struct
from collections.abc import Callable
from typing import Any

from allauth.account.forms import AddEmailForm
from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from cryptography.exceptions import InvalidSignature
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from workspace.services import audit
from workspace.web.forms.base import PlainForm, text_input
from workspace.web.forms.sharing import ROLES


class ChangeEmailForm(AddEmailForm):
    """Another address, which takes the place of the present one once it is confirmed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "New address"

    def save(self, request: HttpRequest) -> EmailAddress:
        # The library's own drops whatever is not confirmed, which may be the present address.
        unconfirmed = EmailAddress.objects.filter(user=self.user, verified=False)
        unconfirmed.exclude(email__iexact=self.user.email).delete()
        address: EmailAddress
        address, _ = EmailAddress.objects.get_or_create(user=self.user, email=self.cleaned_data["email"].lower())
        if not address.verified:
            send_verification_email_to_address(request, address)
        return address


# What the library's parser lets through of a browser's answer that is none. InvalidSignature is a forged one.
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, struct.error, InvalidSignature)


def _checked(check: Callable[[], Any]) -> Any:
    """What ``check`` makes of a passkey's answer; ``ValidationError`` for one that is malformed."""
    try:
        return check()
    except ValidationError:
        raise
    except MALFORMED as error:
        raise ValidationError("That was no passkey. Try again.") from error


def _recorded(check: Callable[[], Any], person: Any) -> Any:
    """As ``check``, with a failure in the audit log. It is nobody's act: who failed has not entered."""
    try:
        return check()
    except ValidationError:
        audit.denied(None, "signin.failed", code="UNAUTHENTICATED", subject=getattr(person, "email", ""))
        raise


class SecondStepForm(AuthenticateForm):
    """The code of an authenticator app, or a recovery code."""

    def clean_code(self) -> Any:
        return _recorded(super().clean_code, self.user)


class AppForm(ActivateTOTPForm):
    """The first code of an authenticator app. It is used up by that, as by signing in (RFC 6238, section 5.2): whoever
    saw it typed could otherwise come in with it."""

    def clean_code(self) -> Any:
        code = super().clean_code()
        key = Authenticator(
            user=self.user, type=Authenticator.Type.TOTP, data={"secret": get_adapter().encrypt(self.secret)}
        )
        if not TOTP(key).validate_code(code):
            raise get_adapter().validation_error("incorrect_code")
        return code


class SecondPasskeyForm(AuthenticateWebAuthnForm):
    """A passkey after the password."""

    def clean_credential(self) -> Any:
        check = super().clean_credential
        return _recorded(lambda: _checked(check), self.user)


class PasskeyForm(LoginWebAuthnForm):
    """A passkey instead of the password."""

    def clean_credential(self) -> Any:
        check = super().clean_credential
        return _recorded(lambda: _checked(check), self.user)


class ConfirmPasskeyForm(ReauthenticateWebAuthnForm):
    """A passkey of somebody who is signed in, once more."""

    def clean_credential(self) -> Any:
        return _checked(super().clean_credential)


class AddPasskeyForm(AddWebAuthnForm):
    """A passkey signs in by itself; unticked it is a second step only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = "To tell it from your others, such as the name of the device."
        self.fields["passwordless"].initial = True
        self.fields["passwordless"].label = "Signs me in without a password"
        self.fields["passwordless"].help_text = "The device then asks for your finger, face or PIN."

    def clean(self) -> Any:
        return _checked(super().clean)


class NameForm(PlainForm):
    """The name that others see."""

    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))


class InviteForm(PlainForm):
    """Somebody to be let in."""

    aliases = {"expires_days": "days"}
    email = forms.CharField(
        required=False,
        max_length=254,
        label="Email",
        help_text="The invitation is mailed there, and is for that address alone. Empty: a link for several people.",
        widget=text_input("ann@example.org", spellcheck="false", inputmode="email"),
    )
    location = forms.CharField(
        required=False,
        max_length=7000,
        label="Lets them into",
        widget=text_input("product/launch", spellcheck="false", list="folders"),
    )
    role = forms.ChoiceField(choices=ROLES, initial="viewer", label="As")
    uses = forms.IntegerField(min_value=1, max_value=100, initial=1, label="For how many people")
    days = forms.IntegerField(min_value=1, max_value=90, initial=7, label="Good for days")
    groups = forms.CharField(
        required=False,
        max_length=2000,
        label="Into groups",
        help_text="Names, separated by commas.",
        widget=text_input("designers, support"),
    )

    def __init__(self, *args: Any, admin: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if admin:
            self.fields["location"].help_text = "A folder or document. Empty: nothing yet."
        else:
            del self.fields["groups"]
            self.fields["location"].required = True
            self.fields["location"].help_text = "A folder or document that you may share."

    def values(self) -> dict[str, Any]:
        """The arguments of ``invitations.create``."""
        sent = self.cleaned_data
        location = sent["location"].strip().strip("/")
        names = (name.strip() for name in sent.get("groups", "").split(","))
        return {
            "email": sent["email"].strip(),
            "location": location,
            "role": sent["role"] if location else "",
            "uses": sent["uses"],
            "expires_days": sent["days"],
            "groups": tuple(name for name in names if name),
        }


class JoinForm(PlainForm):
    """An account for somebody who was invited; ``email`` is given where the invitation is for one address, and
    ``passkey`` where they want that and no password."""

    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}))
    email = forms.CharField(max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "username"}))
    password = forms.CharField(
        strip=False,
        help_text="At least ten characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, email: str, passkey: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if passkey:
            del self.fields["password"]
        if email:
            self.fields["email"].initial = email
            self.fields["email"].disabled = True
