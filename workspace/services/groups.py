"""Groups of people; a grant to a group is a grant to whoever is in it."""

from django.db import IntegrityError, transaction

from workspace import locations
from workspace.actor import Actor
from workspace.errors import AlreadyExists, NotFound
from workspace.models import Group, Membership, Person
from workspace.services.people import require_admin


def create(actor: Actor, *, name: str) -> Group:
    """An empty group. Raises ``Forbidden``, ``Invalid``, ``AlreadyExists``."""
    require_admin(actor)
    name = locations.clean_name(name)
    try:
        with transaction.atomic():
            return Group.objects.create(name=name)
    except IntegrityError:
        raise AlreadyExists("There is a group of this name.", location=f"group:{name}") from None


def rename(actor: Actor, *, group: int, name: str) -> None:
    """Raises ``Forbidden``, ``NotFound``, ``Invalid``, ``AlreadyExists``."""
    require_admin(actor)
    name = locations.clean_name(name)
    try:
        with transaction.atomic():
            changed = Group.objects.filter(pk=group).update(name=name)
    except IntegrityError:
        raise AlreadyExists("There is a group of this name.", location=f"group:{name}") from None
    if not changed:
        raise NotFound


def add(actor: Actor, *, group: int, person: int) -> None:
    """Puts somebody into a group; doing it again changes nothing. Raises ``Forbidden``, ``NotFound``."""
    require_admin(actor)
    with transaction.atomic():
        if not (Group.objects.filter(pk=group).exists() and Person.objects.filter(pk=person).exists()):
            raise NotFound
        Membership.objects.bulk_create([Membership(group_id=group, person_id=person)], ignore_conflicts=True)


def remove(actor: Actor, *, group: int, person: int) -> None:
    """Takes somebody out of a group. Raises ``Forbidden``, ``NotFound``."""
    require_admin(actor)
    if not Membership.objects.filter(group=group, person=person).delete()[0]:
        raise NotFound


def delete(actor: Actor, *, group: int) -> None:
    """Deletes a group with its grants. Raises ``Forbidden``, ``NotFound``."""
    require_admin(actor)
    if not Group.objects.filter(pk=group).delete()[0]:
        raise NotFound
