"""Ages in words. The exact time always stands beside them, in the ``time`` element."""

from datetime import datetime

from django.utils import timezone

UNITS = (("y", 31_557_600), ("mo", 2_629_800), ("d", 86_400), ("h", 3_600), ("min", 60))


def age_words(then: datetime, *, now: datetime | None = None) -> str:
    """``3 min ago``, ``in 2 d``, ``just now``: the largest whole unit, rounded down."""
    seconds = ((now or timezone.now()) - then).total_seconds()
    for unit, size in UNITS:
        if abs(seconds) >= size:
            count = int(abs(seconds) // size)
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return "just now"


def exact(then: datetime) -> str:
    """``29 Nov 2026, 22:45:03 UTC``."""
    return f"{then:%-d %b %Y, %H:%M:%S} {then.tzname() or 'UTC'}"


def day_words(then: datetime, *, now: datetime | None = None) -> str:
    """``Today``, ``Yesterday`` or ``Thursday, 26 November 2026``."""
    days = ((now or timezone.now()).date() - then.date()).days
    if days == 0:
        return "Today"
    return "Yesterday" if days == 1 else f"{then:%A, %-d %B %Y}"
