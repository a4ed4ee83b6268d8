"""How accounts are made and entered, where the library leaves that open.

Addresses in mail are those of ``BATON_BASE_URL``, never of the request: whoever asks for a link could otherwise
choose the host that it leads to.
"""

import base64
import hashlib
import logging
import time
from datetime import UTC, datetime
from smtplib import SMTPException
from typing import Any
from urllib.parse import quote, urlsplit

from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from workspace import access
from workspace.actor import Actor, Via
from workspace.errors import Gone, Unavailable
from workspace.services import audit, invitations
from workspace.web import errors

logger = logging.getLogger(__name__)

INVITATION = "invitation"
"""Session: the link of the invitation that somebody is about to take."""
ENTERED = "entered_at"
"""Session: when somebody came in by a link, in seconds; they may then set up a first way in without showing one."""
FRESH = 15 * 60
# What the library tells a person by mail, as the audit log calls it.
NOTICES = {
    "account/email/password_changed": "password.changed",
    "account/email/password_set": "password.set",
    "account/email/password_reset": "password.reset",
    "account/email/email_changed": "email.changed",
    "mfa/email/totp_activated": "mfa.added",
    "mfa/email/totp_deactivated": "mfa.removed",
    "mfa/email/webauthn_added": "mfa.added",
    "mfa/email/webauthn_removed": "mfa.removed",
    "mfa/email/recovery_codes_generated": "mfa.recovery_codes_made",
    "socialaccount/email/account_connected": "account.connected",
    "socialaccount/email/account_disconnected": "account.disconnected",
}


def address(name: str, *arguments: object) -> str:
    """The absolute address of a page, under the instance's own."""
    return settings.BATON_BASE_URL + reverse(name, args=arguments)


def entered(request: HttpRequest) -> None:
    """Notes that a link has let somebody in just now."""
    request.session[ENTERED] = time.time()


def leave(request: HttpRequest) -> None:
    """Signs out who is signed in, before another enters."""
    get_adapter().logout(request)


