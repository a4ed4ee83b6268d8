"""How often each obligation was met, over time. Every counter counts its own facts; none is a sum of others."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Coalesce, NullIf, TruncDate
from django.utils import timezone

from workspace.actor import Actor
from workspace.models import Capture, Reach, Receipt, ReceiptKind
from workspace.queries import obligation_facts
from workspace.queries.obligations import Filters

OF_PROMPTS: Final = (ReceiptKind.INVOKED, ReceiptKind.ATTACHED, ReceiptKind.WITHHELD)
OF_CAPTURES: Final = (
    ReceiptKind.CAPTURED, ReceiptKind.ACKNOWLEDGED, ReceiptKind.SUMMARISED, ReceiptKind.INDEXED,
)  # fmt: skip
READ_AGAIN: Final = "read again"
COUNTERS: Final = (
    "invoked", "retrieved", "attached", "withheld", "captured", "acknowledged", "summarised", "indexed", READ_AGAIN,
)  # fmt: skip
BARS: Final = 31
"""At most; a longer period has a bar for several days."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """``count`` facts from the day ``first`` to the day ``last``."""

    first: date
    last: date
    count: int


@dataclass(frozen=True, kw_only=True)
class Counter:
    """A counter over a period: its facts in all, and in each part of the period, oldest first."""

    name: str
    total: int
    bars: tuple[Bar, ...]


def counters(actor: Actor, *, filters: Filters) -> tuple[Counter, ...]:
    """One for each of ``COUNTERS``, of what the actor sees of the sessions that ``filters`` leave, whatever their
    state. Days are those of UTC. Raises ``NotFound`` for the folder of ``filters``, ``Invalid``."""
    inside = obligation_facts.place(actor, filters.folder)
    days: Mapping[str, dict[date, int]] = defaultdict(dict)
    for name, day, count in _counted(actor, filters, inside):
        days[name][day] = count
    first, today = filters.since.date(), timezone.now().astimezone(UTC).date()
    return tuple(_counter(name, days[name], first, today) for name in COUNTERS)


def _counter(name: str, days: Mapping[date, int], first: date, today: date) -> Counter:
    length = (today - first).days + 1
    step = -(-length // BARS)
    bars = []
    # Counted from today, so that the last bar is as long as the others.
    for end in range(length, 0, -step):
        start = max(end - step, 0)
        part = [days.get(first + timedelta(days=day), 0) for day in range(start, end)]
        bars.append(Bar(first=first + timedelta(days=start), last=first + timedelta(days=end - 1), count=sum(part)))
    return Counter(name=name, total=sum(days.values()), bars=tuple(reversed(bars)))


def _counted(actor: Actor, filters: Filters, inside: int | None) -> Iterator[tuple[str, date, int]]:
    below, since = obligation_facts.below(inside), filters.since
    asked = obligation_facts.stages(actor).filter(below, _whose(filters), at__gte=since)
    yield from _by_day(asked.filter(kind__in=OF_PROMPTS), F("kind"), Count("pk"))
    # A prompt for which several documents were found counts once; one that the reader does not see, not at all.
    prompts = asked.filter(kind=ReceiptKind.INVOKED)
    found = Receipt.objects.filter(
        Reach(actor).documents("document__folder__lineage", "document"),
        _whose(filters),
        kind=ReceiptKind.RETRIEVED,
        document__isnull=False,
        at__gte=since,
        operation__in=prompts.values("operation"),
    )
    yield from _by_day(found, Value("retrieved"), Count("operation", distinct=True))
    of_capture = Receipt.objects.filter(
        obligation_facts.kept(actor, prefix="capture__"),
        obligation_facts.below(inside, "capture__"),
        _whose(filters, "capture__"),
        kind__in=OF_CAPTURES,
        capture__isnull=False,
        at__gte=since,
    )
    yield from _by_day(of_capture, F("kind"), Count("pk"))
    yield from _by_day(_rereads(actor, filters, inside), Value(READ_AGAIN), Count("pk"))


def _rereads(actor: Actor, filters: Filters, inside: int | None) -> QuerySet[Receipt]:
    """Readings, by an agent, of a page at or after a commit that first held what another session handed off."""
    # A reader that names no session is another only where it is another agent.
    session = Coalesce(NullIf(OuterRef("session"), Value("")), F("session"), output_field=TextField())
    elsewhere = Q(agent=None) | ~Q(agent=OuterRef("agent")) | ~Q(session=session)
    held = Capture.objects.filter(
        obligation_facts.kept(actor),
        obligation_facts.below(inside),
        _whose(filters),
        elsewhere,
        handed_off__document=OuterRef("document"),
        handed_off__number__lte=OuterRef("commit__number"),
    )
    return Receipt.objects.filter(
        Reach(actor).documents("document__folder__lineage", "document"),
        Exists(held),
        kind=ReceiptKind.READ,
        agent__isnull=False,
        at__gte=filters.since,
    )


def _by_day(rows: QuerySet[Receipt], name: Any, count: Any) -> Iterator[tuple[str, date, int]]:
    counted = rows.order_by().annotate(counter=name, day=TruncDate("at", tzinfo=UTC)).values_list("counter", "day")
    yield from counted.annotate(n=count)


def _whose(filters: Filters, prefix: str = "") -> Q:
    chosen = {f"{prefix}host": filters.host, f"{prefix}agent": filters.agent}
    return Q(**{name: value for name, value in chosen.items() if value})
