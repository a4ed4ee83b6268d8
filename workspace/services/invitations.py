"""Invitations: who may let whom in, as what, and what becomes of the link.

A link is a secret, of which only the hash is stored. The one that is mailed holds a proof besides, which nobody but
the reader of that mailbox sees: it confirms the address, as the link that the inviter is shown does not.
"""

import hashlib
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from workspace import access
from workspace.actor import Actor, Role, Via
from workspace.errors import AlreadyExists, FieldError, Forbidden, Gone, Invalid, NotFound, RateLimited, Refusal
from workspace.models import Document, Folder, Grant, Group, Invitation, Membership, Person, ReceiptKind
from workspace.services import audit, people, receipts

logger = logging.getLogger(__name__)

MOST_USES = 100
MOST_DAYS = 90
MOST_A_DAY = 50
"""Invitations of one person who is no administrator: each is a mail to somebody who did not ask for it."""
ENDED = "This invitation does not hold any more, or is not for you. Ask whoever sent it for another."


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


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What the holder of a link is offered. ``confirmed`` says that the link proves that ``email`` is theirs."""

    id: str
    email: str
    confirmed: bool
    invited_by: str
    location: str
    of: str
    role: str
    groups: tuple[str, ...]
    expires_at: datetime


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
        place = _givable(actor, access.place(actor, location=location), _role(role)) if location else None
        _room(actor, inviter)
        made = Invitation.objects.create(
            token_hash=_digest(token),
            email=email,
            invited_by_id=inviter,
            role=_role(role) if place else None,
            uses=uses,
            expires_at=timezone.now() + timedelta(days=expires_days),
            **(access.scope_of(place) if place else {}),
        )
        made.groups.set(_groups(actor, groups))
        _record(actor, "invitation.created", made, groups=sorted(groups), uses=uses)
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
        row.token_hash = _digest(token)
        row.expires_at = max(row.expires_at, timezone.now() + timedelta(days=7))
        row.save(update_fields=["token_hash", "expires_at"])
        _record(actor, "invitation.renewed", row)
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
            _record(actor, "invitation.revoked", row)


def offer(link: str) -> Offer:
    """What ``link`` offers. Raises ``Gone``, in the same words whatever the reason."""
    row, _ = _open(link)
    return _offered(row, link)


def sign_up(link: str, *, email: str, name: str, password: str | None) -> Person:
    """Makes an account for the holder of ``link`` and gives it what was offered.

    Without a password only where the link confirms the address: there is no other way in. Raises ``Gone``, ``Invalid``
    for what has to be mended, and ``AlreadyExists`` where somebody has the address, which is not to be told apart
    from success on a page; neither uses the link up.
    """
    with transaction.atomic(durable=True):
        row, inviter = _open(link, lock=True)
        confirmed = _confirmed(row, link)
        email, name = (row.email or email).strip().lower(), name.strip()
        errors = [] if name else [FieldError(field="name", message="is empty. Enter the name that others see.")]
        if password is None and not confirmed:
            errors.append(FieldError(field="password", message="is empty. Enter at least ten characters."))
        taken = Person.objects.filter(email__iexact=email).exists()
        try:
            # The address is checked for its form alone: whether it is taken is no answer to a stranger.
            people.check_new(email=email, name=name, password=password)
        except Invalid as refusal:
            errors += [error for error in refusal.errors if error.field != "email" or not taken]
        if errors:
            raise Invalid(errors=errors)
        try:
            with transaction.atomic():
                if taken:
                    make_password(password)  # takes as long as making one
                    raise IntegrityError
                person = Person.objects.create_user(email, password, name=name, verified=confirmed)
        except IntegrityError:
            raise AlreadyExists("Somebody has an account with this address.", location=email) from None
        audit.record(access.person_actor(person, via=Via.WEB), "person.signed_up", subject=email)
        _give(row, inviter, person)
        return person


def accept(actor: Actor, *, link: str) -> Offer:
    """Gives somebody who has an account what ``link`` offers; a second time changes nothing.

    Raises ``Gone``, also where it is for another address.
    """
    if actor.agent or actor.person is None:
        raise Gone(ENDED)
    with transaction.atomic(durable=True):
        return join(Person.objects.get(pk=actor.person), link=link)


def join(person: Person, *, link: str) -> Offer:
    """As ``accept``, for an account that is being made, inside the caller's transaction."""
    digest = _digest(link.partition(".")[0])
    taken = Invitation.objects.filter(token_hash=digest, accepted_by__contains=[person.pk]).first()
    if taken is not None:
        return _offered(taken, link)
    row, inviter = _open(link, lock=True)
    if row.email and row.email.lower() != person.email.lower():
        raise Gone(ENDED)
    _give(row, inviter, person)
    return _offered(row, link)


def admits(link: str, *, email: str) -> bool:
    """Whether an account with ``email`` may be made by ``link`` now."""
    try:
        row, _ = _open(link)
    except Gone:
        return False
    return not row.email or row.email.lower() == email.strip().lower()


