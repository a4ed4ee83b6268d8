"""Who may do what where: grants on folders and documents, and whether editors may give them.

Order of locks: the place, then ``groups.lock`` where a manager may be lost, then grants.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.models import Document, Folder, Grant, Group, Person, ReceiptKind
from workspace.models.people import GROUP as GROUP
from workspace.queries import access as reading
from workspace.queries import holders
from workspace.queries.holders import Standing
from workspace.services import audit, confirmations, groups, receipts
from workspace.services.previews import NAMED, Change, Preview


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A grant as it stands after the call."""

    location: str
    subject: str
    role: str


def parse_role(role: object) -> Role:
    """``viewer``, ``editor`` or ``manager`` as a Role. Raises ``Invalid``."""
    found = Role.named(role) if isinstance(role, str) else None
    if found is None:
        raise Invalid("role", "must be viewer, editor or manager.")
    return found


def _subject(subject: object, *, leaving: bool = False) -> Person | Group:
    """Whom a subject names. Somebody deactivated can only be ``leaving``."""
    if not isinstance(subject, str) or not subject.strip() or "\x00" in subject:
        raise Invalid("subject", "must be an email address or group:NAME.")
    subject = subject.strip()
    if subject.startswith(GROUP):
        group = Group.objects.filter(name=subject.removeprefix(GROUP)).first()
        if group is None:
            raise Invalid("subject", "names no group. Check its name.")
        return group
    people = Person.objects.filter(email__iexact=subject)
    person = (people if leaving else people.filter(is_active=True)).first()
    if person is None:
        raise Invalid("subject", "names nobody who has an account here. Check the address, or invite them.")
    return person


def subject_of(who: Person | Group) -> str:
    """How a subject is written: an address or ``group:NAME``."""
    return who.email if isinstance(who, Person) else who.subject


def _which(subject: Person | Group) -> dict[str, Person | Group]:
    return {"person": subject} if isinstance(subject, Person) else {"group": subject}


@transaction.atomic(durable=True)
def grant(actor: Actor, *, location: str, subject: str, role: str, confirm_token: str | None = None) -> Granted:
    """Give ``subject`` exactly ``role`` at ``location`` (a folder with all below it, or one document).

    An editor may share up to editor, unless a manager turned that off there or above; a manager makes and unmakes
    managers. An agent does not change what its own person holds. With ``confirm_token`` it happens only if that was
    given for this very change and what was told then still holds. Raises ``NotFound``, ``Forbidden``, ``Invalid``,
    ``Gone``, ``AccessChange``.
    """
    wanted = parse_role(role)
    target = access.place(actor, location=location, need=Role.EDITOR, lock=True)
    who = _subject(subject)
    existing = _existing(target, who)
    # What is so already needs no confirmation: it may be this very call, sent again after its reply was lost.
    if confirm_token is not None and not (existing and existing.role == wanted):
        change = {"action": "grant", "location": location, "subject": subject, "role": role}
        check_token(actor, confirm_token, change)
    return give(actor, target, who, wanted)


def give(actor: Actor, target: Folder | Document, who: Person | Group, wanted: Role, **facts: str) -> Granted:
    """As ``grant``, inside the caller's transaction, at a place that ``access`` found for ``actor``. ``facts`` are
    recorded with it."""
    existing = _existing(target, who)
    _refuse_giving(actor, target, who, existing, wanted)
    location = location_of(target)
    if existing and existing.role == wanted:
        return Granted(location=location, subject=subject_of(who), role=wanted.label)
    if existing and existing.role == Role.MANAGER:
        _keep_a_manager(target, existing, lock=True)
    Grant.objects.update_or_create(
        **access.scope_of(target),
        **_which(who),
        defaults={"role": wanted},
        create_defaults={"role": wanted, "created_by_id": actor.person},
    )
    facts |= {"role": wanted.label, "before": Role(existing.role).label if existing else ""}
    _record(actor, ReceiptKind.GRANTED, "grant.given", target, who, facts)
    return Granted(location=location, subject=subject_of(who), role=wanted.label)


@transaction.atomic(durable=True)
def revoke(actor: Actor, *, location: str, subject: str, confirm_token: str | None = None) -> None:
    """Take back the grant that ``subject`` has at ``location`` itself; inherited ones stay.

    Anybody may give up their own. The last manager cannot leave. ``confirm_token`` as in ``grant``. Raises
    ``NotFound``, ``Forbidden``, ``Invalid``, ``Gone``, ``AccessChange``.
    """
    target = access.place(actor, location=location, lock=True)
    who, existing = _revocable(actor, target, subject)
    if confirm_token is not None:
        check_token(actor, confirm_token, {"action": "revoke", "location": location, "subject": subject})
    if existing.role == Role.MANAGER:
        _keep_a_manager(target, existing, lock=True)
    facts = {"before": Role(existing.role).label}
    existing.delete()
    _record(actor, ReceiptKind.REVOKED, "grant.revoked", target, who, facts)


