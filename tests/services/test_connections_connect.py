"""What a consent makes, what it is narrowed to, and how it ends."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.cast import Cast
from tests.oauth.conftest import together
from workspace.actor import Actor, Role
from workspace.errors import Invalid, NotFound, Refusal
from workspace.models import Agent, AgentScope, AuditEntry, Connection
from workspace.queries import agents as queries
from workspace.queries import consents
from workspace.services import agents, connections, folders
from workspace.services.connections import READ, WRITE, Asking, Connected

CLIENT = Asking(
    client_id="client-1",
    client_name="Claude Code",
    client_host="",
    redirect_host="localhost",
    resource="https://baton.example.org/mcp",
    scopes=(READ, WRITE),
)


def connect(actor: Actor, grant: str = "grant-1", asking: Asking = CLIENT, **choices: Any) -> Connected:
    return connections.connect(actor, asking=asking, grant_id=grant, **choices)


def narrowing(made: Connected) -> set[tuple[int, str]]:
    rows = AgentScope.objects.filter(agent=made.agent_id).select_related("folder")
    return {(row.role, row.folder.path if row.folder else "*") for row in rows}


def test_installs_of_one_client_are_agents_with_names_of_their_own(cast: Cast) -> None:
    made = [connect(cast.alice, f"grant-{n}") for n in range(3)]

    assert [each.agent_name for each in made] == ["Claude Code", "Claude Code (2)", "Claude Code (3)"]
    assert len({each.agent_id for each in made}) == 3
    assert Agent.objects.get(pk=made[0].agent_id).host == "claude-code"


def test_the_same_install_stays_the_agent_that_it_was(cast: Cast) -> None:
    first = connect(cast.alice)
    again = connect(cast.alice, "grant-2", agent=first.agent_id, places=["product"], expires_days=7)

    assert (again.agent_id, again.replaced_grant) == (first.agent_id, "grant-1")
    assert connections.live("grant-1") is None
    assert connections.live("grant-2") is not None
    assert narrowing(again) == {(Role.EDITOR, "product")}
    assert Connection.objects.count() == 1


def test_without_places_it_reaches_what_its_person_does_also_after_it_was_narrowed(cast: Cast) -> None:
    first = connect(cast.alice, places=["product"])
    again = connect(cast.alice, "grant-2", agent=first.agent_id)

    assert narrowing(again) == {(Role.EDITOR, "*")}


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"places": ["product/launch", "product/launch"]}, {(Role.EDITOR, "product/launch")}),
        ({"places": ["product/launch"], "read_only": True}, {(Role.VIEWER, "product/launch")}),
        ({"read_only": True}, {(Role.VIEWER, "*")}),
        ({"read_only": True, "manages": True}, {(Role.VIEWER, "*")}),
        ({"manages": True}, set()),
        ({"places": ["product"], "manages": True}, {(Role.MANAGER, "product")}),
    ],
)
def test_choices_become_scopes(cast: Cast, choices: dict[str, Any], expected: set[tuple[int, str]]) -> None:
    assert narrowing(connect(cast.alice, **choices)) == expected


def test_a_program_that_asked_to_read_only_reads_whatever_the_form_says(cast: Cast) -> None:
    made = connect(cast.alice, asking=replace(CLIENT, scopes=(READ,)), read_only=False)

    assert narrowing(made) == {(Role.VIEWER, "*")}
    assert Connection.objects.get().scopes == READ


def test_reading_only_takes_writing_out_of_what_was_granted(cast: Cast) -> None:
    connect(cast.alice, read_only=True)

    assert Connection.objects.get().scopes == READ


def test_a_hidden_place_is_refused_as_an_absent_one(cast: Cast) -> None:
    folders.create(cast.alice, location="vault")
    answers = []
    for place in ("vault", "vauly"):
        with CaptureQueriesContext(database) as queries_made, pytest.raises(Invalid) as refusal:
            connect(cast.mallory, places=[place])
        answers.append((refusal.value.detail.replace(place, "…"), len(queries_made)))

    assert answers[0] == answers[1]
    assert not Connection.objects.exists()


def test_an_agent_connects_nobody(cast: Cast) -> None:
    with pytest.raises(NotFound):
        connect(cast.scout)


def test_only_an_agent_of_the_same_person_and_client_can_be_the_same_install(cast: Cast) -> None:
    of_bob = connect(cast.bob, "grant-b")
    other = connect(cast.alice, "grant-o", asking=replace(CLIENT, client_id="client-2"))
    ended = connect(cast.alice, "grant-e")
    agents.revoke(cast.alice, agent=ended.agent_id)
    told = set()
    for agent in (of_bob.agent_id, other.agent_id, ended.agent_id, cast.scout.agent or "", "agt_none"):
        with pytest.raises(Invalid) as refusal:
            connect(cast.alice, "grant-x", agent=agent)
        told.add(refusal.value.detail)

    assert len(told) == 1


@pytest.mark.parametrize("choices", [{"expires_days": 0}, {"expires_days": 4000}, {"places": ["product"] * 101}])
def test_choices_out_of_bounds_are_refused(cast: Cast, choices: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        connect(cast.alice, **choices)


def test_a_name_cannot_hide_what_it_is_or_turn_around(cast: Cast) -> None:
    made = connect(cast.alice, asking=replace(CLIENT, client_name="\u202eedoC\u202c\n  edualC\x00"))

    assert made.agent_name == "edoC edualC"
    assert connect(cast.alice, "g2", asking=replace(CLIENT, client_name="\u200b\n")).agent_name == "Agent"


def test_a_grant_lives_until_it_is_ended_revoked_over_or_its_person_is_gone(cast: Cast) -> None:
    made = [connect(cast.alice, f"grant-{n}", expires_days=1) for n in range(3)]
    found = connections.live("grant-0")
    assert found is not None
    assert (found.person, found.agent) == (cast.alice.person, made[0].agent_id)

    connections.end("grant-0", why="signed out")
    agents.revoke(cast.alice, agent=made[1].agent_id)
    Agent.objects.filter(pk=made[2].agent_id).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert [connections.live(f"grant-{n}") for n in range(3)] == [None] * 3

    connect(cast.bob, "grant-bob")
    cast.people["bob"].is_active = False
    cast.people["bob"].save()
    assert connections.live("grant-bob") is None
    assert connections.live("no such grant") is None


def test_ending_twice_tells_once_and_the_agent_stays(cast: Cast) -> None:
    made = connect(cast.alice)
    connections.end("grant-1", why="signed out")
    connections.end("grant-1", why="token reused")
    connections.end("no such grant", why="signed out")

    assert Connection.objects.get().ended_why == "signed out"
    assert AuditEntry.objects.filter(action="agent.disconnected").count() == 1
    assert Agent.objects.get(pk=made.agent_id).revoked_at is None


def test_what_was_signed_out_is_remembered_and_what_was_revoked_is_not(cast: Cast) -> None:
    out = connect(cast.alice, "grant-1", places=["product"], read_only=True)
    connections.end("grant-1", why="signed out")
    gone = connect(cast.alice, "grant-2")
    agents.revoke(cast.alice, agent=gone.agent_id)
    known = consents.remembered(cast.alice, client_id="client-1")

    assert [(each.id, each.places, each.read_only) for each in known] == [(out.agent_id, ("product",), True)]
    assert consents.remembered(cast.bob, client_id="client-1") == ()


def test_a_place_that_was_lost_is_not_named_by_what_it_is_called_now(cast: Cast) -> None:
    made = connect(cast.bob, places=["product/launch"])
    folders.create(cast.alice, location="secret")
    location = Connection.objects.get(agent=made.agent_id)
    assert location.ended_at is None
    cast.people["bob"].grants.all().delete()

    (known,) = consents.remembered(cast.bob, client_id="client-1")
    (row,) = (row for row in queries.listing(cast.bob).items if row.id == made.agent_id)
    assert (known.places, known.narrowed) == ((), True)
    assert [scope.place for scope in row.scopes] == [""]


def test_every_act_is_in_the_audit_log_and_no_token_is(cast: Cast) -> None:
    made = connect(cast.alice, places=["product"])
    agents.rename(cast.alice, agent=made.agent_id, name="Laptop")
    agents.revoke(cast.alice, agent=made.agent_id)
    minted = agents.create(cast.alice, name="ci")
    acts = list(AuditEntry.objects.filter(person=cast.alice.person, agent=None).order_by("pk"))

    assert [act.action for act in acts[-4:]] == ["agent.connected", "agent.renamed", "agent.revoked", "token.minted"]
    assert minted.token not in "".join(f"{act.subject}{act.data}" for act in acts)
    assert "grant-1" not in "".join(f"{act.subject}{act.data}" for act in acts)


@pytest.mark.django_db(transaction=True)
def test_consents_at_one_moment_come_to_different_names(committed_cast: Cast) -> None:
    alice = committed_cast.alice
    made = together(*(lambda n=n: connect(alice, f"grant-{n}") for n in range(4)))

    assert sorted(each.agent_name for each in made) == ["Claude Code"] + [f"Claude Code ({n})" for n in (2, 3, 4)]


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_twice_at_once_makes_one_agent_and_both_know_its_token(committed_cast: Cast) -> None:
    alice = committed_cast.alice
    first, second = together(*[lambda: agents.create(alice, name="ci", key="k")] * 2)

    assert first == second
    assert Agent.objects.filter(name="ci").count() == 1


def test_a_token_is_shown_again_only_before_it_was_used_and_only_to_its_person(cast: Cast) -> None:
    made = agents.create(cast.alice, name="ci", key="k")
    assert agents.create(cast.alice, name="ci", key="k") == made
    assert agents.create(cast.bob, name="ci", key="k").token != made.token

    Agent.objects.filter(pk=made.agent_id).update(last_seen_at=timezone.now())
    with pytest.raises(Refusal, match="made its agent already"):
        agents.create(cast.alice, name="ci", key="k")
