"""What somebody should know who comes back: what waits for them, what is contested, what changed near their work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import Coalesce, Left, Right, RowNumber
from django.utils import timezone

from workspace import access
from workspace.access import location_of
from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.models import Binding, BriefMark, Capture, Commit, Document, Folder, Reach, Receipt, ReceiptKind
from workspace.models.documents import COMMITTING
from workspace.queries import access_requests, captures, conflicts, pages, waiting, who
from workspace.queries.conflicts import Waiting
from workspace.queries.waiting import Waiting as Counted
from workspace.queries.who import Who

MOST: Final = 20
"""Items of each kind."""
COUNTED: Final = 200
"""Of more than so many changed documents, no more are counted."""
UNTOLD_DAYS: Final = 7
"""What is told to those who have acknowledged nothing yet."""
WORK_DAYS: Final = 30
WORK: Final = 200
"""Of the newest deeds, those that tell where somebody works."""
EXCERPT: Final = 200
LONGEST: Final = timedelta(minutes=2)
"""A transaction that runs longer than that is not waited for: what it dated before that is told by no brief."""
TOLD: Final = 400
"""Ids of each kind that a cursor holds at most, so that it has room in an address."""
SHORT: Final = 16
"""Characters of an id, the last ones, that stand for it in a cursor."""
UNDERWAY: Final = """SELECT min(xact_start) FROM pg_stat_activity
 WHERE backend_xid IS NOT NULL AND datname = current_database() AND pid <> pg_backend_pid()
"""
_CURSOR: Final = "brief"
_WORKED = (ReceiptKind.READ, ReceiptKind.INVOKED, ReceiptKind.CAPTURED)


@dataclass(frozen=True, kw_only=True)
class ChangedRow:
    """A document that others changed. ``commit`` is their newest, ``commits`` how many there are of them."""

    location: str
    id: str
    title: str
    summary: str
    commit: str
    message: str
    reason: str
    author: Who
    committed_at: datetime
    commits: int


@dataclass(frozen=True, kw_only=True)
class CapturedRow:
    """A session that others captured; ``excerpt`` is its first line."""

    id: str
    folder: str
    host: str
    session: str
    author: Who
    created_at: datetime
    excerpt: str


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Something that waits for the person's yes or no: somebody's request for access to ``location``, or a capture
    that was proposed for that folder. ``said`` is the reason that was given, or the first line."""

    kind: Literal["access-request", "capture"]
    id: str
    location: str
    by: Who
    said: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Brief:
    """At most ``MOST`` of each kind; ``left_out`` counts the rest, by kind.

    ``changed`` and ``captures`` are what others did after the last acknowledged brief, newest first. ``since`` is the
    cursor that was acknowledged, None where none was, and ``head`` the one that acknowledges this brief.
    """

    approvals: tuple[Approval, ...]
    changed: tuple[ChangedRow, ...]
    contested: tuple[Waiting, ...]
    captures: tuple[CapturedRow, ...]
    left_out: dict[str, int]
    since: str | None
    head: str


@dataclass(frozen=True, kw_only=True)
class Through:
    """A point up to which all that a brief of ``folder`` (by its key; None: of all work) could tell was there to be
    told, and what was told of after it."""

    folder: int | None
    moment: datetime
    told: tuple[str, ...]


def brief(actor: Actor, *, location: str | None = None, counted: Counted | None = None) -> Brief:
    """What waits for the actor and what others did near their work: at and below ``location``, or in the folders in
    which their person lately wrote, read or captured and those that they bound, and everywhere where there are none.

    ``counted`` is how much waits for the actor, where that was counted already. Raises ``NotFound``."""
    place = access.folder(actor, location=location) if location else None
    mark = _mark(actor, place)
    head = timezone.now()
    told: Sequence[str] = mark.told if mark else ()
    since = mark.through if mark else head - timedelta(days=UNTOLD_DAYS)
    settled = max(_settled(head), since)
    where = _where(actor, place)
    commits, sessions = _commits(actor, where, since, head), _sessions(actor, where, since, head)
    # What is told is what these saw: of what ends between two statements, all of it is left to the next brief.
    fresh, settled = _fresh((commits, sessions), settled)
    changed, documents = _changed(_seen(commits, settled, fresh).exclude(short__in=told))
    captured, captures_count = _captured(_seen(sessions, settled, fresh).exclude(short__in=told))
    counted = counted or waiting.counted(actor)
    contested = conflicts.waiting(actor, limit=COUNTED) if counted.conflicts else ()
    approvals, to_approve = _approvals(actor, counted)
    left_out = {
        "approvals": to_approve - len(approvals),
        "changed": documents - len(changed),
        "contested": len(contested) - len(contested[:MOST]),
        "captures": captures_count - len(captured),
    }
    return Brief(
        approvals=approvals,
        changed=changed,
        contested=contested[:MOST],
        captures=captured,
        left_out={kind: count for kind, count in left_out.items() if count > 0},
        since=pages.encode(actor, _CURSOR, [mark.folder_id, mark.through, *mark.told]) if mark else None,
        head=pages.encode(
            actor,
            _CURSOR,
            [place.pk if place else None, settled, *(pk[-SHORT:] for pk in fresh)],
        ),
    )


