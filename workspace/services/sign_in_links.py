"""One-time links by which an administrator lets somebody in who has lost every other way."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from workspace import access
from workspace.access import require_admin
from workspace.actor import Actor, Via
from workspace.errors import Gone, Invalid, NotFound
from workspace.models import Person, SignInLink
from workspace.services import audit
from workspace.services.tokens import digest

LIFETIME = timedelta(hours=24)
ENDED = "This link was used or has expired. Ask an administrator for another."


def make(actor: Actor, *, person: int) -> str:
    """The token of a link that signs ``person`` in once within 24 hours; their earlier ones stop working.

    A second step that they have set up is still asked for. Raises ``Forbidden``, ``NotFound``, ``Invalid``.
    """
    require_admin(actor)
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        holder = Person.objects.select_for_update(no_key=True).filter(pk=person).first()
        if holder is None:
            raise NotFound
        if not holder.is_active:
            raise Invalid("person", "is deactivated. Let them back in first.")
        SignInLink.objects.filter(person=holder, used_at=None).delete()
        SignInLink.objects.create(token_hash=digest(token), person=holder, expires_at=timezone.now() + LIFETIME)
        audit.record(actor, "signin.link_made", subject=holder.email)
    return token


def holder(token: str) -> Person:
    """Whom ``redeem`` would sign in with this token now. Raises ``Gone``."""
    link = _open().filter(token_hash=digest(token)).first()
    if link is None or link.person is None:
        raise Gone(ENDED)
    return link.person


def redeem(token: str) -> Person:
    """Uses the link up and returns whom it signs in. Raises ``Gone``."""
    with transaction.atomic():
        # The lock makes two browsers with one link take turns; the second finds it used.
        link = _open().select_for_update(of=("self",)).filter(token_hash=digest(token)).first()
        if link is None or link.person is None:
            raise Gone(ENDED)
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        audit.record(access.person_actor(link.person, via=Via.WEB), "signin.link_used", subject=link.person.email)
        return link.person


def _open() -> QuerySet[SignInLink]:
    return SignInLink.objects.select_related("person").filter(
        person__is_active=True, used_at=None, expires_at__gt=timezone.now()
    )
