"""Whose token this is, and whose it is not."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.idp.oidc.models import Token
from django.conf import settings
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.cast import Cast
from tests.tokens import Granted, grant, resource
from workspace.actor import Role, Scope, Via
from workspace.errors import Forbidden, NotFound, Unauthenticated
from workspace.models import Agent, AgentToken, Connection, Folder, Person
from workspace.services import bearer, documents
from workspace.services.tokens import digest

PLAN = "product/launch/plan.md"
READ = "workspace:read"


def who(token: str) -> str:
    return bearer.authenticate(token, via=Via.MCP).agent_name


def refused(token: str) -> bool:
    try:
        bearer.authenticate(token, via=Via.MCP)
    except Unauthenticated:
        return True
    return False


@pytest.fixture
def granted(cast: Cast) -> Granted:
    """A program that alice let in."""
    return grant(cast.people["alice"])


def test_an_access_token_is_its_agent_for_its_person(cast: Cast, granted: Granted) -> None:
    actor = bearer.authenticate(granted.token, via=Via.MCP, session="s")
    assert (actor.person, actor.agent, actor.agent_name) == (
        cast.people["alice"].pk,
        granted.agent.pk,
        "Claude Code",
    )
    assert (actor.scopes, actor.session, actor.via, actor.host) == ((), "s", Via.MCP, "claude-code")


@pytest.mark.parametrize("spelling", ["", "/", "/mcp", "/mcp/"])
def test_a_token_for_any_name_of_this_instance_is_good(granted: Granted, spelling: str) -> None:
    assert who(granted.issue(resources=[settings.BATON_BASE_URL + spelling])) == "Claude Code"


@pytest.mark.parametrize(
    "resources",
    [
        [],
        None,
        {},
        "",
        "http://127.0.0.1:8000/mcp",
        ["https://other.example/mcp"],
        ["http://127.0.0.1:8000/mcp/x"],
        ["http://127.0.0.1:8000/mcp?x"],
        ["http://127.0.0.1:8000.evil.example/mcp"],
        ["HTTP://127.0.0.1:8000/mcp"],
        ["http://127.0.0.1:8001/mcp"],
        [None],
        [["http://127.0.0.1:8000/mcp"]],
    ],
)
def test_a_token_for_another_audience_or_for_none_is_refused(granted: Granted, resources: object) -> None:
    assert refused(granted.issue(resources=resources))


def test_a_token_for_two_audiences_is_refused_though_one_is_right(granted: Granted) -> None:
    assert refused(granted.issue(resources=[resource(), "https://other.example/mcp"]))
    assert refused(granted.issue(resources=[resource(), settings.BATON_BASE_URL]))
    assert refused(granted.issue(resources=[resource(), resource()]))


@pytest.mark.parametrize("kind", ["rt", "ac", "ia"])
def test_a_refresh_token_and_a_code_are_no_access_tokens(granted: Granted, kind: str) -> None:
    assert refused(granted.issue(kind))


def test_a_token_without_data_is_refused(granted: Granted) -> None:
    for data in (None, {}, [], "x", 3):
        Token.objects.filter(pk=granted.row.pk).update(data=data)
        assert refused(granted.token)


@pytest.mark.parametrize("scopes", ["", "openid", "openid profile email", "workspace", "workspace:reader", "read"])
def test_a_token_without_a_scope_of_the_workspace_is_refused(granted: Granted, scopes: str) -> None:
    assert refused(granted.issue(scopes=scopes))


def test_a_token_that_expired_or_never_would_is_refused(granted: Granted) -> None:
    assert refused(granted.issue(expires_at=timezone.now() - timedelta(seconds=1)))
    assert refused(granted.issue(expires_at=None))


def test_a_token_of_one_person_under_the_grant_of_another_is_refused(cast: Cast, granted: Granted) -> None:
    assert refused(granted.issue(user=cast.people["bob"]))
    assert refused(granted.issue(user=None))


ENDS: dict[str, Callable[[Granted], object]] = {
    "the connection ended": lambda g: Connection.objects.update(ended_at=timezone.now()),
    "another consent took its place": lambda g: Connection.objects.update(grant_id="another"),
    "the connection is gone": lambda g: Connection.objects.all().delete(),
    "the agent was revoked": lambda g: Agent.objects.filter(pk=g.agent.pk).update(revoked_at=timezone.now()),
    "the agent expired": lambda g: Agent.objects.filter(pk=g.agent.pk).update(
        expires_at=timezone.now() - timedelta(minutes=1)
    ),
    "the person was deactivated": lambda g: Person.objects.update(is_active=False),
    "the token was revoked": lambda g: Token.objects.all().delete(),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_access_token_ends_at_once_when(granted: Granted, end: str) -> None:
    assert not refused(granted.token)
    ENDS[end](granted)
    assert refused(granted.token)


@pytest.mark.parametrize("end", ["the agent was revoked", "the agent expired", "the person was deactivated"])
def test_an_agent_token_ends_at_once_when(cast: Cast, granted: Granted, end: str) -> None:
    token = cast.tokens["scout"]
    granted.agent = Agent.objects.get(name="scout")
    assert not refused(token)
    ENDS[end](granted)
    assert refused(token)


def test_an_agent_that_ends_later_is_good_until_then(cast: Cast) -> None:
    later = grant(cast.people["alice"], expires_at=timezone.now() + timedelta(minutes=5))
    assert who(later.token) == "Claude Code"
    Agent.objects.filter(name="scout").update(expires_at=timezone.now() + timedelta(minutes=5))
    assert who(cast.tokens["scout"]) == "scout"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "btn_" + "0" * 38,
        "BTN_" + "0" * 38,
        "a" * 513,
        "a" * 30 + "\n",
        "a" * 30 + "\0",
        "ä" * 30,
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
        "' OR 1=1 --" + "a" * 20,
        "\ud800" * 20,
    ],
)
def test_nonsense_is_refused(cast: Cast, token: str) -> None:
    assert refused(token)


def test_the_hash_that_is_stored_is_no_token(cast: Cast, granted: Granted) -> None:
    assert refused(granted.row.hash)
    assert refused(AgentToken.objects.values_list("token_hash", flat=True)[0])


@pytest.mark.parametrize("kind", ["minted", "granted"])
def test_the_check_is_one_query_and_is_noted_once_a_minute(cast: Cast, granted: Granted, kind: str) -> None:
    token, name = (cast.tokens["scout"], "scout") if kind == "minted" else (granted.token, "Claude Code")
    with CaptureQueriesContext(
        connection,
    ) as first:
        who(token)
    with CaptureQueriesContext(connection) as second:
        who(token)
    assert [query["sql"].split()[0] for query in first] == ["SELECT", "UPDATE"]
    assert [query["sql"].split()[0] for query in second] == ["SELECT"]
    seen = Agent.objects.get(name=name).last_seen_at
    assert seen is not None
    Agent.objects.filter(name=name).update(last_seen_at=seen - bearer.SEEN_EVERY)
    who(token)
    assert Agent.objects.get(name=name).last_seen_at >= seen
    with CaptureQueriesContext(connection) as refusal:
        assert refused(granted.token + "x")
    assert len(refusal) == 1


def test_of_many_requests_at_once_one_is_noted(committed_cast: Cast) -> None:
    token = committed_cast.tokens["scout"]
    gate, notes = threading.Barrier(8), []

    def ask() -> None:
        gate.wait()
        with CaptureQueriesContext(connection):
            who(token)
        notes.append(str(Agent.objects.get(name="scout").last_seen_at))
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(notes) == 8
    assert len(set(notes)) == 1


def test_a_token_for_reading_reads_and_nothing_else(cast: Cast, plan: str) -> None:
    reader = bearer.authenticate(grant(cast.people["alice"], scopes=READ).token, via=Via.MCP)
    assert reader.scopes == (Scope(role=Role.VIEWER),)
    assert not reader.may_write
    with pytest.raises(Forbidden):
        documents.append(reader, location=PLAN, content="x")
    with pytest.raises(Forbidden):
        documents.create(reader, location="elsewhere/new.md", content="x")


def test_a_token_for_reading_caps_each_scope_where_it_is(cast: Cast, plan: str) -> None:
    launch, product = Folder.objects.get(path="product/launch"), Folder.objects.get(path="product")
    narrowing: dict = {launch: Role.MANAGER, product: Role.VIEWER}
    whole = grant(cast.people["alice"], "writer", narrowing=narrowing)
    assert {s.role for s in bearer.authenticate(whole.token, via=Via.MCP).scopes} == {Role.MANAGER, Role.VIEWER}
    reader = bearer.authenticate(whole.issue(scopes=READ), via=Via.MCP)
    assert {(s.folder, s.role) for s in reader.scopes} == {(launch.pk, Role.VIEWER), (product.pk, Role.VIEWER)}
    with pytest.raises(Forbidden):
        documents.append(reader, location=PLAN, content="x")


def test_a_token_for_reading_hides_what_its_agent_does_not_reach(cast: Cast, plan: str) -> None:
    documents.create(cast.alice, location="other/secret.md", content="x")
    launch = Folder.objects.get(path="product/launch")
    narrow = grant(cast.people["alice"], narrowing={launch: Role.EDITOR})
    for scopes in (READ, "workspace:read workspace:write", "workspace:write"):
        actor = bearer.authenticate(narrow.issue(scopes=scopes), via=Via.MCP)
        assert actor.may_write == ("write" in scopes)
        with pytest.raises(NotFound):
            documents.append(actor, location="other/secret.md", content="x")


def test_no_token_makes_its_agent_more_than_its_person(cast: Cast, plan: str) -> None:
    carols = bearer.authenticate(grant(cast.people["carol"], narrowing={None: Role.MANAGER}).token, via=Via.MCP)
    with pytest.raises(Forbidden):
        documents.append(carols, location=PLAN, content="x")
    mallorys = bearer.authenticate(grant(cast.people["mallory"]).token, via=Via.MCP)
    with pytest.raises(NotFound):
        documents.append(mallorys, location=PLAN, content="x")


def test_the_authorization_server_stores_the_hash_that_is_looked_for(granted: Granted) -> None:
    assert Token.objects.lookup("at", granted.token) == granted.row
    assert digest(granted.token) == granted.row.hash
