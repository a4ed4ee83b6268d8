"""The two scopes there are."""

from collections.abc import Iterable
from typing import Final

READ: Final = "workspace:read"
WRITE: Final = "workspace:write"
ALL: Final = (READ, WRITE)


def normal(scopes: Iterable[str]) -> tuple[str, ...]:
    """Those of ``scopes`` that exist, in one order; writing brings reading."""
    asked = set(scopes)
    if WRITE in asked:
        return ALL
    return (READ,) if READ in asked else ()
