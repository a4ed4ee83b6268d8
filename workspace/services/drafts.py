"""What a person typed into the editor and did not save: kept as they type, for them alone.

One draft for each person and document, and one for each person and folder for a new document there. A draft says which
one it follows (its ``mark``), so that two windows never write over each other's. It is no write of the workspace:
nobody else can see it, and it leaves neither receipt nor entry in the audit log.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Forbidden
from workspace.markdown import lines
from workspace.models import Commit, Draft
from workspace.services import commits, texts

NAME = 200
"""Characters that are kept of a draft's name."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a draft belongs: a document, or a folder for a new one in it."""

    document: str = ""
    folder: str = ""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A draft. ``base`` is the commit it was typed upon, empty for a new document. ``name`` is the anchor of the
    section that it is of, empty for the whole; for a new document, where it should go. ``mark`` names this very state
    of it."""

    content: str
    base: str
    name: str
    message: str
    saved_at: datetime
    mark: str


@dataclass(frozen=True, kw_only=True)
class Other:
    """Not kept: there is another draft than the one it follows (``kept``), or none any more."""

    kept: Kept | None


def save(
    actor: Actor, *, place: Place, content: str, base: str = "", name: str = "", message: str = "", follows: str = ""
) -> Kept | Other:
    """Keep ``content`` as the draft there. ``follows`` is the mark of the draft that it goes on from, empty for the
    first. Line ends are kept as ``\\n``, as browsers show them.

    Needs editor. Raises ``NotFound``, ``Forbidden``, ``Gone``, ``Invalid`` and ``TooLarge``.
    """
    if actor.person is None or actor.agent is not None:
        raise Forbidden("Drafts are kept for people who type.")
    texts.check(content)
    with transaction.atomic():
        key, upon = _key(actor, place, base)
        row = Draft.objects.select_for_update().filter(person=actor.person, **key).first()
        if (_mark(row) if row else "") != follows:
            return Other(kept=_kept(row) if row else None)
        fields: dict[str, Any] = {
            "base": upon,
            "name": texts.note(name, field="name")[:NAME],
            "content": lines.normalise(content),
            "message": texts.note(message, field="message"),
            "updated_at": timezone.now(),
        }
        if row is None:
            row, made = Draft.objects.get_or_create(person_id=actor.person, **key, defaults=fields)
            return _kept(row) if made else Other(kept=_kept(row))
        for field, value in fields.items():
            setattr(row, field, value)
        row.save()
        return _kept(row)


def mine(actor: Actor, *, place: Place) -> Kept | None:
    """The actor's draft there, if any. One whose very text was saved since is dropped: it came in after the save.

    Raises ``NotFound``, ``Forbidden``, ``Gone`` and ``Invalid``.
    """
    key, _ = _key(actor, place, "")
    row = Draft.objects.select_related("base").filter(person=actor.person, **key).first()
    if row is None:
        return None
    if row.base is not None and not row.name and _was_saved(row, row.base):
        row.delete()
        return None
    return _kept(row)


def drop(actor: Actor, *, place: Place, mark: str, content: str | None = None) -> bool:
    """Throw away the draft that ``mark`` names, or one that is ``content``; another one stays. Says whether it did.

    Raises ``NotFound``, ``Forbidden``, ``Gone`` and ``Invalid``.
    """
    with transaction.atomic():
        key, _ = _key(actor, place, "")
        row = Draft.objects.select_for_update().filter(person=actor.person, **key).first()
        same = row is not None and content is not None and row.content == lines.normalise(content)
        if row is None or not (_mark(row) == mark or same):
            return False
        row.delete()
        return True


def purge(*, limit: int = 1000) -> int:
    """Forgets up to ``limit`` drafts that nobody touched for ``BATON_DRAFT_DAYS``; returns how many."""
    old = _old()
    count, _ = old.filter(pk__in=list(old.order_by("updated_at").values_list("pk", flat=True)[:limit])).delete()
    return count


def _old() -> "QuerySet[Draft]":
    return Draft.objects.filter(updated_at__lt=timezone.now() - timedelta(days=settings.BATON_DRAFT_DAYS))


def _key(actor: Actor, place: Place, base: str) -> tuple[dict[str, Any], Commit | None]:
    """Which row it is, and the commit that ``base`` names."""
    if place.folder:
        return {"document": None, "folder": access.folder(actor, location=place.folder, need=Role.EDITOR)}, None
    document = access.document(actor, location=place.document, need=Role.EDITOR)
    # The constraint has every draft of a document based on one of its commits.
    return {"document": document}, commits.named(document, base, field="base") if base else document.head


def _was_saved(row: Draft, base: Commit) -> bool:
    text = texts.check(row.content).hash
    return Commit.objects.filter(
        document=row.document_id, blob=text, author=row.person_id, created_at__gte=base.created_at
    ).exists()


def _mark(row: Draft) -> str:
    return row.updated_at.isoformat(timespec="microseconds")


def _kept(row: Draft) -> Kept:
    return Kept(
        content=row.content,
        base=row.base_id or "",
        name=row.name,
        message=row.message,
        saved_at=row.updated_at,
        mark=_mark(row),
    )