def _actor(person: Any) -> Actor:
    return access.person_actor(person, via=Via.WEB)


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is for those who are invited or made an account, unless ``BATON_SIGNUP`` opens it."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.BATON_SIGNUP == "open")

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        made = super().save_user(request, user, form, commit)
        if commit:
            audit.record(_actor(made), "person.signed_up", subject=made.email)
        return made

    def is_safe_url(self, url: str) -> bool:
        """Whether ``next`` may lead there: to this instance's pages, and to none under its other host names."""
        own = {urlsplit(settings.BATON_BASE_URL).netloc}
        return url_has_allowed_host_and_scheme(url, allowed_hosts=own, require_https=settings.BATON_HTTPS)

    # -- entering and leaving

    def login(self, request: HttpRequest, user: Any) -> None:
        steps = [record["method"] for record in get_authentication_records(request, user)]
        super().login(request, user)
        audit.record(_actor(user), "signin.ok", subject=user.email, data={"by": steps[-3:]})

    def logout(self, request: HttpRequest) -> None:
        if request.user.is_authenticated:
            audit.record(_actor(request.user), "signout", subject=request.user.email)
        super().logout(request)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        audit.denied(None, "signin.failed", code="UNAUTHENTICATED", subject=str(credentials.get("email", "")))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # The library's own holds the Host header, whose port anybody may choose: each would begin a count of its own.
        return str(credentials.get("email", "")).lower()

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not for the first way in of somebody whom a link has just let in: there is none that they could show."""
        user, entered = context.request.user, context.request.session.get(ENTERED, 0)
        if app == "allauth.mfa" and not user.has_usable_password() and time.time() - entered < FRESH:
            since = datetime.fromtimestamp(entered, UTC)
            return bool(user.authenticator_set.filter(created_at__lt=since).exists())
        return bool(super().is_reauthentication_required(app=app, **kwargs))

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Never the present one: an address that was not confirmed would take its place."""
        same = email_address.email.lower() == email_address.user.email.lower()
        return not same and bool(super().can_delete_email(email_address))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    # -- mail

    def get_reset_password_from_key_url(self, key: str) -> str:
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
        return settings.BATON_BASE_URL + path.replace("UID-KEY", quote(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return address("account_confirm_email", emailconfirmation.key)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Raises ``ImmediateHttpResponse`` with a page that says so where the mail server does not take it."""
        around = {**context, "email": email, "base": settings.BATON_BASE_URL}
        try:
            self.render_mail(template_prefix, email, around).send()
        except (OSError, SMTPException) as error:
            logger.exception("Mail %s could not be sent", template_prefix)
            refusal = Unavailable("The mail could not be sent. Try again later.", retry_after=60)
            raise ImmediateHttpResponse(errors.refused(self.request, refusal)) from error

    def send_notification_mail(
        self, template_prefix: str, user: Any, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tells a person what changed about their account, and the audit log too. Mail that fails is logged: what it
        tells of has happened."""
        if action := NOTICES.get(template_prefix):
            kind = template_prefix.rpartition("/")[2].partition("_")[0]
            audit.record(_actor(user), action, subject=user.email, data={"kind": kind} if "mfa" in action else {})
        try:
            super().send_notification_mail(template_prefix, user, context, email)
        except ImmediateHttpResponse:
            logger.warning("Nobody was told of %s", template_prefix)


class SocialAdapter(DefaultSocialAccountAdapter):
    """Other services' accounts: for people who are here already, for those who are invited, and for others only where
    ``BATON_…_SIGNUP`` lets them in."""

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        """Raises ``Http404`` for a service that is not configured, whose pages the library has all the same."""
        try:
            return super().get_app(request, provider, client_id)
        except ObjectDoesNotExist:
            raise Http404 from None

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        link = request.session.get(INVITATION, "")
        if link and invitations.admits(link, email=sociallogin.user.email):
            return True
        app = sociallogin.provider.app
        return bool(app is not None and app.settings.get("signup") == "open")

    def new_user(self, request: HttpRequest, sociallogin: Any) -> Any:
        user = super().new_user(request, sociallogin)
        # The library keeps the account in the session meanwhile, and cannot write a default of the database's.
        user.created_at = timezone.now()
        return user

    def authenticate_by_email(self, sociallogin: Any) -> tuple[Any, str] | None:
        """The person whose confirmed address the service has confirmed as well. An address that only one of the two
        has confirmed links nothing: either could belong to somebody else."""
        for claimed in sociallogin.email_addresses:
            if claimed.verified:
                found = EmailAddress.objects.select_related("user").filter(email__iexact=claimed.email, verified=True)
                if row := found.first():
                    return row.user, row.email
        return None

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        user = super().populate_user(request, sociallogin, data)
        parts = (data.get("first_name"), data.get("last_name"))
        name = data.get("name") or " ".join(part for part in parts if part) or data.get("username") or ""
        user.name = "".join(c for c in str(name) if c.isprintable()).strip()[:200]
        return user

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> Any:
        """Makes the account, with what an invitation brings, or neither."""
        link, email = request.session.pop(INVITATION, ""), sociallogin.user.email
        if not invitations.admits(link, email=form.cleaned_data["email"] if form else email):
            link = ""
        with transaction.atomic():
            user = super().save_user(request, sociallogin, form)
            if form is None:
                audit.record(_actor(user), "person.signed_up", subject=user.email)
            if link:
                try:
                    invitations.join(user, link=link)
                except Gone as refusal:
                    # Another took the last use meanwhile. Leaving the transaction by this undoes the account.
                    raise ImmediateHttpResponse(errors.refused(request, refusal)) from refusal
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> None:
        logger.warning("Signing in through %s failed: %s", provider, exception or error)
        audit.denied(None, "signin.failed", code="UNAUTHENTICATED", data={"by": str(provider)})

    def get_signup_form_initial_data(self, sociallogin: Any) -> dict[str, Any]:
        return {**super().get_signup_form_initial_data(sociallogin), "name": sociallogin.user.name}

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("socialaccount_connections")


class MFAAdapter(DefaultMFAAdapter):
    """Second steps and passkeys. Their secrets are encrypted with the instance's key, so that the database alone,
    or a backup of it, signs nobody in."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as error:
            logger.exception("A second step was made under another BATON_SECRET_KEY")
            refusal = Unavailable("Your second step cannot be read any more. Ask an administrator to turn it off.")
            raise ImmediateHttpResponse(errors.refused(self.request, refusal)) from error

    def generate_authenticator_name(self, user: Any, type: Any) -> str:
        if isinstance(user, AnonymousUser):
            return "Passkey"
        count = user.authenticator_set.filter(type=type).count()
        return f"Passkey {count + 1}" if count else "Passkey"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "Baton"}

    def get_public_key_credential_user_entity(self, user: Any) -> dict[str, Any]:
        return {**super().get_public_key_credential_user_entity(user), "display_name": user.label}


def _cipher() -> Fernet:
    key = hashlib.sha256(b"workspace.accounts.mfa:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