def through(actor: Actor, cursor: object, *, field: str) -> Through:
    """What a brief's cursor stands for. Raises ``Invalid``."""
    try:
        folder, moment, *told = pages.decode(actor, _CURSOR, cursor)
    except Invalid as refusal:
        raise Invalid(field, "is not the cursor of a brief that you were given: take its cursor.head.") from refusal
    return Through(folder=folder, moment=moment, told=tuple(told))


def _mark(actor: Actor, place: Folder | None) -> BriefMark | None:
    """What was acknowledged last: of all work, or of the folder and those above it, whose briefs tell of it too."""
    marks = BriefMark.objects.filter(principal=actor.principal)
    marks = marks.filter(folder__in=place.lineage) if place else marks.filter(folder=None)
    return marks.order_by("-through").first()


def _settled(head: datetime) -> datetime:
    """A moment before which nothing is dated that is still to be seen: commits are dated before they end."""
    with connection.cursor() as cursor:
        cursor.execute(UNDERWAY)
        (begun,) = cursor.fetchone()
    return max(min(head, begun or head) - COMMITTING, head - LONGEST)


def _fresh(kinds: "Sequence[QuerySet[Any]]", settled: datetime) -> tuple[list[str], datetime]:
    """Ids of what can be seen of ``kinds`` and is dated after ``settled``; and that moment, later where there are too
    many of them to be held."""
    first, *others = (
        rows.filter(created_at__gt=settled).order_by("-created_at", "pk").values_list("pk", "created_at")[: TOLD + 1]
        for rows in kinds
    )
    found = sorted(first.union(*others, all=True), key=lambda row: row[1], reverse=True)
    if len(found) > TOLD:
        settled = found[TOLD][1]
    return [pk for pk, at in found if at > settled], settled


def _seen(rows: "QuerySet[Any]", settled: datetime, fresh: Sequence[str]) -> "QuerySet[Any]":
    return rows.filter(Q(created_at__lte=settled) | Q(pk__in=fresh))


def _approvals(actor: Actor, counted: Counted) -> tuple[tuple[Approval, ...], int]:
    """The oldest first, and how many there are."""
    asked = access_requests.to_decide(actor, limit=MOST).items if counted.requests else ()
    rows = captures.to_approve(actor).order_by("created_at", "pk")
    proposed = [_captured_row(row) for row in _captures(rows)[:MOST]] if counted.proposed else []
    found = [
        Approval(
            kind="access-request",
            id=row.id,
            location=row.location,
            by=row.by,
            said=row.reason[:EXCERPT],
            at=row.created_at,
        )
        for row in asked
    ]
    found += [
        Approval(kind="capture", id=row.id, location=row.folder, by=row.author, said=row.excerpt, at=row.created_at)
        for row in proposed
    ]
    return tuple(sorted(found, key=lambda one: one.at)[:MOST]), counted.requests + counted.proposed


@dataclass(frozen=True, kw_only=True)
class _Where:
    """Folders to look in: of everything ``inside`` one, or the ``folders`` themselves; with neither, everywhere."""

    inside: int | None = None
    folders: tuple[int, ...] = ()

    def of(self, folder: str) -> Q:
        """The condition on rows whose folder is ``folder`` away."""
        if self.inside is not None:
            return Q(**{f"{folder}__lineage__contains": [self.inside]})
        return Q(**{f"{folder}__in": self.folders}) if self.folders else Q()


