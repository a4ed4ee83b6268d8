"""Hidden and absent are the same, in random worlds, for random callers, on every route and tool.

The calls are in ``asked`` and ``asked_pages``; that these are all there are is held in ``test_asked``.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import given

from tests.parity import rows
from tests.parity.answers import by_tool, over_http
from tests.parity.asked import REST, TOOLS, Asked, makes
from tests.parity.asked_pages import WEB
from tests.parity.pairs import CALLED, Pair, differences, signed_in, with_token
from tests.parity.plans import Plan, plans
from tests.parity.world import make, undone
from workspace.errors import NotFound
from workspace.mcp import resources
from workspace.services import audit

PARTS = 4
"""The calls are shared out, so that there are many worlds and no world takes long."""


@pytest.mark.parametrize("part", range(PARTS))
@CALLED
@given(plan=plans())
def test_a_hidden_thing_is_answered_as_one_that_never_was(db: None, part: int, plan: Plan) -> None:
    with undone():
        world = make(plan)
        found = list(_over_http(signed_in(world), WEB[part::PARTS], Pair(world, world.person())))
        if world.expired:
            found += _ended(with_token(world), REST[part::PARTS], Pair(world, world.person()))
        else:
            pair = Pair(world, world.by_agent())
            found += _over_http(with_token(world), REST[part::PARTS], pair)
            found += _tools(pair, TOOLS[part::PARTS])
        assert not found, "\n".join(found)


def _ended(client: Client, calls: list[Asked], pair: Pair) -> Iterator[str]:
    """A token that is over is told just that, whatever it asks for."""
    for asked in calls:
        for things in pair.every():
            answer = over_http(client, asked, things, ())
            if answer.status != 401:
                yield f"{asked}: {answer.status}"


def _over_http(client: Client, calls: list[Asked], pair: Pair) -> Iterator[str]:
    secrets, cookies = pair.world.secrets(pair.actor), client.cookies.copy()
    before = rows.state()[1]
    for asked in calls:
        answers = []
        for things in pair.every(beside=makes(asked)):
            with undone():
                client.cookies = cookies.copy()
                audit.forget_refusals()
                answers.append(over_http(client, asked, things, pair.tokens(asked)))
                assert rows.state()[1] == before, asked
        yield from (f"{asked}: {what}" for what in differences(answers, secrets))


def _tools(pair: Pair, calls: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    secrets = pair.world.secrets(pair.actor)
    for tool, arguments in calls:
        answers = []
        for things in pair.every(beside=makes((tool, arguments))):
            with undone():
                audit.forget_refusals()
                answers.append(by_tool(pair.actor, tool, arguments, things, pair.tokens(arguments)))
        yield from (f"{tool} {arguments}: {what}" for what in differences(answers, secrets))
    for things in pair.every():
        with pytest.raises(NotFound):
            resources.contents(pair.actor, f"baton://{quote(things['document'])}")
