"""Statements written by hand, beside the questions of the ORM that they stand for: the same answer to everybody."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from allauth.idp.oidc.models import Token
from django.utils import timezone

from tests.cast import Cast
from tests.tokens import grant
from workspace import access, errors, locations
from workspace.actor import Actor, Role, Scope, Via
from workspace.models import (
    Agent,
    AgentScope,
    AgentToken,
    Connection,
    Document,
    Folder,
    Grant,
    Group,
    Membership,
    Person,
)
from workspace.queries import documents as reads
from workspace.services import agents, bearer, documents, folders
from workspace.services.tokens import digest

FOLDERS = ["product", "product/launch", "product/launch/deep", "other", "other/a", "other/a/b"]
NAMES = ["one.md", "two.md", "Three.md"]


def tried[T](call: Callable[[], T]) -> T | type[Exception]:
    """What ``call`` gives, or the class of its refusal."""
    try:
        return call()
    except errors.Refusal as refusal:
        return type(refusal)


def tree(cast: Cast, chance: random.Random) -> None:
    """Folders, documents (some deleted, some made again where one was), groups, and grants by chance."""
    Grant.objects.all().delete()
    admin = replace(cast.alice, admin=True)
    for location in FOLDERS[2:]:
        tried(lambda at=location: folders.create(admin, location=at))  # type: ignore[misc]
    for location in FOLDERS:
        for name in chance.sample(NAMES, 2):
            place = f"{location}/{name}"
            for _ in range(chance.choice((1, 1, 2))):
                documents.create(admin, location=place, content=f"---\ntype: note\n---\n# {place}\n")
                if chance.random() < 0.4:
                    documents.append(admin, location=place, content="x")
                if chance.random() < 0.5:
                    documents.delete(admin, location=place)
                else:
                    break
    Grant.objects.all().delete()
    groups = [Group.objects.create(name=name) for name in ("north", "south")]
    people = list(cast.people.values())
    for group in groups:
        for person in chance.sample(people, 2):
            Membership.objects.create(group=group, person=person)
    places = [*Folder.objects.all(), *Document.objects.all()]
    for place in chance.sample(places, 12):
        whom = chance.choice([*people, *groups])
        subject = {"group": whom} if isinstance(whom, Group) else {"person": whom}
        Grant.objects.create(**access.scope_of(place), **subject, role=chance.choice(list(Role)))


def actors(cast: Cast, chance: random.Random) -> list[Actor]:
    """Each person, as themselves, as an administrator, by agents narrowed by chance; and a job."""
    found: list[Actor] = []
    places = [
        None,
        *({"folder": pk} for pk in Folder.objects.values_list("pk", flat=True)),
        *({"document": pk} for pk in Document.objects.values_list("pk", flat=True)),
    ]

    def scopes() -> tuple[Scope, ...]:
        chosen = chance.sample(places, chance.choice((1, 2, 3)))
        return tuple(Scope(role=chance.choice(list(Role)), **(place or {})) for place in chosen)

    for name in cast.people:
        person = cast.person(name)
        agent = replace(person, agent="agt_x", agent_name="x", via=Via.MCP)
        found += [person, replace(person, admin=True), replace(agent, scopes=scopes()), replace(agent, scopes=scopes())]
    return [*found, Actor.for_job("sweeper", scopes=scopes()), Actor.for_job("idle", scopes=())]


@pytest.mark.parametrize("seed", range(4))
def test_a_head_is_read_as_access_tells(cast: Cast, seed: int) -> None:
    chance = random.Random(seed)
    tree(cast, chance)
    told = set()
    for actor in actors(cast, chance):
        asked = [{"location": f"{folder}/{name}"} for folder in (*FOLDERS, "absent") for name in NAMES]
        asked += [{"id": pk} for pk in (*Document.objects.values_list("pk", flat=True), "doc_absent")]
        for where in asked:
            held = tried(lambda w=where, a=actor: access.document(a, **w))  # type: ignore[misc]
            read = tried(lambda w=where, a=actor: reads.read(a, **w))  # type: ignore[misc]
            if isinstance(held, Document):
                # The version of the head, which the ORM reads, is the head in every field.
                assert read == reads.read(actor, id=held.pk, at=held.head_id)
                assert (read.id, read.role, read.commit) == (held.pk, held.role, held.head_id)
                told.add(held.role)
            else:
                assert read is held, (actor, where)
                told.add(held)
    assert told >= {errors.NotFound, errors.Gone, Role.MANAGER}
    assert len(told) > 3, "the tree is too plain to tell a difference"


def test_a_tokens_holder_is_the_one_in_the_rows(cast: Cast) -> None:
    chance = random.Random(1)
    now = timezone.now()
    admin = replace(cast.alice, admin=True)
    places = [None, *Folder.objects.all()]
    documents.create(admin, location="product/launch/one.md", content="x")
    places += list(Document.objects.all())
    tokens = dict.fromkeys(cast.tokens.values())
    for n in range(24):
        person = cast.person(chance.choice(list(cast.people)))
        made = agents.create(person, name=f"agent {n}", host=chance.choice(("", "codex")))
        tokens[made.token] = None
        for place in chance.sample(places, chance.choice((0, 1, 2, 3))):
            AgentScope.objects.create(
                agent_id=made.agent_id, role=chance.choice(list(Role)), **(access.scope_of(place) if place else {})
            )
        rows = AgentToken.objects.filter(agent=made.agent_id)
        match n % 6:
            case 1:
                rows.update(revoked_at=now)
            case 2:
                rows.update(expires_at=now - timedelta(seconds=1))
            case 3:
                rows.update(expires_at=now + timedelta(hours=1))
            case 4:
                Agent.objects.filter(pk=made.agent_id).update(revoked_at=now)
            case 5:
                ends = now + timedelta(hours=chance.choice((-1, 1)))
                Agent.objects.filter(pk=made.agent_id).update(expires_at=ends)
    Person.objects.filter(pk=cast.people["carol"].pk).update(is_active=False)
    Person.objects.filter(pk=cast.people["bob"].pk).update(is_superuser=True, name="")
    outcomes = []
    for token in tokens:
        got = tried(lambda t=token: bearer.authenticate(t, via=Via.MCP, session="s"))  # type: ignore[misc]
        row = AgentToken.objects.select_related("agent__person").get(token_hash=digest(token))
        if row.revoked_at or (row.expires_at and row.expires_at <= now) or ended(row.agent, now):
            assert got is errors.Unauthenticated
        else:
            assert isinstance(got, Actor)
            assert replace(got, scopes=()) == as_agent(row.agent)
            assert set(got.scopes) == narrowing(row.agent)
        outcomes.append(got)
    assert {type(got) for got in outcomes} == {type, Actor}
    assert tried(lambda: bearer.authenticate("btn_" + "0" * 38, via=Via.MCP)) is errors.Unauthenticated


def ended(agent: Agent, now: datetime) -> bool:
    """Whether nothing that the agent holds is good any more."""
    over = agent.expires_at is not None and agent.expires_at <= now
    return agent.revoked_at is not None or over or not agent.person.is_active


def as_agent(agent: Agent) -> Actor:
    """The actor that a token of the agent makes, but for its scopes."""
    person = access.person_actor(agent.person, via=Via.MCP)
    return replace(person, agent=agent.pk, agent_name=agent.name, host=agent.host, session="s")


def narrowing(agent: Agent, *, most: Role = Role.MANAGER) -> set[Scope]:
    """The agent's scopes, each of ``most`` at most."""
    return {
        Scope(role=min(Role(scope.role), most), folder=scope.folder_id, document=scope.document_id)
        for scope in agent.scopes.all()
    }


