"""Sending invitations: who may let whom in, as what, and the mail that says so."""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import FieldError, Forbidden, Gone, Invalid, NotFound, RateLimited, Refusal
from workspace.models import Group, Invitation, Person
from workspace.services import sharing
from workspace.services.invitations import links
from workspace.services.invitations.terms import location_of, place_of, record, role_of
from workspace.services.tokens import digest

logger = logging.getLogger(__name__)

MOST_USES = 100
MOST_DAYS = 90
MOST_A_DAY = 50
"""Invitations of one person who is no administrator: each is a mail to somebody who did not ask for it."""


@dataclass(frozen=True, kw_only=True)
class Invited:
    """An invitation with its link, which is shown this once. ``mailed`` says whether the mail server took it."""

    id: str
    url: str
    email: str
    location: str
    role: str
    uses: int
    expires_at: datetime
    mailed: bool


def create(
    actor: Actor,
    *,
    email: str = "",
    location: str = "",
    role: str = "",
    groups: Sequence[str] = (),
    uses: int = 1,
    expires_days: int = 7,
) -> Invited:
    """A new invitation: with ``email`` for that address, once, and mailed to it; without, a link for ``uses`` people.

    Whoever takes it is given ``role`` at ``location`` and is put into ``groups``. An administrator may invite with
    any of these or none; everybody else to a place that they may share, up to what they may grant there, and into no
    group. Mail is sent after the commit. Raises ``NotFound``, ``Forbidden``, ``Invalid``, ``RateLimited``.
    """
    inviter, email = _inviter(actor), email.strip().lower()
    _check(email=email, location=location, role=role, uses=uses, expires_days=expires_days)
    if not actor.admin and not location:
        raise Forbidden("Only an administrator invites without a place. Name one that you may share.", need="editor")
    token = secrets.token_urlsafe(32)
    with transaction.atomic(durable=True):
        place = access.place(actor, location=location, need=Role.EDITOR) if location else None
        given = sharing.parse_role(role) if place else None
        if place and given:
            sharing.check_giving(place, given)
        _room(actor, inviter)
        made = Invitation.objects.create(
            token_hash=digest(token),
            email=email,
            invited_by_id=inviter,
            role=given,
            uses=uses,
            expires_at=timezone.now() + timedelta(days=expires_days),
            **(access.scope_of(place) if place else {}),
        )
        made.groups.set(_groups(actor, groups))
        record(actor, "invitation.created", made, groups=sorted(groups), uses=uses)
    return _sent(made, token)


def renew(actor: Actor, *, invitation: str) -> Invited:
    """A new link for an open or expired invitation, good for a week; the earlier link stops working.

    For whoever sent it, and for administrators. Raises ``NotFound``, ``Forbidden``, ``Gone``.
    """
    token = secrets.token_urlsafe(32)
    with transaction.atomic(durable=True):
        row = _own(actor, invitation)
        if row.revoked_at or len(row.accepted_by) >= row.uses:
            raise Gone("This invitation was revoked or is used up. Make another.")
        row.token_hash = digest(token)
        row.expires_at = max(row.expires_at, timezone.now() + timedelta(days=7))
        row.save(update_fields=["token_hash", "expires_at"])
        record(actor, "invitation.renewed", row)
    return _sent(row, token)


def revoke(actor: Actor, *, invitation: str) -> None:
    """Ends an invitation; who took it stays. Again is harmless.

    For whoever sent it, managers of its place and administrators. Raises ``NotFound``, ``Forbidden``.
    """
    with transaction.atomic(durable=True):
        row = _own(actor, invitation, managers=True)
        if row.revoked_at is None:
            row.revoked_at = timezone.now()
            row.save(update_fields=["revoked_at"])
            record(actor, "invitation.revoked", row)


def _check(*, email: str, location: str, role: str, uses: int, expires_days: int) -> None:
    errors = []
    if email:
        try:
            validate_email(email)
        except ValidationError:
            errors.append(FieldError(field="email", message="must be an email address, such as ann@example.org."))
        if len(email) > 254:
            errors.append(FieldError(field="email", message="has more than 254 characters."))
        if uses != 1:
            errors.append(FieldError(field="uses", message="is 1 for an invitation to one address."))
        if not errors and Person.objects.filter(email__iexact=email).exists():
            errors.append(FieldError(field="email", message="is somebody's who has an account here. Share with them."))
    if not 1 <= uses <= MOST_USES:
        errors.append(FieldError(field="uses", message=f"must be 1 to {MOST_USES}."))
    if not 1 <= expires_days <= MOST_DAYS:
        errors.append(FieldError(field="expires_days", message=f"must be 1 to {MOST_DAYS}."))
    if location and not Role.named(role):
        errors.append(FieldError(field="role", message="must be viewer, editor or manager."))
    if role and not location:
        errors.append(FieldError(field="location", message="is empty. Name the place that the role is for."))
    if errors:
        raise Invalid(errors=errors)


def _groups(actor: Actor, names: Sequence[str]) -> list[Group]:
    if names and not actor.admin:
        raise Forbidden("Only an administrator puts people into groups.", need="administrator")
    found = list(Group.objects.filter(name__in=names))
    if len(found) != len(set(names)):
        raise Invalid("groups", "names no group. Check its name.")
    return found


def _room(actor: Actor, inviter: int) -> None:
    """Keeps a member from sending mail to the world."""
    if actor.admin:
        return
    # The lock makes requests at one moment count each other.
    Person.objects.select_for_update(no_key=True).get(pk=inviter)
    day = timezone.now() - timedelta(days=1)
    if Invitation.objects.filter(invited_by=inviter, created_at__gt=day).count() >= MOST_A_DAY:
        raise RateLimited(retry_after=24 * 3600)


def _inviter(actor: Actor) -> int:
    if actor.agent or actor.person is None:
        raise Forbidden("Only a person invites people. Ask yours to do it.", need="a person")
    return actor.person


def _own(actor: Actor, invitation: str, *, managers: bool = False) -> Invitation:
    person = _inviter(actor)
    row = Invitation.objects.select_for_update(of=("self",)).select_related("invited_by").filter(pk=invitation).first()
    if row is not None and (actor.admin or row.invited_by_id == person):
        return row
    try:
        # Another's takes as many queries as one that never was, and as one to no place.
        place = (row and place_of(actor, row)) or access.folder(actor, id=0) if managers else None
    except Refusal:
        raise NotFound from None
    if row is None or place is None or place.role < Role.MANAGER:
        raise NotFound
    return row


def _sent(row: Invitation, token: str) -> Invited:
    return Invited(
        id=row.pk,
        url=links.address(token),
        email=row.email,
        location=location_of(row),
        role=role_of(row),
        uses=row.uses,
        expires_at=row.expires_at,
        mailed=bool(row.email) and _mailed(row, links.mailed(token)),
    )


def _mailed(row: Invitation, address: str) -> bool:
    """Mails an invitation; the outcome is told and not raised, since the link can be handed over otherwise."""
    inviter = row.invited_by
    context = {
        "invited_by": inviter.label,
        "inviter_email": inviter.email,
        "location": location_of(row),
        "role": role_of(row),
        "url": address,
        "base": settings.BATON_BASE_URL,
        "expires_at": row.expires_at,
    }
    subject = " ".join(render_to_string("invitation/email/subject.txt", context).split())
    body = render_to_string("invitation/email/message.txt", context).strip()
    try:
        EmailMessage(subject, body, to=[row.email]).send()
    except (OSError, SMTPException):
        logger.exception("The invitation %s could not be mailed", row.pk)
        return False
    return True
