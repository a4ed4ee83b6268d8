"""What merges settled, as commits and outcomes keep it: ``[{"rule": "union", "lines": [4, 5]}]``."""

from collections.abc import Iterable, Mapping
from typing import Any

from workspace.merge import Decision


def stored(found: Iterable[Decision]) -> list[dict[str, Any]]:
    """JSON-ready, in order."""
    return [{"rule": one.rule, "lines": list(one.lines) if one.lines else None} for one in found]


def loaded(kept: Iterable[Mapping[str, Any]]) -> tuple[Decision, ...]:
    """What ``stored`` made."""
    return tuple(
        Decision(rule=one["rule"], lines=(one["lines"][0], one["lines"][1]) if one["lines"] else None) for one in kept
    )
