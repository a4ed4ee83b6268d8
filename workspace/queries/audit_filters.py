"""What the audit log can be narrowed by, as addresses write it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Q, QuerySet

from workspace.actor import Via
from workspace.errors import FieldError, Invalid
from workspace.models import Agent, AuditEntry, Person

_ACTION = re.compile(r"[a-z_]{1,40}(\.([a-z_]{0,40}|\*))?\Z")


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What narrows the log; an empty one narrows nothing. ``person`` is an address, ``agent`` an id or a name,
    ``action`` a whole one or all under ``document.``; ``since`` is included and ``until`` is not."""

    person: str = ""
    agent: str = ""
    action: str = ""
    via: str = ""
    denied: bool | None = None
    place: str = ""
    since: datetime | None = None
    until: datetime | None = None
    request: str = ""


NAMES = ("person", "agent", "action", "via", "denied", "place", "from", "to", "request")
"""Names of the filters in addresses, on pages and in REST."""


def parse(given: Mapping[str, str]) -> Filters:
    """Filters as an address holds them. Raises ``Invalid`` that names each wrong one."""
    wrong: list[FieldError] = []
    found = {name: str(given.get(name) or "").strip() for name in NAMES}
    for name, value in found.items():
        if "\x00" in value or len(value) > 1_000:
            wrong.append(FieldError(field=name, message="has at most 1,000 characters and no NUL."))
    if found["via"] and found["via"] not in list(Via):
        wrong.append(FieldError(field="via", message=f"must be one of: {', '.join(Via)}."))
    if found["denied"] not in ("", "true", "false"):
        wrong.append(FieldError(field="denied", message="must be true or false."))
    if found["action"] and not _ACTION.match(found["action"]):
        wrong.append(FieldError(field="action", message="must be an action, or the beginning of some: document."))
    moments: dict[str, datetime | None] = {}
    for name, late in (("from", False), ("to", True)):
        try:
            moments[name] = _moment(found[name], late=late)
        except (ValueError, OverflowError):
            wrong.append(FieldError(field=name, message="must be a day or a time: 2026-11-30, 2026-11-30T14:00Z."))
    if wrong:
        raise Invalid(errors=wrong)
    return Filters(
        person=found["person"],
        agent=found["agent"],
        action=found["action"],
        via=found["via"],
        denied={"true": True, "false": False}.get(found["denied"]),
        place=found["place"].strip("/"),
        since=moments["from"],
        until=moments["to"],
        request=found["request"],
    )


def _moment(text: str, *, late: bool) -> datetime | None:
    """A time; a day is its beginning, or its end where ``late``. Without an offset it is in UTC."""
    if not text:
        return None
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = datetime.combine(date.fromisoformat(text), time(), UTC)
        return day + timedelta(days=1) if late else day
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def narrowed(rows: "QuerySet[AuditEntry]", filters: Filters) -> "QuerySet[AuditEntry]":
    """Those of ``rows`` that ``filters`` leave, but for the place, which depends on who reads."""
    # Without anybody of that name the rows are asked for all the same, or the time it takes would tell who is here.
    if filters.person:
        people = Person.objects.filter(email__iexact=filters.person).values_list("pk", flat=True)
        rows = rows.filter(person__in=list(people) or (0,))
    if filters.agent:
        agents = Agent.objects.filter(Q(pk=filters.agent) | Q(name=filters.agent)).values_list("pk", flat=True)
        rows = rows.filter(agent__in=list(agents) or ("",))
    if filters.action:
        noun, _, verb = filters.action.partition(".")
        whole = Q(action=filters.action)
        rows = rows.filter(whole if verb.removesuffix("*") else whole | Q(action__startswith=f"{noun}."))
    if filters.via:
        rows = rows.filter(via=filters.via)
    if filters.denied is not None:
        rows = rows.filter(denied=filters.denied)
    if filters.since is not None:
        rows = rows.filter(at__gte=filters.since)
    if filters.until is not None:
        rows = rows.filter(at__lt=filters.until)
    if filters.request:
        rows = rows.filter(request_id=filters.request)
    return rows
