"""The token check, which is in front of every request, beside the barest question there is."""

import json
import secrets
import statistics
from collections.abc import Callable
from datetime import timedelta

from allauth.idp.oidc.models import Client, Token
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from workspace.access import person_actor
from workspace.actor import Role, Via
from workspace.management.bench.figures import Figure, interleaved, ratio
from workspace.models import Agent, AgentScope, Connection, Folder, Person
from workspace.services import agents, bearer, folders
from workspace.services.tokens import digest

AGENTS = 500
ROUNDS = 2_000


def figures(*, rounds: int = ROUNDS) -> list[Figure]:
    """The check of an agent token and of an access token, each held against reading a person by primary key; and
    their statements alone, against the same read as a statement (told only)."""
    person = Person.objects.create_user("tokens@example.org", None)
    minted, granted = _tokens(person)
    checks: dict[str, Callable[[], object]] = {
        "agent token": lambda: bearer.authenticate(minted, via=Via.MCP),
        "access token": lambda: bearer.authenticate(granted, via=Via.MCP),
    }
    audiences = [json.dumps([name]) for name in bearer.resources()]
    statements: dict[str, Callable[[], object]] = {
        "statement of agent token": lambda: _row(bearer.MINTED, digest(minted)),
        "statement of access token": lambda: _row(bearer.GRANTED, digest(granted), *audiences),
    }
    reads: dict[str, Callable[[], object]] = {
        "read": lambda: Person.objects.get(pk=person.pk),
        "statement": lambda: _row("SELECT * FROM workspace_person WHERE id = %s", person.pk),
    }
    times = interleaved({**reads, **checks, **statements}, rounds=rounds, warm=50)
    read, bare = (f"{statistics.median(times[name]):.2f} ms" for name in reads)
    found = [
        Figure(name=f"queries of a check, {name}", value=_queries(checks[name]), unit="", bound=1) for name in checks
    ]
    for name in checks:
        against = f"a person by primary key {read}"
        found.append(
            Figure(name=f"check, {name}", value=ratio(times, name, "read"), unit="x", bound=1.3, against=against)
        )
    for name in statements:
        found.append(Figure(name=name, value=ratio(times, name, "statement"), unit="x", against=f"SELECT {bare}"))
    return found


def _row(statement: str, *values: str | int) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def _queries(call: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def _tokens(person: Person) -> tuple[str, str]:
    """An agent token and an access token among those of many agents, each agent narrowed to two folders."""
    actor = person_actor(person, via=Via.COMMAND)
    client = Client.objects.create(
        name="bench",
        type=Client.Type.PUBLIC,
        scopes="\n".join(bearer.SCOPES),
        redirect_uris="http://127.0.0.1/callback",
    )
    for n in range(2):
        folders.create(actor, location=f"tokens/{n}")
    places = Folder.objects.filter(path__startswith="tokens/")
    minted = [agents.create(actor, name=f"bench {n}") for n in range(AGENTS)]
    tokens = [secrets.token_urlsafe(24) for _ in minted]
    grants = [secrets.token_hex(16) for _ in minted]
    AgentScope.objects.bulk_create(
        AgentScope(agent_id=made.agent_id, role=Role.EDITOR, folder=place) for made in minted for place in places
    )
    Connection.objects.bulk_create(
        Connection(agent_id=made.agent_id, grant_id=grant, client_id=client.pk, resource=bearer.resources()[0])
        for made, grant in zip(minted, grants, strict=True)
    )
    Token.objects.bulk_create(
        Token(
            type=kind,
            hash=digest(token if kind == "at" else token + kind),
            client=client,
            user=person,
            data={"grant_id": grant, "resources": [bearer.resources()[0]]},
            scopes="\n".join(bearer.SCOPES),
            expires_at=timezone.now() + timedelta(hours=1),
        )
        for token, grant in zip(tokens, grants, strict=True)
        for kind in ("at", "rt")
    )
    Agent.objects.filter(person=person).update(last_seen_at=timezone.now() + timedelta(hours=1))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return minted[AGENTS // 2].token, tokens[AGENTS // 2]
