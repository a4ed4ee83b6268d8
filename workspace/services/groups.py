"""Groups of people and of groups; a grant to a group is a grant to whoever is in it, through however many others.

Administrators alone change groups. Each change takes one lock, so that two of them cannot close a circle together,
nor take a place's last two managers from it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import IntegrityError, connection, transaction

from workspace import locations
from workspace.access import require_admin
from workspace.actor import Actor, Role
from workspace.errors import AlreadyExists, Forbidden, Invalid, NotFound
from workspace.models import Grant, Group, Membership, Nesting, Person
from workspace.models.people import GROUP
from workspace.queries import holders
from workspace.services import audit

LOCK = 0x67726F757073  # "groups"
TOLD = 10


def lock() -> None:
    """Wait until nobody else changes who is in which group, or takes a manager away; to the transaction's end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def create(actor: Actor, *, name: str) -> Group:
    """An empty group. Raises ``Forbidden``, ``Invalid``, ``AlreadyExists``."""
    require_admin(actor)
    name = _name(name)
    try:
        with transaction.atomic():
            made = Group.objects.create(name=name)
            audit.record(actor, "group.created", subject=_called(name))
            return made
    except IntegrityError:
        raise AlreadyExists("There is a group of this name.", location=_called(name)) from None


def rename(actor: Actor, *, group: int, name: str) -> None:
    """Raises ``Forbidden``, ``NotFound``, ``Invalid``, ``AlreadyExists``."""
    require_admin(actor)
    name = _name(name)
    try:
        with transaction.atomic():
            found = _locked(group)
            before, found.name = found.name, name
            if before == name:
                return
            found.save(update_fields=["name"])
            audit.record(actor, "group.renamed", subject=_called(name), data={"before": before})
    except IntegrityError:
        raise AlreadyExists("There is a group of this name.", location=_called(name)) from None


def _name(name: str) -> str:
    """A name for a group, as a folder's, of characters that show: one that hides some could pass for another."""
    clean = locations.clean_name(name)
    if not clean.isprintable():
        raise Invalid("location", "must be of printable characters.")
    return clean


def add(actor: Actor, *, group: int, person: int) -> None:
    """Puts somebody into a group; doing it again changes nothing. Raises ``Forbidden``, ``NotFound``."""
    require_admin(actor)
    with transaction.atomic():
        found, member = _locked(group), Person.objects.filter(pk=person).first()
        if member is None:
            raise NotFound
        _, made = Membership.objects.get_or_create(group=found, person=member)
        if made:
            audit.record(actor, "group.member_added", subject=_called(found.name), data={"person": member.email})


def remove(actor: Actor, *, group: int, person: int) -> None:
    """Takes somebody out of a group. Raises ``NotFound``, and ``Forbidden`` also where a place would be left without
    a manager by it."""
    require_admin(actor)
    with transaction.atomic():
        found = _locked(group)
        held = Membership.objects.filter(group=found, person=person).select_related("person").first()
        if held is None:
            raise NotFound
        with _keeping_managers([found.pk]):
            held.delete()
        audit.record(actor, "group.member_removed", subject=_called(found.name), data={"person": held.person.email})


def nest(actor: Actor, *, group: int, inner: int) -> None:
    """Makes the group ``inner`` a part of ``group``; doing it again changes nothing.

    Raises ``Forbidden``, ``NotFound``, and ``Invalid`` naming the chain where ``group`` is in ``inner`` already.
    """
    require_admin(actor)
    with transaction.atomic():
        outer, part = _locked(group), _locked(inner)
        if outer.pk == part.pk:
            raise Invalid("inner", f"is the group itself: {outer.name} cannot be in {outer.name}.")
        if chain := _chain(outer.pk, part.pk):
            raise Invalid("inner", f"would close a circle: {' is in '.join([*chain, chain[0]])}.")
        _, made = Nesting.objects.get_or_create(outer=outer, inner=part)
        if made:
            audit.record(actor, "group.nested", subject=_called(outer.name), data={"inner": part.name})


def unnest(actor: Actor, *, group: int, inner: int) -> None:
    """Takes the group ``inner`` out of ``group``. Raises as ``remove``."""
    require_admin(actor)
    with transaction.atomic():
        outer = _locked(group)
        held = Nesting.objects.filter(outer=outer, inner=inner).select_related("inner").first()
        if held is None:
            raise NotFound
        with _keeping_managers([outer.pk]):
            held.delete()
        audit.record(actor, "group.unnested", subject=_called(outer.name), data={"inner": held.inner.name})


def delete(actor: Actor, *, group: int) -> None:
    """Deletes a group with its grants; what was in it is no longer in those that it was in. Raises as ``remove``."""
    require_admin(actor)
    with transaction.atomic():
        found = _locked(group)
        with _keeping_managers([found.pk]):
            found.delete()
        audit.record(actor, "group.deleted", subject=_called(found.name))


def _called(name: str) -> str:
    return f"{GROUP}{name}"


def _locked(group: int) -> Group:
    lock()
    found = Group.objects.filter(pk=group).first()
    if found is None:
        raise NotFound
    return found


def _chain(inner: int, outer: int) -> list[str]:
    """Names on a shortest way from ``inner`` to ``outer``, of which it is a part; empty where it is not."""
    way = holders.chains([inner], holders.nestings_above([inner])).get(outer, ())
    named = Group.objects.in_bulk(way)
    return [named[pk].name for pk in reversed(way)]


@contextmanager
def _keeping_managers(touched: Sequence[int]) -> Iterator[None]:
    """``Forbidden``, with everything undone, when the change inside leaves a place without an active manager.

    ``touched`` are the groups whose people become fewer; those that they are in lose them as well.
    """
    above = {outer for outers in holders.nestings_above(touched).values() for outer in outers}
    held = Grant.objects.filter(role=Role.MANAGER, group__in=[*touched, *above]).values_list("folder", "document")
    folders, documents = [f for f, _ in held if f], [d for _, d in held if d]
    before = set(holders.unmanaged(folders, documents)) if held else set()
    yield
    if left := [place for place in holders.unmanaged(folders, documents) if place not in before] if held else []:
        more = f" and {len(left) - TOLD} more" if len(left) > TOLD else ""
        raise Forbidden(
            f"This would leave nobody to manage {', '.join(left[:TOLD])}{more}. Make somebody manager there first.",
            need="another manager",
        )
