"""The first sign-in: a one-time link that makes the administrator of a new workspace."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Via
from workspace.errors import Gone, Invalid
from workspace.models import Person, SignInLink
from workspace.services import audit, people
from workspace.services.tokens import digest

LIFETIME = timedelta(hours=24)


def make_link() -> str:
    """The token of a fresh link, good once within 24 hours; earlier unused ones stop working."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        SignInLink.objects.filter(person=None, used_at=None).delete()
        SignInLink.objects.create(token_hash=digest(token), expires_at=timezone.now() + LIFETIME)
        audit.record(Actor.for_job("welcome", scopes=()), "signin.link_made", subject="the first administrator")
    return token


def is_open(token: str) -> bool:
    """Whether `redeem` would take this token now."""
    return not Person.objects.exists() and _open().filter(token_hash=digest(token)).exists()


def redeem(token: str, *, email: str, name: str, password: str) -> Person:
    """Makes the administrator and uses the link up. Raises Gone for a link that is not good any more, and
    Invalid, which leaves it good, for what a person has to mend."""
    with transaction.atomic():
        # The lock makes two browsers with one link take turns; the second finds it used.
        link = _open().select_for_update().filter(token_hash=digest(token)).first()
        if link is None or Person.objects.exists():
            raise Gone("This link was used or has expired. Start Baton again for a new one, or sign in.")
        email, name = email.strip(), name.strip()
        if not name:
            raise Invalid("name", "is empty. Enter the name that others see.")
        people.check_new(email=email, name=name, password=password)
        person = Person.objects.create_superuser(email, password, name=name)
        link.person = person
        link.used_at = timezone.now()
        link.save(update_fields=["person", "used_at"])
        actor = access.person_actor(person, via=Via.WEB)
        audit.record(actor, "person.created", subject=email, data={"admin": True, "by": "the first link"})
        return person


def _open() -> QuerySet[SignInLink]:
    return SignInLink.objects.filter(person=None, used_at=None, expires_at__gt=timezone.now())