def test_an_access_tokens_holder_is_the_one_in_the_rows(cast: Cast) -> None:
    chance = random.Random(2)
    now = timezone.now()
    documents.create(replace(cast.alice, admin=True), location="product/launch/one.md", content="x")
    places = [None, *Folder.objects.all(), *Document.objects.all()]
    audiences = [[name] for name in bearer.resources()] * 3
    audiences += [[], ["https://other.example/mcp"], [*bearer.resources()[:2]]]
    tokens: list[tuple[str, Token, Agent]] = []
    for n in range(100):
        person = cast.people[chance.choice(list(cast.people))]
        scoped = {place: chance.choice(list(Role)) for place in chance.sample(places, chance.choice((0, 1, 2)))}
        made = grant(person, f"program {n}", narrowing=scoped)
        token = made.issue(
            chance.choice(("at", "at", "at", "at", "rt", "ac")),
            scopes=chance.choice(("workspace:read", "workspace:write", "workspace:read workspace:write", "openid")),
            resources=chance.choice(audiences),
            expires_at=now + timedelta(hours=chance.choice((-1, 1, 1, 1))),
        )
        ends = chance.choice((*[""] * 6, "agent expires", "agent", "connection"))
        if ends == "connection":
            Connection.objects.filter(agent=made.agent).update(ended_at=now)
        elif ends:
            column = {"agent": "revoked_at", "agent expires": "expires_at"}[ends]
            Agent.objects.filter(pk=made.agent.pk).update(**{column: now - timedelta(seconds=1)})
        tokens.append((token, made.row, made.agent))
    Person.objects.filter(pk=cast.people["carol"].pk).update(is_active=False)
    outcomes = []
    for token, row, agent in tokens:
        got = tried(lambda t=token: bearer.authenticate(t, via=Via.MCP, session="s"))  # type: ignore[misc]
        agent.refresh_from_db()
        agent.person.refresh_from_db()
        held = Token.objects.lookup("at", token)
        standing = Connection.objects.filter(grant_id=row.get_grant_id(), ended_at=None, agent=agent).exists()
        here = len(row.get_resources()) == 1 and row.get_resources()[0] in bearer.resources()
        scopes = set(row.get_scopes()) & set(bearer.SCOPES)
        if held is None or not standing or not here or not scopes or ended(agent, now):
            assert got is errors.Unauthenticated
        else:
            assert isinstance(got, Actor)
            assert replace(got, scopes=()) == as_agent(agent)
            most = Role.MANAGER if bearer.WRITE in scopes else Role.VIEWER
            whole = {Scope(role=Role.VIEWER)} if most is Role.VIEWER else set()
            assert set(got.scopes) == (narrowing(agent, most=most) or whole)
        outcomes.append(got)
    assert {type(got) for got in outcomes} == {type, Actor}
    assert sum(isinstance(got, Actor) for got in outcomes) > 9, "too few are good to tell a difference"