def _where(actor: Actor, place: Folder | None) -> _Where:
    if place is not None:
        return _Where(inside=place.pk)
    if actor.person is None:
        return _Where()
    after = timezone.now() - timedelta(days=WORK_DAYS)
    wrote = Commit.objects.filter(author=actor.person, created_at__gt=after).order_by("-created_at")
    facts = Receipt.objects.filter(person=actor.person, at__gt=after, kind__in=_WORKED).order_by("-at")
    bound = Binding.objects.filter(person=actor.person).order_by()
    worked = wrote.values_list("document__folder", flat=True)[:WORK].union(
        facts.values_list(Coalesce("folder", "document__folder"), flat=True)[:WORK],
        bound.values_list("folder", flat=True)[:WORK],
    )
    return _Where(folders=tuple(sorted(folder for folder in worked if folder is not None)))


def _commits(actor: Actor, where: _Where, since: datetime, head: datetime) -> "QuerySet[Any]":
    """What others committed near there after ``since``, with ``short``, the end of its id."""
    near = Document.objects.live().visible_to(Reach(actor)).filter(where.of("folder"), head__created_at__gt=since)
    made = Commit.objects.filter(document__in=near.values("pk"), created_at__gt=since, created_at__lte=head)
    return _by_others(actor, made).annotate(short=Right("pk", SHORT))


def _changed(commits: "QuerySet[Any]") -> tuple[tuple[ChangedRow, ...], int]:
    """The newest rows, and how many documents there are in all."""
    newest = Window(RowNumber(), partition_by="document", order_by=F("number").desc())
    rows = commits.annotate(place=newest, count=Window(Count("pk"), partition_by="document")).filter(place=1)
    found = list(rows.select_related("document__folder", *who.RELATED).order_by("-created_at", "document")[:COUNTED])
    return tuple(_changed_row(row, row.count) for row in found[:MOST]), len(found)


def _by_others(actor: Actor, commits: "QuerySet[Commit]") -> "QuerySet[Commit]":
    """Without what the actor wrote, and without pages that were woven from nothing but the actor's captures."""
    woven = Capture.objects.filter(handed_off=OuterRef("pk"))
    own = ~Q(job="") & Exists(woven) & ~Exists(woven.exclude(principal=actor.principal))
    return commits.exclude(author__isnull=False, author=actor.person, agent=actor.agent).exclude(own)


def _changed_row(commit: Commit, commits: int) -> ChangedRow:
    document = commit.document
    return ChangedRow(
        location=location_of(document),
        id=document.pk,
        title=document.title,
        summary=document.summary[:EXCERPT],
        commit=commit.pk,
        message=commit.message[:EXCERPT],
        reason=commit.reason[:EXCERPT],
        author=who.author(commit),
        committed_at=commit.created_at,
        commits=commits,
    )


def _sessions(actor: Actor, where: _Where, since: datetime, head: datetime) -> "QuerySet[Any]":
    """What others captured near there after ``since``, with ``short`` as of commits."""
    return (
        Capture.objects.kept()
        .filter(Reach(actor).folders("folder__lineage"), where.of("folder"), folder__deleted_at=None)
        .filter(deleted_at=None, created_at__gt=since, created_at__lte=head)
        .exclude(principal=actor.principal)
        .annotate(short=Right("pk", SHORT))
    )


def _captured(rows: "QuerySet[Any]") -> tuple[tuple[CapturedRow, ...], int]:
    """As ``_changed``, of captures."""
    found = tuple(_captured_row(row) for row in _captures(rows).order_by("-created_at", "pk")[:MOST])
    return found, rows.count() if len(found) == MOST else len(found)


def _captures(rows: "QuerySet[Capture]") -> "QuerySet[Any]":
    read = rows.select_related("folder", *who.RELATED).annotate(beginning=Left("content", EXCERPT * 2))
    return read.defer("content")


def _captured_row(row: Any) -> CapturedRow:
    return CapturedRow(
        id=row.pk,
        folder=row.folder.path,
        host=row.host,
        session=row.session,
        author=who.author(row),
        created_at=row.created_at,
        excerpt=captures.first_line(row.beginning)[:EXCERPT],
    )