def preview(actor: Actor, *, location: str, subject: str, role: str) -> Preview:
    """What ``grant`` would change, without changing it; the same refusals."""
    target = access.place(actor, location=location, need=Role.EDITOR)
    return preview_at(actor, target, _subject(subject), parse_role(role))


def preview_at(actor: Actor, target: Folder | Document, who: Person | Group, wanted: Role) -> Preview:
    """As ``preview``, at a place that ``access`` found for ``actor``."""
    existing = _existing(target, who)
    _refuse_giving(actor, target, who, existing, wanted)
    if existing and existing.role == Role.MANAGER and wanted < Role.MANAGER:
        _keep_a_manager(target, existing, lock=False)
    return _preview(target, who, existing, wanted)


def preview_revoke(actor: Actor, *, location: str, subject: str) -> Preview:
    """What ``revoke`` would change, without changing it; the same refusals. Who keeps their role is in ``keeps``."""
    target = access.place(actor, location=location)
    who, existing = _revocable(actor, target, subject)
    if existing.role == Role.MANAGER:
        _keep_a_manager(target, existing, lock=False)
    return _preview(target, who, existing, None)


def _preview(target: Folder | Document, who: Person | Group, existing: Grant | None, wanted: Role | None) -> Preview:
    of = {"person": who.pk, "group": None} if isinstance(who, Person) else {"person": None, "group": who.pk}
    found = holders.changes(target, **of, role=wanted)
    gains = [one for one in found if (one.after or 0) > (one.before or 0)]
    loses = [one for one in found if (one.after or 0) < (one.before or 0)]
    keeps = [one for one in found if one.after == one.before]
    documents, folders = _inside(target)
    held = Role(existing.role) if existing else None
    return Preview(
        location=location_of(target),
        subject=subject_of(who),
        role=wanted.label if wanted else "",
        before=held.label if held else "",
        gains=_named(gains),
        loses=_named(loses),
        keeps=_named(keeps),
        gaining=len(gains),
        losing=len(loses),
        keeping=len(keeps),
        documents=documents,
        folders=folders,
        future=isinstance(target, Folder),
        changes=held != wanted,
    )


def _named(standings: list[Standing]) -> tuple[Change, ...]:
    return tuple(
        Change(
            email=one.email,
            label=one.label,
            before=one.before.label if one.before else "",
            after=one.after.label if one.after else "",
        )
        for one in standings[:NAMED]
    )


def _inside(target: Folder | Document) -> tuple[int, int]:
    """How many live documents and folders a grant at ``target`` covers now, ``target`` among them."""
    if isinstance(target, Document):
        return 1, 0
    return (
        Document.objects.live().filter(folder__lineage__contains=[target.pk]).count(),
        Folder.objects.live().filter(lineage__contains=[target.pk]).count(),
    )


# -- confirmation ---------------------------------------------------------------


def confirm_token(actor: Actor, *, change: Mapping[str, Any]) -> str:
    """A token by which ``actor`` confirms ``change`` within 10 minutes, as long as it would do what it would now.

    ``change`` is ``{"action": "grant", "location", "subject", "role"}`` or ``{"action": "revoke", "location",
    "subject"}``, with whatever else it is to be bound to. The same refusals as the change itself.
    """
    return confirmations.sign(actor, change, _previewed(actor, change).decided_on())


def check_token(actor: Actor, token: str, change: Mapping[str, Any]) -> None:
    """Whether ``token`` confirms ``change`` as it is now; else ``AccessChange`` with a fresh preview and token."""
    told = _previewed(actor, change)
    confirmations.check(actor, token, change, told.decided_on(), told=told.data())


def _previewed(actor: Actor, change: Mapping[str, Any]) -> Preview:
    location, subject = change["location"], change["subject"]
    match change["action"]:
        case "revoke":
            return preview_revoke(actor, location=location, subject=subject)
        case _:
            return preview(actor, location=location, subject=subject, role=change["role"])


# -- sharing by editors, and looking as somebody else ---------------------------