def _open(link: str, *, lock: bool = False) -> tuple[Invitation, Actor]:
    """The invitation of ``link`` and its inviter, if it holds now. ``lock`` makes takers of one link take turns."""
    rows = Invitation.objects.select_related("invited_by")
    if lock:
        rows = rows.select_for_update(of=("self",))
    row = rows.filter(
        token_hash=_digest(link.partition(".")[0]), revoked_at=None, expires_at__gt=timezone.now()
    ).first()
    if row is None or len(row.accepted_by) >= row.uses or not row.invited_by.is_active:
        raise Gone(ENDED)
    inviter = access.person_actor(row.invited_by, via=Via.WEB)
    try:
        # Nobody gets by an old link what its sender may not give any more.
        if (place := _place(inviter, row)) is not None:
            _givable(inviter, place, Role(row.role or Role.VIEWER))
    except Refusal:
        raise Gone(ENDED) from None
    if not inviter.admin and row.groups.exists():
        raise Gone(ENDED)
    return row, inviter


def _give(row: Invitation, inviter: Actor, person: Person) -> None:
    row.accepted_by = [*row.accepted_by, person.pk]
    row.save(update_fields=["accepted_by"])
    _record(access.person_actor(person, via=Via.WEB), "invitation.accepted", row, email=person.email)
    place = _place(inviter, row)
    if place is not None and row.role:
        held = Grant.objects.filter(**access.scope_of(place), person=person).first()
        if held is None or held.role < row.role:
            Grant.objects.update_or_create(
                **access.scope_of(place),
                person=person,
                defaults={"role": row.role},
                create_defaults={"role": row.role, "created_by_id": inviter.person},
            )
            told = {"subject": person.email, "role": Role(row.role).label, "invitation": row.pk}
            where: dict[str, Any] = access.scope_of(place)
            if isinstance(place, Document):
                where["folder"] = place.folder
            receipts.record(inviter, ReceiptKind.GRANTED, **where, data=told)
            audit.record(inviter, "grant.given", **where, subject=person.email, data=told)
    for group in row.groups.all():
        _, made = Membership.objects.get_or_create(group=group, person=person)
        if made:
            audit.record(inviter, "group.member_added", subject=f"group:{group.name}", data={"person": person.email})


def _offered(row: Invitation, link: str) -> Offer:
    return Offer(
        id=row.pk,
        email=row.email,
        confirmed=_confirmed(row, link),
        invited_by=row.invited_by.label,
        location=location_of(row),
        of="document" if row.document_id else "folder" if row.folder_id else "",
        role=Role(row.role).label if row.role else "",
        groups=tuple(row.groups.order_by("name").values_list("name", flat=True)),
        expires_at=row.expires_at,
    )


def location_of(row: Invitation) -> str:
    """Where the place of an invitation is now; "" without one."""
    if row.document is not None:
        return access.location_of(row.document)
    return row.folder.path if row.folder is not None else ""


def _place(actor: Actor, row: Invitation) -> Folder | Document | None:
    """The place of an invitation as its inviter sees it now; raises as ``access.place``."""
    if row.document_id:
        return access.document(actor, id=row.document_id)
    return access.folder(actor, id=row.folder_id) if row.folder_id else None


def _givable(actor: Actor, place: Folder | Document, role: Role) -> Folder | Document:
    """``place``, where ``actor`` may give ``role`` there; the rules of ``sharing.grant``."""
    what = "folder" if isinstance(place, Folder) else "document"
    if not access.abilities(place.role, shares=place.shares).share:
        raise Forbidden(f"You may not share this {what}.", need=Role.MANAGER.label)
    if role is Role.MANAGER and place.role < Role.MANAGER:
        raise Forbidden("Only a manager makes or unmakes a manager.", need=Role.MANAGER.label)
    return place


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


def _role(role: str) -> Role:
    return Role.named(role) or Role.VIEWER


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
        place = (row and _place(actor, row)) or access.folder(actor, id=0) if managers else None
    except Refusal:
        raise NotFound from None
    if row is None or place is None or place.role < Role.MANAGER:
        raise NotFound
    return row


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _proof(token: str) -> str:
    return salted_hmac("workspace.invitations.mailed", token, algorithm="sha256").hexdigest()[:32]


def _confirmed(row: Invitation, link: str) -> bool:
    """Whether the holder of ``link`` has shown that the invitation's address is theirs, or an administrator has."""
    token, _, proof = link.partition(".")
    return bool(row.email) and (row.invited_by.is_superuser or constant_time_compare(proof, _proof(token)))


def _record(actor: Actor, action: str, row: Invitation, *, email: str = "", **data: Any) -> None:
    told = {"invitation": row.pk, **({"role": Role(row.role).label} if row.role else {}), **data}
    where = {"folder": row.document.folder_id, "document": row.document} if row.document else {"folder": row.folder}
    audit.record(actor, action, **where, subject=email or row.email or "link", data=told)


def _sent(row: Invitation, token: str) -> Invited:
    address = settings.BATON_BASE_URL + reverse("invitation", args=[token])
    return Invited(
        id=row.pk,
        url=address,
        email=row.email,
        location=location_of(row),
        role=Role(row.role).label if row.role else "",
        uses=row.uses,
        expires_at=row.expires_at,
        mailed=bool(row.email) and _mailed(row, f"{address}.{_proof(token)}"),
    )


def _mailed(row: Invitation, address: str) -> bool:
    """Mails an invitation; the outcome is told and not raised, since the link can be handed over otherwise."""
    inviter = row.invited_by
    context = {
        "invited_by": inviter.label,
        "inviter_email": inviter.email,
        "location": location_of(row),
        "role": Role(row.role).label if row.role else "",
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
