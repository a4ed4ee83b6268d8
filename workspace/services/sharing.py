"""Who may do what where: grants on folders and documents."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.models import Document, Folder, Grant, Group, Person, ReceiptKind
from workspace.services import receipts

GROUP = "group:"


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A grant as it stands after the call."""

    location: str
    subject: str
    role: str


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a grant would change: who gains reading, over how many documents and folders there are now.

    Whatever is put there later is included as well.
    """

    location: str
    subject: str
    role: str
    before: str
    gains: tuple[str, ...]
    documents: int
    folders: int


def parse_role(role: object) -> Role:
    """``viewer``, ``editor`` or ``manager`` as a Role. Raises ``Invalid``."""
    found = Role.named(role) if isinstance(role, str) else None
    if found is None:
        raise Invalid("role", "must be viewer, editor or manager.")
    return found


def _subject(subject: object) -> Person | Group:
    if not isinstance(subject, str) or not subject.strip() or "\x00" in subject:
        raise Invalid("subject", "must be an email address or group:NAME.")
    if subject.startswith(GROUP):
        group = Group.objects.filter(name=subject.removeprefix(GROUP)).first()
        if group is None:
            raise Invalid("subject", "names no group. Check its name.")
        return group
    person = Person.objects.filter(email__iexact=subject, is_active=True).first()
    if person is None:
        raise Invalid("subject", "names nobody who has an account here. Check the address, or invite them.")
    return person


def _which(subject: Person | Group) -> dict[str, Person | Group]:
    return {"person": subject} if isinstance(subject, Person) else {"group": subject}


def _people(subject: Person | Group) -> tuple[str, ...]:
    if isinstance(subject, Person):
        return (subject.email,)
    return tuple(subject.members.filter(is_active=True).order_by("email").values_list("email", flat=True))


@transaction.atomic(durable=True)
def grant(actor: Actor, *, location: str, subject: str, role: str) -> Granted:
    """Give ``subject`` exactly ``role`` at ``location`` (a folder with all below it, or one document).

    An editor may share up to editor; a manager makes and unmakes managers. Raises ``NotFound``, ``Forbidden``,
    ``Invalid``.
    """
    wanted = parse_role(role)
    target, who, existing = _grantable(actor, location, subject, wanted, lock=True)
    if existing and existing.role == wanted:
        return Granted(location=location, subject=subject, role=wanted.label)
    Grant.objects.update_or_create(
        **access.scope_of(target),
        **_which(who),
        defaults={"role": wanted},
        create_defaults={"role": wanted, "created_by_id": actor.person},
    )
    receipts.record(actor, ReceiptKind.GRANTED, **_place(target), data={"subject": subject, "role": wanted.label})
    return Granted(location=location, subject=subject, role=wanted.label)


def _grantable(
    actor: Actor, location: str, subject: str, wanted: Role, *, lock: bool
) -> tuple[Folder | Document, Person | Group, Grant | None]:
    """The place, the subject and the grant that it has there already, where ``actor`` may give it ``wanted``."""
    target = access.place(actor, location=location, need=Role.EDITOR, lock=lock)
    who = _subject(subject)
    existing = Grant.objects.filter(**access.scope_of(target), **_which(who)).first()
    needed = max(wanted, Role(existing.role) if existing else Role.VIEWER)
    if needed is Role.MANAGER and target.role < Role.MANAGER:
        raise Forbidden("Only a manager makes or unmakes a manager.", need=Role.MANAGER.label)
    if existing and existing.role == Role.MANAGER and wanted < Role.MANAGER:
        _keep_a_manager(target, existing, lock=lock)
    return target, who, existing


@transaction.atomic(durable=True)
def revoke(actor: Actor, *, location: str, subject: str) -> None:
    """Take back the grant that ``subject`` has at ``location`` itself; inherited ones stay.

    Anybody may give up their own. The last manager cannot leave. Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    target = access.place(actor, location=location, lock=True)
    who = _subject(subject)
    grant = Grant.objects.filter(**access.scope_of(target), **_which(who)).first()
    if grant is None:
        raise Invalid("subject", "has no grant at this place itself. See who-can-read for where it comes from.")
    own = isinstance(who, Person) and who.pk == actor.person and actor.agent is None
    needed = Role.MANAGER if grant.role == Role.MANAGER else Role.EDITOR
    if not own and target.role < needed:
        raise Forbidden(f"You are {target.role.label} here; this needs {needed.label}.", need=needed.label)
    if grant.role == Role.MANAGER:
        _keep_a_manager(target, grant, lock=True)
    grant.delete()
    receipts.record(actor, ReceiptKind.REVOKED, **_place(target), data={"subject": subject})


def preview(actor: Actor, *, location: str, subject: str, role: str) -> Preview:
    """What ``grant`` would change, without changing it; the same refusals."""
    wanted = parse_role(role)
    target, who, existing = _grantable(actor, location, subject, wanted, lock=False)
    if isinstance(target, Folder):
        documents = Document.objects.live().filter(folder__lineage__contains=[target.pk]).count()
        folders = Folder.objects.live().filter(lineage__contains=[target.pk]).count()
        lineage = target.lineage
    else:
        documents, folders, lineage = 1, 0, target.folder.lineage
    already = set(Person.objects.filter(grants__folder__in=lineage).values_list("email", flat=True).distinct()) | set(
        Person.objects.filter(teams__grants__folder__in=lineage).values_list("email", flat=True).distinct()
    )
    return Preview(
        location=location,
        subject=subject,
        role=wanted.label,
        before=Role(existing.role).label if existing else "",
        gains=tuple(email for email in _people(who) if email not in already),
        documents=documents,
        folders=folders,
    )


def _place(target: Folder | Document) -> dict[str, Any]:
    if isinstance(target, Folder):
        return {"folder": target}
    return {"document": target, "folder": target.folder}


def _keep_a_manager(target: Folder | Document, leaving: Grant, *, lock: bool) -> None:
    """``Forbidden`` when without ``leaving`` nobody active would manage ``target``.

    ``lock`` takes the grants of the whole lineage, so that two managers cannot leave at the same moment.
    """
    lineage = target.lineage if isinstance(target, Folder) else target.folder.lineage
    grants = Grant.objects.filter(folder__in=lineage, role=Role.MANAGER)
    if isinstance(target, Document):
        grants |= Grant.objects.filter(document=target, role=Role.MANAGER)
    if lock:
        grants = grants.select_for_update(of=("self",))
    others = [g for g in grants.order_by("pk") if g.pk != leaving.pk]
    people = [g.person_id for g in others if g.person_id]
    groups = [g.group_id for g in others if g.group_id]
    active = Person.objects.filter(is_active=True)
    if not (active.filter(pk__in=people).exists() or active.filter(memberships__group__in=groups).exists()):
        raise Forbidden("The last manager cannot leave. Make somebody else manager first.", need="another manager")
