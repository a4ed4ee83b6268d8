"""All people of the instance, for administrators."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from workspace.access import require_admin
from workspace.actor import Actor
from workspace.errors import Invalid, NotFound
from workspace.models import Person
from workspace.queries import pages
from workspace.queries.pages import Page

SEEN_BY = "Only an administrator sees everybody."
STATES = ("active", "deactivated")


@dataclass(frozen=True, kw_only=True)
class MemberRow:
    """A person with an account. ``confirmed`` says that their address is known to be theirs."""

    id: int
    email: str
    label: str
    admin: bool
    active: bool
    confirmed: bool
    groups: tuple[str, ...]
    last_login: datetime | None
    created_at: datetime


def listing(
    actor: Actor, *, q: str = "", state: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[MemberRow]:
    """Everybody, by address; ``q`` is a part of an address or name. Raises ``Forbidden``, ``Invalid``."""
    require_admin(actor, SEEN_BY)
    rows = Person.objects.prefetch_related("teams", "emailaddress_set")
    if q:
        rows = rows.filter(Q(email__icontains=q) | Q(name__icontains=q))
    if state is not None:
        if state not in STATES:
            raise Invalid("state", f"must be one of: {', '.join(STATES)}.")
        rows = rows.filter(is_active=state == "active")
    return pages.page(actor, rows, _row, listing=f"members:{q}:{state}", order=("email",), limit=limit, cursor=cursor)


def read(actor: Actor, *, person: int) -> MemberRow:
    """One of them. Raises ``Forbidden``, ``NotFound``."""
    require_admin(actor, SEEN_BY)
    found = Person.objects.filter(pk=person).first()
    if found is None:
        raise NotFound
    return _row(found)


def _row(person: Person) -> MemberRow:
    return MemberRow(
        id=person.pk,
        email=person.email,
        label=person.label,
        admin=person.is_superuser,
        active=person.is_active,
        confirmed=any(a.verified and a.email == person.email for a in person.emailaddress_set.all()),
        groups=tuple(sorted(group.name for group in person.teams.all())),
        last_login=person.last_login,
        created_at=person.created_at,
    )
