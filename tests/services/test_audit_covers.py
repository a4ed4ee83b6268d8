"""Every service that changes something leaves an entry, in its own transaction; what changed nothing leaves none."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.db import DatabaseError, connection
from django.utils import timezone

import workspace
from tests.cast import PLAN, Cast
from workspace import services
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.digest.summary import SummaryLine
from workspace.management.operator import operator
from workspace.merge import merge
from workspace.models import (
    AgentToken,
    AuditEntry,
    Capture,
    Conflict,
    Document,
    Folder,
    Job,
    JobState,
    Person,
    SignInLink,
)
from workspace.queries import bindings as consents
from workspace.services import (
    access_requests,
    agents,
    audit_retention,
    bindings,
    captures,
    commits,
    conflicts,
    connections,
    documents,
    folders,
    groups,
    imports,
    invitations,
    jobs,
    moves,
    people,
    purging,
    replay,
    sessions,
    settling,
    sharing,
    sign_in_links,
    summaries,
    welcome,
)
from workspace.services.audit_actions import ACTIONS
from workspace.services.entries import Found

PLACE = "product/launch/plan.md"


@dataclass
class World:
    """The cast, the head of the plan, and an administrator."""

    cast: Cast
    head: str
    root: Actor

    @property
    def alice(self) -> Actor:
        return self.cast.alice

    def person(self, name: str) -> int:
        return self.cast.people[name].pk


@pytest.fixture
def world(cast: Cast, plan: str) -> World:
    person = Person.objects.create_superuser("root@example.org", "x" * 20, name="Root")
    assert all((cast.scout, cast.rover))  # that they were seen is noted once
    return World(cast=cast, head=plan, root=person_actor(person, via=Via.REST))


def conflict(w: World) -> str:
    head = documents.edit(w.alice, location=PLACE, content=PLAN.replace("second", "third"), expected_commit=w.head)
    assert head.commit  # type: ignore[union-attr]
    draft = PLAN.replace("second", "fourth")
    kept = documents.edit(w.cast.bob, location=PLACE, content=draft, expected_commit=w.head)
    return kept.conflict  # type: ignore[union-attr, return-value]


def head_of(w: World) -> str:
    return str(Document.objects.get(name="plan.md").head_id)


def capture(w: World) -> str:
    return captures.commit(w.alice, folder="product/launch", content="what I did", operation_id="one").id


def binding(w: World) -> str:
    return bindings.bind(w.alice, repository="github.com/acme/shop", folder="product").id


def proposal(w: World) -> str:
    """Proposed to alice by her own agent."""
    return captures.commit(w.cast.scout, folder="product", content="what I did", operation_id="p", propose=True).id


def overdue_proposal(w: World) -> str:
    made = proposal(w)
    Capture.objects.update(delete_after=datetime(2020, 1, 1, tzinfo=UTC))
    return made


def overdue_capture(w: World) -> str:
    made = capture(w)
    Capture.objects.update(delete_after=datetime(2020, 1, 1, tzinfo=UTC))
    return made


def request(w: World) -> str:
    return access_requests.ask(w.cast.mallory, location="product/launch", role="viewer").id


def group(w: World, name: str = "crew") -> int:
    return groups.create(w.root, name=name).pk


def failed_job(w: World) -> str:
    job = Job.objects.filter(document__isnull=False).latest("created_at")
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED)
    return job.pk


def asking() -> connections.Asking:
    return connections.Asking(
        client_id="c",
        client_name="Claude Code",
        client_host="",
        redirect_host="127.0.0.1",
        resource="http://127.0.0.1:8000/mcp",
        scopes=("workspace:read", "workspace:write"),
    )


def connected(w: World) -> connections.Connected:
    return connections.connect(w.alice, asking=asking(), grant_id="g")


def link_of(made: invitations.Invited) -> str:
    return made.url.rstrip("/").rpartition("/")[2]


def purge_of_records(w: World) -> Any:
    SignInLink.objects.create(token_hash="0" * 64, expires_at=timezone.now() - timedelta(days=90))
    return lambda: list(purging.records(operator("purge"), before=timezone.now() - timedelta(days=30)))


def purge_of_documents(w: World) -> Any:
    documents.delete(w.alice, location=PLACE)
    return lambda: list(purging.documents(operator("purge"), before=timezone.now() + timedelta(days=1)))


def purge_of_drafts(w: World) -> Any:
    conflicts.discard(w.alice, conflict=conflict(w))
    Conflict.objects.update(closed_at=timezone.now() - timedelta(days=91))
    return lambda: purging.drafts(Actor.for_job("retention", scopes=()))


def purge_of_the_log(w: World, settings: Any) -> Any:
    AuditEntry.objects.create(action="folder.created", via="web", at=timezone.now() - timedelta(days=90))
    settings.BATON_AUDIT_DAYS = 30
    return lambda: audit_retention.purge(Actor.for_job("retention", scopes=()))


def prepared(act: Callable[..., Any], *needs: Callable[[World], Any]) -> Callable[[World], Callable[[], Any]]:
    """A case: ``needs`` are made first and given to ``act``, whose entries alone count."""

    def case(w: World) -> Callable[[], Any]:
        made = [need(w) for need in needs]
        return lambda: act(w, *made)

    return case


def session(w: World) -> UserSession:
    """A browser of alice's, beside the one that she acts in."""
    return UserSession.objects.create(user_id=w.person("alice"), session_key="there", ip="192.0.2.1", user_agent="x")


