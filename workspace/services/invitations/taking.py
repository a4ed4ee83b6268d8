"""Taking an invitation: what its link offers to whom, and what they are given."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role, Via
from workspace.errors import AlreadyExists, FieldError, Gone, Invalid, Refusal
from workspace.models import Invitation, Membership, Person
from workspace.services import audit, people, sharing
from workspace.services.invitations import links
from workspace.services.invitations.terms import givable, location_of, place_of, record, role_of

ENDED = "This invitation does not hold any more, or is not for you. Ask whoever sent it for another."


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
        confirmed = links.confirmed(row, link)
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
    taken = Invitation.objects.filter(token_hash=links.stored(link), accepted_by__contains=[person.pk]).first()
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
    row = rows.filter(token_hash=links.stored(link), revoked_at=None, expires_at__gt=timezone.now()).first()
    if row is None or len(row.accepted_by) >= row.uses or not row.invited_by.is_active:
        raise Gone(ENDED)
    inviter = access.person_actor(row.invited_by, via=Via.WEB)
    try:
        # Nobody gets by an old link what its sender may not give any more.
        givable(inviter, row)
    except Refusal:
        raise Gone(ENDED) from None
    if not inviter.admin and (not (row.folder_id or row.document_id) or row.groups.exists()):
        raise Gone(ENDED)
    return row, inviter


def _give(row: Invitation, inviter: Actor, person: Person) -> None:
    row.accepted_by = [*row.accepted_by, person.pk]
    row.save(update_fields=["accepted_by"])
    record(access.person_actor(person, via=Via.WEB), "invitation.accepted", row, email=person.email)
    place = place_of(inviter, row)
    # What they hold there already by more than this is not taken back by it.
    if place is not None and row.role and (sharing.given(place, person) or 0) < row.role:
        sharing.give(inviter, place, person, Role(row.role), invitation=row.pk)
    for group in row.groups.all():
        _, made = Membership.objects.get_or_create(group=group, person=person)
        if made:
            audit.record(inviter, "group.member_added", subject=group.subject, data={"person": person.email})


def _offered(row: Invitation, link: str) -> Offer:
    return Offer(
        id=row.pk,
        email=row.email,
        confirmed=links.confirmed(row, link),
        invited_by=row.invited_by.label,
        location=location_of(row),
        of="document" if row.document_id else "folder" if row.folder_id else "",
        role=role_of(row),
        groups=tuple(row.groups.order_by("name").values_list("name", flat=True)),
        expires_at=row.expires_at,
    )