def test_a_name_is_taken_by_what_lives_there_under_any_twin_of_it(cast: Cast) -> None:
    place = "product/launch"
    for name in ("Plan.md", "straße.md", "gone.md", "own.md"):
        documents.create(cast.alice, location=f"{place}/{name}", content="x")
    documents.delete(cast.alice, location=f"{place}/gone.md")
    folders.create(cast.alice, location=f"{place}/Notes")
    folders.create(cast.alice, location=f"{place}/old")
    folders.delete(cast.alice, location=f"{place}/old")
    documents.create(cast.alice, location="product/elsewhere.md", content="x")
    folder = Folder.objects.get(path=place)
    own = Document.objects.get(name="own.md")
    refused = []
    for name in (
        "plan.md",
        "Plan.md",
        "STRASSE.md",
        "gone.md",
        "notes",
        "Notes",
        "old",
        "own.md",
        "elsewhere.md",
        "new",
    ):
        for but in (None, own):
            key = locations.twin_key(name)
            there = Document.objects.live().filter(folder=folder, twin_key=key).exclude(pk=but.pk if but else "")
            inside = Folder.objects.live().filter(parent=folder, twin_key=key)
            names = {row.name for row in (*there, *inside)}
            if names:
                with pytest.raises(errors.AlreadyExists) as refusal:
                    folders.refuse_taken(folder, name, but=but)
                assert {refusal.value.location.removeprefix(f"{place}/")} == names
                refused.append((name, but is own))
            else:
                folders.refuse_taken(folder, name, but=but)
    assert [name for name, but in refused if but] == ["plan.md", "Plan.md", "STRASSE.md", "notes", "Notes"]
    assert ("own.md", False) in refused