def note(version: str) -> Found:
    return Found(name="a.md", path=("a.md",), read=lambda: version.encode())


# By the name of the service: what it takes to call it, and the actions that it then leaves, in order.
WRITES: dict[str, tuple[Callable[[World], Callable[[], Any]], list[str]]] = {
    "access_requests.ask": (
        prepared(lambda w: access_requests.ask(w.cast.mallory, location=PLACE, role="viewer")),
        ["access.requested"],
    ),
    "access_requests.decide": (
        prepared(lambda w, made: access_requests.decide(w.alice, request=made, approve=True), request),
        ["grant.given", "access.approved"],
    ),
    "access_requests.withdraw": (
        prepared(lambda w, made: access_requests.withdraw(w.cast.mallory, request=made), request),
        ["access.withdrawn"],
    ),
    "agents.create": (prepared(lambda w: agents.create(w.alice, name="new")), ["token.minted"]),
    "agents.rename": (
        prepared(lambda w: agents.rename(w.alice, agent=str(w.cast.scout.agent), name="ranger")),
        ["agent.renamed"],
    ),
    "agents.revoke": (
        prepared(lambda w: agents.revoke(w.alice, agent=str(w.cast.scout.agent))),
        ["agent.revoked"],
    ),
    "agents.revoke_token": (
        prepared(lambda w: agents.revoke_token(w.alice, token=AgentToken.objects.get(agent__name="scout").pk)),
        ["token.revoked"],
    ),
    "bindings.bind": (prepared(binding), ["binding.set"]),
    "bindings.bind, for everybody": (
        prepared(lambda w: bindings.bind(w.root, repository="github.com/acme/shop", folder="product", everybody=True)),
        ["binding.set"],
    ),
    "bindings.remove": (prepared(lambda w, made: bindings.remove(w.alice, binding=made), binding), ["binding.removed"]),
    "bindings.switch_capture": (
        prepared(
            lambda w, made: bindings.switch_capture(
                w.alice, binding=made, capture="ask", seen=consents.consent(w.alice, id=made).seen
            ),
            binding,
        ),
        ["binding.capture_switched"],
    ),
    "captures.approve": (
        prepared(lambda w, made: captures.approve(w.alice, capture=made), proposal),
        ["capture.approved"],
    ),
    "captures.commit": (prepared(capture), ["capture.created"]),
    "captures.commit, proposed": (prepared(proposal), ["capture.proposed"]),
    "captures.erase, proposed": (
        prepared(lambda w, made: captures.erase(w.alice, capture=made), proposal),
        ["capture.declined"],
    ),
    "captures.retain, proposed": (
        prepared(lambda w, made: captures.retain(made), overdue_proposal),
        ["capture.erased"],
    ),
    "captures.erase": (prepared(lambda w, made: captures.erase(w.alice, capture=made), capture), ["capture.erased"]),
    "captures.retain": (
        prepared(
            lambda w, made: captures.retain(made),
            overdue_capture,
        ),
        ["capture.erased"],
    ),
    "conflicts.resolve": (
        prepared(lambda w, made: conflicts.resolve(w.alice, conflict=made, choices=["mine"]), conflict),
        ["conflict.resolved"],
    ),
    "settling.save": (
        prepared(lambda w, made: settling.save(w.alice, conflict=made, choices=["mine"], head=head_of(w)), conflict),
        ["conflict.begun"],
    ),
    "conflicts.discard": (
        prepared(lambda w, made: conflicts.discard(w.alice, conflict=made), conflict),
        ["conflict.discarded"],
    ),
    "connections.connect": (prepared(connected), ["agent.connected"]),
    "connections.disconnect": (
        prepared(lambda w, made: connections.disconnect(w.alice, connection=made.id), connected),
        ["agent.disconnected"],
    ),
    "connections.end": (
        prepared(lambda w, made: connections.end("g", why="a refresh token was used twice"), connected),
        ["agent.disconnected"],
    ),
    "documents.create": (
        prepared(lambda w: documents.create(w.alice, location="new/a.md", content="x")),
        ["folder.created", "grant.given", "document.created"],
    ),
    "documents.edit": (
        prepared(lambda w: documents.edit(w.alice, location=PLACE, content="new", expected_commit=w.head)),
        ["document.edited"],
    ),
    "documents.edit, merging": (
        prepared(
            lambda w, _: documents.edit(
                w.cast.bob,
                location=PLACE,
                content=PLAN.replace("slow", "quick"),
                expected_commit=w.head,
                on_conflict="merge",
            ),
            lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third"),
        ),
        ["document.merged"],
    ),
    "documents.merge_in": (
        prepared(
            lambda w, moved: documents.merge_in(
                w.cast.bob,
                location=PLACE,
                merged=merge(PLAN, PLAN.replace("second", "third"), PLAN.replace("slow", "quick")),
                upon=w.head,
                expected_commit=moved.commit,
            ),
            lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third"),
        ),
        ["document.merged"],
    ),
    "documents.edit, in conflict": (prepared(conflict), ["document.edited", "conflict.opened"]),
    "documents.substitute": (
        prepared(lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third")),
        ["document.edited"],
    ),
    "documents.append": (
        prepared(lambda w: documents.append(w.cast.rover, location=PLACE, content="more")),
        ["document.edited"],
    ),
    "documents.replace_section": (
        prepared(lambda w: documents.replace_section(w.alice, location=PLACE, section="Goals", content="## Goals\n")),
        ["document.edited"],
    ),
    "documents.move": (
        prepared(lambda w: documents.move(w.alice, source=PLACE, target="product/plan.md")),
        ["document.moved_away", "document.moved"],
    ),
    "documents.delete": (prepared(lambda w: documents.delete(w.alice, location=PLACE)), ["document.deleted"]),
    "documents.undelete": (
        prepared(
            lambda w, _: documents.undelete(w.alice, location=PLACE),
            lambda w: folders.delete(w.alice, location="product"),
        ),
        ["folder.undeleted", "folder.undeleted", "document.undeleted"],
    ),
    "documents.restore": (
        prepared(
            lambda w, _: documents.restore(w.alice, location=PLACE, commit=w.head),
            lambda w: documents.append(w.alice, location=PLACE, content="more"),
        ),
        ["document.restored"],
    ),
    "documents.restore_section": (
        prepared(
            lambda w, _: documents.restore_section(w.alice, location=PLACE, commit=w.head, section="Goals"),
            lambda w: documents.replace_section(w.alice, location=PLACE, section="Goals", content="Other."),
        ),
        ["document.edited"],
    ),
    "folders.create": (
        prepared(lambda w: folders.create(w.alice, location="product/one/two")),
        ["folder.created", "folder.created"],
    ),
    "folders.move": (
        prepared(lambda w: folders.move(w.alice, source="product/launch", target="product/landing")),
        ["folder.moved_away", "folder.moved"],
    ),
    "folders.settings": (
        prepared(lambda w: folders.settings(w.alice, location="product", retention_days=30)),
        ["folder.settings_changed"],
    ),
    "folders.delete": (
        prepared(lambda w: folders.delete(w.alice, location="product")),
        ["document.deleted", "folder.deleted"],
    ),
    "groups.create": (prepared(group), ["group.created"]),
    "groups.rename": (
        prepared(lambda w, made: groups.rename(w.root, group=made, name="team"), group),
        ["group.renamed"],
    ),
    "groups.add": (
        prepared(lambda w, made: groups.add(w.root, group=made, person=w.person("bob")), group),
        ["group.member_added"],
    ),
    "groups.remove": (
        prepared(
            lambda w, made: groups.remove(w.root, group=made, person=w.person("bob")),
            lambda w: (made := group(w), groups.add(w.root, group=made, person=w.person("bob")))[0],
        ),
        ["group.member_removed"],
    ),
    "groups.nest": (
        prepared(
            lambda w, outer, inner: groups.nest(w.root, group=outer, inner=inner), group, lambda w: group(w, "inner")
        ),
        ["group.nested"],
    ),
    "groups.unnest": (
        prepared(
            lambda w, pair: groups.unnest(w.root, group=pair[0], inner=pair[1]),
            lambda w: (pair := (group(w), group(w, "inner")), groups.nest(w.root, group=pair[0], inner=pair[1]))[0],
        ),
        ["group.unnested"],
    ),
    "groups.delete": (prepared(lambda w, made: groups.delete(w.root, group=made), group), ["group.deleted"]),
    "imports.run": (
        prepared(lambda w: list(imports.run(w.alice, entries=[note("one")], into="product/notes"))),
        ["folder.created", "document.created"],
    ),
    "invitations.create": (
        prepared(lambda w: invitations.create(w.root, email="new@example.org")),
        ["invitation.created"],
    ),
    "invitations.renew": (
        prepared(
            lambda w, made: invitations.renew(w.root, invitation=made.id),
            lambda w: invitations.create(w.root, email="new@example.org"),
        ),
        ["invitation.renewed"],
    ),
    "invitations.revoke": (
        prepared(lambda w, made: invitations.revoke(w.root, invitation=made.id), lambda w: invitations.create(w.root)),
        ["invitation.revoked"],
    ),
    "invitations.accept": (
        prepared(
            lambda w, made: invitations.accept(w.cast.mallory, link=link_of(made)),
            lambda w: invitations.create(w.alice, location="product/launch", role="viewer"),
        ),
        ["invitation.accepted", "grant.given"],
    ),
    "invitations.sign_up": (
        prepared(
            lambda w, made: invitations.sign_up(
                link_of(made), email="new@example.org", name="New", password="a calm and long one"
            ),
            lambda w: invitations.create(w.root, email="new@example.org"),
        ),
        ["person.signed_up", "invitation.accepted"],
    ),
    "jobs.retry": (prepared(lambda w, made: jobs.retry(w.alice, job=made), failed_job), ["job.retried"]),
    "moves.move": (
        prepared(lambda w: moves.move(w.alice, source=PLACE, target="product/plan.md")),
        ["document.moved_away", "document.moved"],
    ),
    "people.create": (prepared(lambda w: people.create(w.root, email="new@example.org")), ["person.created"]),
    "people.update": (
        prepared(lambda w: people.update(w.root, person=w.person("bob"), name="Rob", active=False, admin=True)),
        ["person.renamed", "person.deactivated", "person.admin_changed"],
    ),
    "people.rename": (prepared(lambda w: people.rename(w.alice, name="Alicia")), ["person.renamed"]),
    "people.sign_out": (
        prepared(lambda w: people.sign_out(w.root, person=w.person("bob"))),
        ["person.signed_out"],
    ),
    "sessions.end": (
        prepared(lambda w, made: sessions.end(w.alice, session=made, current="here"), lambda w: session(w).pk),
        ["signin.session_ended"],
    ),
    "sessions.end_others": (
        prepared(lambda w, _: sessions.end_others(w.alice, current="here"), lambda w: session(w)),
        ["signin.session_ended"],
    ),
    "people.reset_second_steps": (
        prepared(lambda w: people.reset_second_steps(w.root, person=w.person("bob"))),
        ["mfa.reset"],
    ),
    "people.set_password": (
        prepared(lambda w: people.set_password(w.root, person=w.person("bob"), password="a calm and long one")),
        ["password.set"],
    ),
    "purging.documents": (purge_of_documents, ["document.purged"]),
    "purging.drafts": (purge_of_drafts, ["conflict.purged"]),
    "purging.records": (purge_of_records, ["records.purged"]),
    "replay.commit": (
        prepared(
            lambda w: replay.commit(
                w.alice, content="x", at=datetime(2020, 1, 1, tzinfo=UTC), location="product/old.md"
            )
        ),
        ["document.created"],
    ),
    "sharing.grant": (
        prepared(lambda w: sharing.grant(w.alice, location=PLACE, subject="mallory@example.org", role="viewer")),
        ["grant.given"],
    ),
    "sharing.revoke": (
        prepared(lambda w: sharing.revoke(w.alice, location="product/launch", subject="carol@example.org")),
        ["grant.revoked"],
    ),
    "sharing.set_editors_share": (
        prepared(lambda w: sharing.set_editors_share(w.alice, location="product", allowed=False)),
        ["grant.editors_share"],
    ),
    "sharing.view_as": (
        prepared(lambda w: sharing.view_as(w.alice, location="product/launch", subject="carol@example.org")),
        ["access.viewed_as"],
    ),
    "sign_in_links.make": (
        prepared(lambda w: sign_in_links.make(w.root, person=w.person("bob"))),
        ["signin.link_made"],
    ),
    "sign_in_links.redeem": (
        prepared(
            lambda w, made: sign_in_links.redeem(made), lambda w: sign_in_links.make(w.root, person=w.person("bob"))
        ),
        ["signin.link_used"],
    ),
    "summaries.record": (
        prepared(
            lambda w, made: summaries.record(made, [SummaryLine(section="asked", text="x", source=made)], "dummy"),
            capture,
        ),
        ["capture.summarised"],
    ),
    "summaries.consolidate": (
        prepared(
            lambda w, _: summaries.consolidate(Folder.objects.get(path="product/launch").pk),
            lambda w: summaries.record(
                made := capture(w), [SummaryLine(section="asked", text="x", source=made)], "dummy"
            ),
        ),
        ["document.created"],
    ),
    "welcome.make_link": (prepared(lambda w: welcome.make_link()), ["signin.link_made"]),
}

# Services that take an actor and change nothing that is anybody's, or are a part of those above.
SILENT = {
    "contexts.prepare": "receipts alone: what a host asked for and was given",
    "contexts.report": "receipts alone: what a host did with it",
    "access_requests.preview": "tells what deciding would change",
    "access_requests.change": "tells what deciding would change",
    "agents.person_of": "a check",
    "audit.record": "the log itself",
    "audit.written": "the log itself",
    "audit.attempt": "the log itself",
    "audit.denied": "the log itself",
    "audit_retention.purge": "test_audit_append_only",
    "commits.record": "a part of each write of a document",
    "commits.bury": "a part of deleting",
    "confirmations.sign": "makes a token that stands for a preview",
    "confirmations.check": "a check",
    "briefs.acknowledge": "how far one has read, which nobody else can see",
    "drafts.drop": "one's own unsaved text",
    "drafts.mine": "one's own unsaved text",
    "drafts.save": "one's own unsaved text, which nobody else can see",
    "folders.deletion": "tells what deleting would take",
    "folders.ensure": "a part of creating",
    "folders.refuse_widening": "a check",
    "folders.revive": "a part of undeleting",
    "idempotency.first": "a look",
    "idempotency.once": "runs a write",
    "invitations.place_of": "a look",
    "invitations.record": "a part of each write of an invitation",
    "receipts.read": "reading leaves a receipt",
    "receipts.record": "a part of each write",
    "sharing.check_token": "a check",
    "sharing.confirm_token": "makes a token that stands for a preview",
    "sharing.give": "a part of sharing",
    "sharing.preview": "tells what sharing would change",
    "sharing.preview_at": "tells what sharing would change",
    "sharing.preview_revoke": "tells what revoking would change",
}


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(services.__path__, f"{services.__name__}."):
        yield importlib.import_module(found.name)


def taking_an_actor() -> set[str]:
    """``module.function`` of every public service whose first parameter is the actor; what a package holds by its
    own name."""
    found = set()
    for module in modules():
        short = module.__name__.removeprefix(f"{services.__name__}.").partition(".")[0]
        for name, held in vars(module).items():
            if name.startswith("_") or not inspect.isfunction(held) or held.__module__ != module.__name__:
                continue
            parameters = list(inspect.signature(inspect.unwrap(held)).parameters)
            if parameters[:1] == ["actor"]:
                found.add(f"{short}.{name}")
    return found


def test_every_service_that_takes_an_actor_is_held_to_the_log_or_said_to_change_nothing() -> None:
    known = {name.partition(",")[0] for name in WRITES} | set(SILENT)
    assert taking_an_actor() - known == set(), "write a case for it in WRITES"
    assert set(SILENT) - taking_an_actor() == set(), "is no service any more"


@pytest.mark.django_db
@pytest.mark.parametrize("name", WRITES)
def test_a_write_leaves_its_entries_with_who_did_it(name: str, world: World) -> None:
    case, wanted = WRITES[name]
    act = case(world)
    before = AuditEntry.objects.count()
    act()
    entries = list(AuditEntry.objects.order_by("id")[before:])
    assert sorted(entry.action for entry in entries) == sorted(wanted)
    assert not any(entry.denied for entry in entries)
    assert all(entry.person_id or entry.job for entry in entries)
    assert all(entry.action in ACTIONS for entry in entries)


class Broken(DatabaseError):
    """The log cannot be written."""


# Those of jobs are a part of the transaction in which the job is finished, or several in turn.
OWN = [name for name in WRITES if not name.startswith(("captures.retain", "summaries."))]


@pytest.mark.django_db
@pytest.mark.parametrize("name", OWN)
def test_a_write_that_cannot_be_recorded_does_not_happen(
    name: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = WRITES[name][0](world)
    state = rows()

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "INTO workspace_auditentry" in sql:
            raise Broken("The log cannot be written.")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse), pytest.raises(Broken):
        act()
    assert rows() == state


def rows() -> dict[str, Any]:
    """What the writes change, in short."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            " AND table_name LIKE 'workspace\\_%'"
        )
        tables = sorted(name for (name,) in cursor.fetchall())
        found = {}
        for table in tables:
            cursor.execute(f"SELECT md5(string_agg(row::text, '|' ORDER BY row::text)) FROM {table} AS row")
            (found[table],) = cursor.fetchone()
    return found


@pytest.mark.django_db
@pytest.mark.parametrize(
    "again",
    [
        pytest.param(
            lambda w: documents.edit(w.alice, location=PLACE, content=PLAN, expected_commit=w.head), id="same"
        ),
        pytest.param(lambda w: documents.move(w.alice, source=PLACE, target=PLACE), id="move to itself"),
        pytest.param(lambda w: documents.restore(w.alice, location=PLACE, commit=w.head), id="restore the head"),
        pytest.param(lambda w: folders.move(w.alice, source="product/launch", target="product/launch"), id="folder"),
        pytest.param(lambda w: folders.settings(w.alice, location="product", retention_days=None), id="settings"),
        pytest.param(
            lambda w: sharing.grant(w.alice, location="product/launch", subject="bob@example.org", role="editor"),
            id="grant",
        ),
        pytest.param(lambda w: sharing.set_editors_share(w.alice, location="product", allowed=True), id="editors"),
        pytest.param(lambda w: people.update(w.root, person=w.person("bob"), active=True), id="person"),
        pytest.param(lambda w: people.rename(w.alice, name="Alice"), id="name"),
    ],
)
def test_what_changes_nothing_leaves_nothing(again: Callable[[World], Any], world: World) -> None:
    before = AuditEntry.objects.count()
    again(world)
    assert AuditEntry.objects.count() == before


@pytest.mark.django_db
def test_a_repeated_request_leaves_its_entry_once(world: World) -> None:
    before = AuditEntry.objects.count()
    for _ in range(3):
        documents.append(world.alice, location=PLACE, content="more", idempotency_key="k")
        captures.commit(world.alice, folder="product", content="what I did", operation_id="one")
    assert AuditEntry.objects.count() == before + 2


@pytest.mark.django_db
def test_doing_again_what_is_done_leaves_nothing(world: World) -> None:
    made, kept, bob = conflict(world), capture(world), world.person("bob")
    crew = group(world)
    for _ in range(2):
        before = AuditEntry.objects.count()
        conflicts.discard(world.alice, conflict=made)
        captures.erase(world.alice, capture=kept)
        groups.add(world.root, group=crew, person=bob)
        agents.revoke(world.alice, agent=str(scout(world)))
    assert AuditEntry.objects.count() == before


def scout(w: World) -> str:
    return AgentToken.objects.get(agent__name="scout").agent_id


@pytest.mark.django_db
def test_a_folder_with_many_documents_is_deleted_with_one_statement_of_the_log_each(world: World) -> None:
    for n in range(5):
        documents.create(world.alice, location=f"product/launch/{n}.md", content="x")
    before = AuditEntry.objects.count()
    folders.delete(world.alice, location="product/launch")
    assert AuditEntry.objects.count() == before + 7


@pytest.mark.django_db
def test_no_entry_holds_a_secret_or_a_text(world: World) -> None:
    minted = agents.create(world.alice, name="new", scopes=["editor@product"])
    invited = invitations.create(world.root, email="new@example.org")
    link = sign_in_links.make(world.root, person=world.person("bob"))
    people.set_password(world.root, person=world.person("bob"), password="a calm and long one")
    documents.append(world.alice, location=PLACE, content="the very private text")
    captures.commit(world.alice, folder="product", content="the very private text", operation_id="one")
    whole = repr(list(AuditEntry.objects.values()))
    for secret in (minted.token, link_of(invited), link, "a calm and long one", "very private"):
        assert secret not in whole


def test_every_action_that_the_code_names_is_listed_for_the_filters() -> None:
    named = set(commits.ACTIONS.values())
    for path in Path(workspace.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                if called in ("record", "_record", "denied", "written"):
                    named |= {
                        held.value
                        for held in node.args
                        if isinstance(held, ast.Constant) and isinstance(held.value, str) and "." in held.value
                    }
    assert named - set(ACTIONS) == set()
    assert len(named) > 40
