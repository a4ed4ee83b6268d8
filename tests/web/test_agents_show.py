"""The agents page: one's own agents, those of others where one manages, and what each of them wrote."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.models import Agent, AgentToken, Group, Membership, Nesting, Person
from workspace.services import agents, connections, documents, folders, sharing
from workspace.services.connections import READ, WRITE, Asking, Connected


def connect(actor: Actor, name: str = "Claude Code", *, host: str = "", **choices: Any) -> Connected:
    asking = Asking(
        client_id=f"client {name}", client_name=name, client_host=host, redirect_host="localhost",
        resource="https://baton.example.org/mcp", scopes=(READ, WRITE),
    )  # fmt: skip
    return connections.connect(actor, asking=asking, grant_id=f"{actor.principal} {name}", **choices)


def words(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def names(response: Any) -> list[str]:
    return [card.row.name for card in response.context["cards"]]


# -- the list ---------------------------------------------------------------------


def test_a_row_tells_where_what_until_when_and_who_vouches(signed_in: SignIn, cast: Cast) -> None:
    connect(cast.alice, places=["product/launch"], read_only=True, expires_days=30)
    connect(cast.alice, "Claude", host="claude.example.com", places=["product"])
    said = words(signed_in("alice").get("/agents"))

    assert re.search(r"Claude Code unverified reads in product/launch · until \d+ \w+ \d{4}", said)
    assert "Claude claude.example.com reads and writes in product" in said
    assert re.search(r"scout btn_\w{6}… may all that you may", said)
    assert "never seen" in said


def test_states_are_told_apart(signed_in: SignIn, cast: Cast) -> None:
    out = connect(cast.alice, "Out")
    connections.end(f"{cast.alice.principal} Out", why="token reused")
    agents.revoke(cast.alice, agent=connect(cast.alice, "Gone").agent_id)
    Agent.objects.filter(pk=connect(cast.alice, "Over", expires_days=1).agent_id).update(
        expires_at="2026-01-01T00:00:00Z"
    )
    AgentToken.objects.filter(agent__name="scout").update(expires_at="2026-01-01T00:00:00Z")
    alice = signed_in("alice")
    states = {card.row.name: card.row.state for card in alice.get("/agents").context["cards"]}

    assert states == {"Out": "ended", "Over": "expired", "scout": "expired"}
    assert names(alice.get("/agents?of=revoked")) == ["Gone"]
    assert "token reused" in words(alice.get(f"/agents/{out.agent_id}"))


def test_recent_writes_are_those_that_the_reader_may_read(signed_in: SignIn, cast: Cast) -> None:
    for n in range(5):
        documents.create(cast.rover, location=f"product/launch/n{n}.md", content="# N\n")
    folders.create(cast.bob, location="bobs secret")
    documents.create(cast.rover, location="bobs secret/plan.md", content="# Secret\n")
    rover = cast.rover.agent
    own = signed_in("bob").get("/agents").context["cards"]
    seen = signed_in("alice").get("/agents?of=others").context["cards"]

    assert [[write.location for write in card.row.writes] for card in own] == [
        ["bobs secret/plan.md", "product/launch/n4.md", "product/launch/n3.md"]
    ]
    assert [[write.location for write in card.row.writes] for card in seen] == [
        ["product/launch/n4.md", "product/launch/n3.md", "product/launch/n2.md"]
    ]
    assert "secret" not in words(signed_in("alice").get(f"/agents/{rover}")).lower()


def test_the_list_asks_as_often_for_many_agents_as_for_few(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    counts = []
    for round_ in range(2):
        for n in range(1 if round_ == 0 else 12):
            made = connect(cast.alice, f"Host {round_} {n}", places=["product/launch"])
            documents.create(cast.scout, location=f"product/launch/{round_}-{n}.md", content="# N\n")
            assert made.agent_id
        for address in ("/agents", "/agents?of=others"):
            alice.get(address)
            with CaptureQueriesContext(database) as queries:
                alice.get(address)
            counts.append(len(queries))

    assert counts[:2] == counts[2:]


def test_a_long_list_goes_on_by_a_cursor(signed_in: SignIn, cast: Cast) -> None:
    Agent.objects.bulk_create([Agent(person=cast.people["alice"], name=f"a{n:03}") for n in range(60)])
    alice = signed_in("alice")
    page = alice.get("/agents")
    following = alice.get("/agents", {"cursor": page.context["page"].next_cursor})

    assert len(set(names(page)) | set(names(following))) == 61
    assert alice.get("/agents?cursor=forged").status_code == 422
    assert alice.get("/agents?of=everybody").status_code == 422


# -- agents of others -------------------------------------------------------------


def others(client: Client) -> set[str]:
    return set(names(client.get("/agents?of=others")))


def test_managers_see_which_agents_of_others_reach_their_folders(signed_in: SignIn, cast: Cast) -> None:
    folders.create(cast.bob, location="bobs")
    connect(cast.bob, "inside", places=["product/launch"])
    connect(cast.bob, "elsewhere", places=["bobs"])
    connect(cast.mallory, "stranger")

    assert others(signed_in("alice")) == {"rover", "inside"}
    assert others(signed_in("carol")) == set()
    assert "Others in my folders" not in words(signed_in("carol").get("/agents"))


@pytest.mark.parametrize("narrowed", [(), ("product",), ("product/launch",), ("product/launch/deep",)])
def test_a_grant_a_scope_and_a_managed_folder_meet_wherever_one_lies_in_the_other(
    signed_in: SignIn, cast: Cast, narrowed: tuple[str, ...]
) -> None:
    folders.create(cast.alice, location="product/launch/deep")
    folders.create(cast.alice, location="product/beside")
    sharing.grant(cast.alice, location="product", subject="bob@example.org", role="editor")
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="manager")
    sharing.grant(cast.alice, location="product/beside", subject="mallory@example.org", role="manager")
    connect(cast.bob, "probe", places=narrowed)

    assert "probe" in others(signed_in("carol"))
    assert ("probe" in others(signed_in("mallory"))) == (narrowed in ((), ("product",)))


def test_a_document_reaches_no_folder_beside_or_below_its_own(signed_in: SignIn, cast: Cast, plan: str) -> None:
    folders.create(cast.alice, location="product/launch/deep")
    sharing.grant(cast.alice, location="product/launch/deep", subject="carol@example.org", role="manager")
    connect(cast.bob, "probe", places=("product/launch/plan.md",))

    assert "probe" in others(signed_in("alice"))
    assert "probe" not in others(signed_in("carol"))


def test_groups_within_groups_documents_and_administrators_are_ways_in(
    signed_in: SignIn, cast: Cast, plan: str
) -> None:
    root = Person.objects.create_superuser("root@example.org")
    connect(cast.mallory, "by document")
    connect(cast.carol, "by group")
    connect(person_actor(root, via=Via.WEB), "by office")
    sharing.revoke(cast.alice, location="product/launch", subject="carol@example.org")
    assert others(signed_in("alice")) == {"rover", "by office"}

    outer, inner = Group.objects.create(name="outer"), Group.objects.create(name="inner")
    Nesting.objects.create(outer=outer, inner=inner)
    Membership.objects.create(group=inner, person=cast.people["carol"])
    sharing.grant(cast.alice, location="product", subject="group:outer", role="viewer")
    sharing.grant(cast.alice, location="product/launch/plan.md", subject="mallory@example.org", role="viewer")
    assert others(signed_in("alice")) == {"rover", "by office", "by document", "by group"}


def test_an_agent_that_is_over_or_whose_person_is_gone_reaches_nothing(signed_in: SignIn, cast: Cast) -> None:
    Agent.objects.filter(name="rover").update(expires_at="2026-01-01T00:00:00Z")
    assert others(signed_in("alice")) == set()

    Agent.objects.filter(name="rover").update(expires_at=None)
    Person.objects.filter(email="bob@example.org").update(is_active=False)
    assert others(signed_in("alice")) == set()


def test_what_a_manager_may_not_see_is_not_named(signed_in: SignIn, cast: Cast) -> None:
    folders.create(cast.bob, location="bobs secret")
    made = connect(cast.bob, "both", places=["product/launch", "bobs secret"])
    for address in ("/agents?of=others", f"/agents/{made.agent_id}"):
        said = words(signed_in("alice").get(address))
        assert "reads and writes in product/launch, places that you do not see by themselves" in said.lower()
        assert "secret" not in said


# -- one agent --------------------------------------------------------------------


def test_somebody_elses_agent_is_answered_as_none(signed_in: SignIn, cast: Cast) -> None:
    mallory, answers = signed_in("mallory"), []
    mallory.get("/agents")
    for agent in (cast.scout.agent, "agt_" + "0" * 26):
        for verb, path in (("get", ""), ("get", "/revoke"), ("post", "/revoke"), ("post", "/rename")):
            with CaptureQueriesContext(database) as queries:
                response = getattr(mallory, verb)(f"/agents/{agent}{path}", {"name": "x"} if path == "/rename" else {})
            text = re.sub(r'req_\w+|[0-9A-Za-z]{64}|nonce="[^"]+"', "", response.content.decode())
            answers.append((response.status_code, text, len(queries)))

    assert {answer[0] for answer in answers} == {404}
    assert answers[:4] == answers[4:]


def test_a_manager_looks_at_an_agent_of_another_and_cannot_end_it(signed_in: SignIn, cast: Cast) -> None:
    alice, rover = signed_in("alice"), cast.rover.agent
    page = alice.get(f"/agents/{rover}")

    assert page.status_code == 200
    assert "Bob bob@example.org" in words(page)
    assert "btn_" not in page.content.decode()
    assert f"/agents/{rover}/revoke" not in page.content.decode()
    assert alice.get(f"/agents/{rover}/revoke").status_code == 404
    assert alice.post(f"/agents/{rover}/revoke").status_code == 404
    assert alice.post(f"/agents/{rover}/rename", {"name": "mine"}).status_code == 404


def test_an_administrator_ends_the_agent_of_anybody(signed_in: SignIn, cast: Cast) -> None:
    Person.objects.filter(email="carol@example.org").update(is_superuser=True)
    carol, rover = signed_in("carol"), cast.rover.agent
    assert f"/agents/{rover}/revoke" in carol.get("/agents?of=others").content.decode()
    assert carol.get(f"/agents/{rover}/revoke").status_code == 200
    assert carol.post(f"/agents/{rover}/revoke").status_code == 302

    assert Agent.objects.get(pk=rover).revoked_at is not None


def test_revoking_asks_first_and_then_holds(signed_in: SignIn, cast: Cast) -> None:
    alice, made = signed_in("alice"), connect(cast.alice)
    asked = alice.get(f"/agents/{made.agent_id}/revoke")
    assert "Revoke Claude Code?" in words(asked)
    assert connections.live(f"{cast.alice.principal} Claude Code") is not None

    assert alice.post(f"/agents/{made.agent_id}/revoke")["Location"] == "/agents"
    assert connections.live(f"{cast.alice.principal} Claude Code") is None


def test_another_name_holds_at_once_and_a_taken_or_impossible_one_is_told(signed_in: SignIn, cast: Cast) -> None:
    alice, scout = signed_in("alice"), cast.scout.agent
    connect(cast.alice)
    assert alice.post(f"/agents/{scout}/rename", {"name": "Scout of the desk"}).status_code == 302
    assert Agent.objects.get(pk=scout).name == "Scout of the desk"

    taken = alice.post(f"/agents/{scout}/rename", {"name": "Claude Code"})
    assert taken.status_code == 409
    assert 'value="Claude Code"' in taken.content.decode()
    for wrong in ("", " ", "a\x07b", "x" * 201):
        assert alice.post(f"/agents/{scout}/rename", {"name": wrong}).status_code == 422


def test_its_writes_go_on_by_a_cursor(signed_in: SignIn, cast: Cast) -> None:
    for n in range(25):
        documents.create(cast.scout, location=f"product/launch/n{n:02}.md", content="# N\n")
    alice, address = signed_in("alice"), f"/agents/{cast.scout.agent}"
    page = alice.get(address)
    rest = alice.get(address, {"cursor": page.context["page"].next_cursor})

    assert [len(page.context["page"].items), len(rest.context["page"].items)] == [20, 5]


# -- tokens -----------------------------------------------------------------------


def test_a_second_click_shows_the_same_token_and_makes_no_second_agent(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    form = {name: field.value() or "" for name, field in _fields(alice.get("/agents"))}
    answers = [alice.post("/agents", {**form, "name": "nightly"}) for _ in range(2)]
    tokens = [re.search(r"btn_[0-9A-Za-z]{38}", answer.content.decode()) for answer in answers]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert tokens[0] is not None
    assert tokens[1] is not None
    assert tokens[0][0] == tokens[1][0]
    assert Agent.objects.filter(name="nightly").count() == 1
    # What was typed is a part of the key: another name from the same page is another request.
    assert alice.post("/agents", {**form, "name": "weekly"}).status_code == 201


def _fields(page: Any) -> list[tuple[str, Any]]:
    form = page.context["form"]
    return [(name, form[name]) for name in form.fields]


# -- how to connect ---------------------------------------------------------------


def test_every_host_gets_this_instances_address(signed_in: SignIn, cast: Cast, settings: Any) -> None:
    settings.BATON_BASE_URL = "https://baton.example.org"
    alice = signed_in("alice")
    for way in alice.get("/help/connect").context["ways"]:
        page = alice.get("/help/connect", {"host": way.key})
        said = unescape(page.content.decode())
        assert page.status_code == 200
        assert "https://baton.example.org/mcp" in said or "https://baton.example.org/api" in said, way.key
        assert "{mcp}" not in said
        assert "{base}" not in said


def test_a_host_that_has_to_reach_us_is_told_when_it_cannot(signed_in: SignIn, cast: Cast, settings: Any) -> None:
    alice = signed_in("alice")
    for address, unreachable in (("http://127.0.0.1:8000", True), ("https://baton.example.org", False)):
        settings.BATON_BASE_URL = address
        assert ("over the internet" in words(alice.get("/help/connect?host=claude"))) == unreachable


def test_the_page_sees_an_agent_arrive_and_call(signed_in: SignIn, cast: Cast) -> None:
    alice = signed_in("alice")
    opened = alice.get("/help/connect").context["since"]
    connect(cast.alice, places=["product"])
    connect(cast.bob, "not hers")
    found = alice.get("/help/connect/arrived", {"since": opened})

    assert found.status_code == 200
    assert re.search(r"Claude Code connected \d s ago, reaches 2 folders It has not called yet\.", words(found))
    assert "not hers" not in words(found)
    assert "<html" not in found.content.decode()
    assert cast.scout.agent
    assert re.search(r"scout called \d s ago, reaches 2 folders", words(alice.get("/help/connect")))


@pytest.mark.parametrize("since", ["", "x", "0", "9" * 40, "１２", "-5"])
def test_a_page_that_was_open_for_long_stops_asking(signed_in: SignIn, cast: Cast, since: str) -> None:
    assert signed_in("alice").get("/help/connect/arrived", {"since": since}).status_code in (200, 286)
    assert signed_in("alice").get("/help/connect/arrived", {"since": "1000"}).status_code == 286


def test_connecting_names_a_folder_only_where_the_reader_has_one(signed_in: SignIn, cast: Cast) -> None:
    folders.create(cast.mallory, location="attic")
    said = {name: words(signed_in(name).get("/help/connect")) for name in ("carol", "mallory")}
    assert "tell me what is in product/launch" in said["carol"]
    assert "tell me what is in attic" in said["mallory"]
    assert "product" not in said["mallory"]
    folders.delete(cast.mallory, location="attic")
    assert "“What can you reach in Baton?”" in words(signed_in("mallory").get("/help/connect"))
