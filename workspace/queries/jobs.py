"""Background work, as those may see it who read what it is about."""

from dataclasses import dataclass

from workspace.queries import health


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Jobs that are not done, counted by state, and how long the oldest that is due has waited, in seconds."""

    by_state: dict[str, int]
    oldest_pending_seconds: float | None


def backlog() -> Backlog:
    """The backlog of the whole instance: counts and ages, no names of things."""
    counts, oldest = health.backlog()
    return Backlog(by_state=counts, oldest_pending_seconds=oldest)
