"""Times as the two readers want them: ISO 8601 for programs, an age for models."""

from datetime import UTC, datetime

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def iso(when: datetime) -> str:
    """``when`` in UTC to the microsecond, as REST gives it: ``2026-11-29T22:10:05.120000Z``."""
    return when.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def age(when: datetime, *, now: datetime | None = None) -> str:
    """How long ago ``when`` was: ``just now``, ``3 minutes ago``, ``2 hours ago``, ``5 days ago``."""
    seconds = int(((now or datetime.now(UTC)) - when).total_seconds())
    for name, length in _UNITS:
        if count := seconds // length if seconds > 0 else 0:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def stamp(when: datetime, *, now: datetime | None = None) -> str:
    """Both, for a line of text: ``2026-11-29 22:10 UTC, 3 minutes ago``."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC, {age(when, now=now)}"
