"""People: made, changed and let go by an administrator. Nobody is deleted, since history names them."""

from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from workspace.access import require_admin
from workspace.actor import Actor
from workspace.errors import FieldError, Forbidden, Invalid, NotFound
from workspace.models import Person, SignInLink
from workspace.services import audit

MAX_NAME = 200


def create(actor: Actor, *, email: str, name: str = "", password: str | None = None, admin: bool = False) -> Person:
    """A new person, who reads nothing until something is shared with them; an administrator sees everything.

    Without a password they cannot sign in by one. Raises ``Forbidden``, and ``Invalid`` naming each field.
    """
    require_admin(actor)
    email, name = email.strip().lower(), name.strip()
    check_new(email=email, name=name, password=password)
    make = Person.objects.create_superuser if admin else Person.objects.create_user
    try:
        with transaction.atomic():
            made = make(email, password, name=name)
            audit.record(actor, "person.created", subject=email, data={"admin": admin})
            return made
    except IntegrityError:
        # Two at once: both found the address free, and the database's own rule took one.
        raise Invalid("email", "is somebody's already. Choose another address.") from None


def update(
    actor: Actor, *, person: int, name: str | None = None, active: bool | None = None, admin: bool | None = None
) -> Person:
    """Changes what is given. Somebody deactivated is signed out everywhere and their agents are refused.

    Raises ``NotFound``, ``Forbidden``, ``Invalid``; the last active administrator stays one.
    """
    require_admin(actor)
    with transaction.atomic():
        found = _locked(person)
        was, before = found.is_superuser and found.is_active, (found.name, found.is_active, found.is_superuser)
        if name is not None:
            name = name.strip()
            if errors := _name_errors(name):
                raise Invalid(errors=errors)
            found.name = name
        if active is not None:
            found.is_active = active
        if admin is not None:
            found.is_superuser = found.is_staff = admin
        if was and not (found.is_superuser and found.is_active):
            _leave_another(found)
        found.save(update_fields=["name", "is_active", "is_superuser", "is_staff"])
        for action, changed, data in (
            ("person.renamed", found.name != before[0], {}),
            ("person.reactivated" if found.is_active else "person.deactivated", found.is_active != before[1], {}),
            ("person.admin_changed", found.is_superuser != before[2], {"admin": found.is_superuser}),
        ):
            if changed:
                audit.record(actor, action, subject=found.email, data=data)
        if not found.is_active:
            # Their sessions are refused already; this keeps them from coming back to life with the account.
            end_sessions(found)
            _end_links(found)
        return found


def rename(actor: Actor, *, name: str) -> None:
    """Gives oneself another name. Raises ``Forbidden``, ``Invalid``."""
    if actor.agent or actor.person is None:
        raise Forbidden("Only a person has a name of their own to change.")
    name = name.strip()
    if not name:
        raise Invalid("name", "is empty. Enter the name that others see.")
    if errors := _name_errors(name):
        raise Invalid(errors=errors)
    with transaction.atomic():
        found = _locked(actor.person)
        if found.name != name:
            found.name = name
            found.save(update_fields=["name"])
            audit.record(actor, "person.renamed", subject=found.email)


def sign_out(actor: Actor, *, person: int) -> None:
    """Ends every session of somebody, in all their browsers, and the sign-in links that were made for them.

    Raises ``NotFound``, ``Forbidden``.
    """
    require_admin(actor)
    with transaction.atomic():
        found = _locked(person)
        end_sessions(found)
        _end_links(found)
        audit.record(actor, "person.signed_out", subject=found.email)


def reset_second_steps(actor: Actor, *, person: int) -> None:
    """Turns off what somebody has lost: their passkeys, their authenticator app and its recovery codes.

    Whoever holds their password enters with that alone until they set up another. Raises ``NotFound``, ``Forbidden``.
    """
    require_admin(actor)
    with transaction.atomic():
        found = _locked(person)
        count, _ = found.authenticator_set.all().delete()
        end_sessions(found)
        audit.record(actor, "mfa.reset", subject=found.email, data={"count": count})


def end_sessions(person: Person) -> None:
    """Ends every browser session of ``person``, inside the caller's transaction."""
    Session.objects.filter(session_key__in=person.usersession_set.values("session_key")).delete()
    person.usersession_set.all().delete()


def _end_links(person: Person) -> None:
    """Whoever is kept out must not come in by a link that lies in some mailbox."""
    SignInLink.objects.filter(person=person, used_at=None).delete()


def set_password(actor: Actor, *, person: int, password: str | None) -> Person:
    """Gives somebody a new password, or with None takes the one they have; their sessions and sign-in links end.

    Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    require_admin(actor)
    with transaction.atomic():
        found = _locked(person)
        if password is not None and (errors := _password_errors(password, found)):
            raise Invalid(errors=errors)
        found.set_password(password)
        found.save(update_fields=["password"])
        _end_links(found)
        audit.record(actor, "password.set", subject=found.email, data={"taken": True} if password is None else {})
        return found


def check_new(*, email: str, name: str, password: str | None) -> None:
    """Whether a person may be made of these; without a password none is checked. Raises ``Invalid``."""
    errors = [*_email_errors(email), *_name_errors(name)]
    if password is not None:
        errors += _password_errors(password, Person(email=email, name=name))
    if errors:
        raise Invalid(errors=errors)


def _locked(person: int) -> Person:
    found = Person.objects.select_for_update(no_key=True).filter(pk=person).first()
    if found is None:
        raise NotFound
    return found


def _leave_another(leaving: Person) -> None:
    # Locked in one order, so that two administrators who demote each other at once do not both succeed.
    admins = Person.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
    if not [pk for pk in admins.values_list("pk", flat=True) if pk != leaving.pk]:
        raise Forbidden("This is the last administrator. Make somebody else one first.")


def _email_errors(email: str) -> list[FieldError]:
    try:
        validate_email(email)
    except ValidationError:
        return [FieldError(field="email", message="must be an email address, such as ann@example.org.")]
    if len(email) > 254:
        return [FieldError(field="email", message="has more than 254 characters.")]
    if Person.objects.filter(email__iexact=email).exists():
        return [FieldError(field="email", message="is somebody's already. Choose another address.")]
    return []


def _name_errors(name: str) -> list[FieldError]:
    if len(name) > MAX_NAME or (name and not name.isprintable()):
        return [FieldError(field="name", message="has at most 200 characters, all printable.")]
    return []


def _password_errors(password: str, person: Person) -> list[FieldError]:
    try:
        validate_password(password, person)
    except ValidationError as error:
        return [FieldError(field="password", message=text) for text in error.messages]
    return []
