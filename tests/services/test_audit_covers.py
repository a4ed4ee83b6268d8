"""Every service that changes something leaves an entry, in its own transaction; what changed nothing leaves none."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import DatabaseError, connection

import workspace
from tests.cast import PLAN, Cast
from tests.services.audited import (
    PLACE,
    World,
    capture,
    conflict,
    group,
    link_of,
    scout,
)
from tests.services.audited_writes import WRITES
from workspace import services
from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import (
    AuditEntry,
    Person,
)
from workspace.services import (
    agents,
    captures,
    commits,
    conflicts,
    documents,
    folders,
    groups,
    invitations,
    people,
    sharing,
    sign_in_links,
)
from workspace.services.audit_actions import ACTIONS


@pytest.fixture
def world(cast: Cast, plan: str) -> World:
    person = Person.objects.create_superuser("root@example.org", "x" * 20, name="Root")
    assert all((cast.scout, cast.rover))  # that they were seen is noted once
    return World(cast=cast, head=plan, root=person_actor(person, via=Via.REST))


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
"""Services that take an actor and change nothing that is anybody's, or are a part of those above."""


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
