"""The two scopes there are."""

from collections.abc import Iterable
from typing import Final

from workspace.services.connections import READ, SCOPES, WRITE

ALL: Final = SCOPES


def normal(scopes: Iterable[str]) -> tuple[str, ...]:
    """Those of ``scopes`` that exist, in one order; writing brings reading."""
    asked = set(scopes)
    if WRITE in asked:
        return ALL
    return (READ,) if READ in asked else ()
