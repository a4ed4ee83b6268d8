"""Every surface, ready to act for anybody of the cast."""

from collections.abc import Callable

import pytest

from tests.cast import Cast
from tests.mcp.conftest import server
from tests.parity.surfaces import SURFACES, Surface

__all__ = ["server"]

type Act = Callable[[str], Surface]


@pytest.fixture(params=SURFACES)
def act(request: pytest.FixtureRequest, cast: Cast) -> Act:
    """``act("bob")`` is bob, or an agent of his, on this surface."""
    made: dict[str, Surface] = {}

    def as_person(person: str) -> Surface:
        if person not in made:
            made[person] = SURFACES[request.param](cast, person)
        return made[person]

    return as_person
