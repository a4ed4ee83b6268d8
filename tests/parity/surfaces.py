"""One driver for each surface, with the same verbs; each acts for a person of the cast."""

from tests.parity.mcp import Mcp
from tests.parity.rest import Rest
from tests.parity.verbs import Surface, Unsupported
from tests.parity.web import Web

__all__ = ["SURFACES", "Mcp", "Rest", "Surface", "Unsupported", "Web"]

SURFACES: dict[str, type[Rest] | type[Mcp] | type[Web]] = {kind.name: kind for kind in (Rest, Mcp, Web)}