@transaction.atomic(durable=True)
def set_editors_share(actor: Actor, *, location: str, allowed: bool) -> None:
    """Whether editors may share a folder and what is below it, up to editor; turned off above, it is off here too.

    Needs manager. Raises ``NotFound``, ``Forbidden``, ``Invalid``.
    """
    if not isinstance(allowed, bool):
        raise Invalid("allowed", "must be true or false.")
    folder = access.folder(actor, location=location, need=Role.MANAGER, lock=True)
    if folder.editors_share == allowed:
        return
    folder.editors_share = allowed
    folder.save(update_fields=["editors_share"])
    audit.record(actor, "grant.editors_share", folder=folder, data={"allowed": allowed})


@transaction.atomic(durable=True)
def view_as(actor: Actor, *, location: str, subject: str) -> Actor:
    """Somebody else's view of a place, for its managers; recorded. As ``queries.access.view_as``."""
    place = access.place(actor, location=location)
    seen = reading.view_as(actor, location=location, subject=subject)
    audit.record(actor, "access.viewed_as", **_where(place), subject=seen.email)
    return seen


def given(target: Folder | Document, who: Person | Group) -> Role | None:
    """The role that ``who`` was given at ``target`` itself."""
    existing = _existing(target, who)
    return Role(existing.role) if existing else None


# -- the rules ------------------------------------------------------------------


def _existing(target: Folder | Document, who: Person | Group) -> Grant | None:
    return Grant.objects.filter(**access.scope_of(target), **_which(who)).first()


def _refuse_giving(
    actor: Actor, target: Folder | Document, who: Person | Group, existing: Grant | None, wanted: Role
) -> None:
    """``Forbidden`` where ``actor`` may not turn what ``who`` has at ``target`` into ``wanted``."""
    check_giving(target, max(wanted, Role(existing.role) if existing else Role.VIEWER))
    _refuse_own(actor, who)


def check_giving(target: Folder | Document, role: Role) -> None:
    """``Forbidden`` where somebody with the role that ``target`` has loaded, an editor at least, may not give or take
    ``role`` there."""
    if role is Role.MANAGER and target.role < Role.MANAGER:
        raise Forbidden("Only a manager makes or unmakes a manager.", need=Role.MANAGER.label)
    _refuse_closed(target)


def _refuse_closed(target: Folder | Document) -> None:
    if not access.abilities(target.role, shares=target.shares).share:
        raise Forbidden("Only managers share here: one of them turned sharing by editors off.", need="manager")


def _refuse_own(actor: Actor, who: Person | Group) -> None:
    """An agent's reach is its person's: it does not change that."""
    if actor.agent and isinstance(who, Person) and who.pk == actor.person:
        raise Forbidden("An agent does not change what its own person holds. That person can.", need="the person")


def _revocable(actor: Actor, target: Folder | Document, subject: str) -> tuple[Person | Group, Grant]:
    """The subject and its grant at ``target``, where ``actor`` may take it back."""
    who = _subject(subject, leaving=True)
    existing = _existing(target, who)
    if existing is None:
        raise Invalid("subject", "has no grant at this place itself. See who-can-read for where it comes from.")
    _refuse_own(actor, who)
    if isinstance(who, Person) and who.pk == actor.person:
        return who, existing
    needed = Role.MANAGER if existing.role == Role.MANAGER else Role.EDITOR
    if target.role < needed:
        raise Forbidden(f"You are {target.role.label} here; this needs {needed.label}.", need=needed.label)
    _refuse_closed(target)
    return who, existing


def _keep_a_manager(target: Folder | Document, leaving: Grant, *, lock: bool) -> None:
    """``Forbidden`` when without ``leaving`` nobody active would manage ``target``, through whatever groups.

    ``lock`` keeps two managers from leaving at the same moment, and a group from losing its last person meanwhile.
    """
    if lock:
        groups.lock()
    folders, documents = ([target.pk], []) if isinstance(target, Folder) else ([], [target.pk])
    if holders.unmanaged(folders, documents, without=leaving.pk) and not holders.unmanaged(folders, documents):
        raise Forbidden("The last manager cannot leave. Make somebody else manager first.", need="another manager")


def _record(
    actor: Actor,
    kind: ReceiptKind,
    action: str,
    target: Folder | Document,
    who: Person | Group,
    facts: dict[str, Any],
) -> None:
    subject = subject_of(who)
    receipts.record(actor, kind, **_where(target), data={"subject": subject, **facts})
    audit.record(actor, action, **_where(target), subject=subject, data=facts)


def _where(target: Folder | Document) -> dict[str, Any]:
    if isinstance(target, Folder):
        return {"folder": target}
    return {"document": target, "folder": target.folder}


def location_of(target: Folder | Document) -> str:
    """The location of a place."""
    return target.path if isinstance(target, Folder) else access.location_of(target)
