"""An administrator at the admin, and a workspace with rows of every kind."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from allauth.idp.oidc.models import Client as Program
from django.db import connection, transaction
from django.test import Client

from workspace import models
from workspace.actor import Via
from workspace.management.operator import operator
from workspace.models import Person
from workspace.services import commits, people

PASSWORD = "a calm and long one"


@pytest.fixture
def root(db: None) -> Person:
    return people.create(operator("tests"), email="root@example.org", name="Root", password=PASSWORD, admin=True)


@pytest.fixture
def desk(root: Person) -> Client:
    """A browser in which the administrator is signed in."""
    client = Client()
    client.force_login(root)
    return client


@pytest.fixture
def fill(root: Person) -> Callable[[int], None]:
    """Adds `count` rows of every model, each with other people, folders and documents behind it."""
    made = 0

    def add(count: int) -> None:
        nonlocal made
        for number in range(made, made + count):
            _one_of_each(number)
        made += count

    return add


def _one_of_each(n: int) -> None:
    now = datetime.now(UTC)
    person = Person.objects.create(email=f"p{n}@example.org", name=f"Person {n}")
    group = models.Group.objects.create(name=f"Group {n}")
    models.Membership.objects.create(group=group, person=person)
    models.Nesting.objects.create(outer=group, inner=models.Group.objects.create(name=f"Part {n}"))
    folder = models.Folder.objects.create(name=f"f{n}", twin_key=f"f{n}", path=f"f{n}", created_by=person)
    folder.lineage = [folder.pk]
    folder.save()
    agent = models.Agent.objects.create(person=person, name=f"agent {n}", host="claude-code")
    models.AgentToken.objects.create(agent=agent, prefix=f"btn_{n:06}", token_hash=f"{n:064x}")
    models.AgentScope.objects.create(agent=agent, role=1, folder=folder)
    models.Connection.objects.create(
        agent=agent, grant_id=f"{n:032x}", client_id=f"client-{n}", client_name=f"Claude Code {n}",
        resource="https://baton.example.org/mcp", scopes="workspace:read",
    )  # fmt: skip
    Program.objects.create(
        id=f"client-{n}", name=f"Claude Code {n}", secret=f"secret-{n:060}", redirect_uris="http://127.0.0.1/callback",
        scopes="workspace:read", type="public", data={"registration": "kept from view"},
    )  # fmt: skip
    document = models.Document(folder=folder, name=f"d{n}.md", twin_key=f"d{n}.md")
    blob = models.Blob.objects.create(hash=f"{n:064x}", content=f"text {n}", size=6, lines=1)
    commit = models.Commit(
        document=document, number=1, blob=blob, kind="create", location=f"f{n}/d{n}.md", author=person,
        agent=agent if n % 2 else None, via=Via.MCP, created_at=now,
    )  # fmt: skip
    commit.id = commits.identify(commit)
    document.head, document.number = commit, 1
    with transaction.atomic():
        document.save(force_insert=True)
        commit.save(force_insert=True)
    models.Grant.objects.create(folder=folder, person=person, role=3, created_by=person)
    models.Grant.objects.create(document=document, group=group, role=1, created_by=person)
    models.AccessRequest.objects.create(
        person=person, agent=agent, location=f"f{n}", folder=folder, role=2, granted_role=1, decided_by=person,
        state="declined",
    )  # fmt: skip
    models.SignInLink.objects.create(token_hash=f"{n:064x}", person=person, expires_at=now)
    models.Invitation.objects.create(
        token_hash=f"{n:064x}",
        email=f"new{n}@example.org",
        invited_by=person,
        document=document,
        role=1,
        expires_at=now,
    )
    conflict = models.Conflict.objects.create(
        document=document, base=commit, head=commit, draft=blob, author=person, agent=agent, via=Via.MCP, hunk_count=1
    )
    models.Settling.objects.create(conflict=conflict, person=person, head=commit, choices=["mine"])
    models.Draft.objects.create(person=person, document=document, base=commit, content="…")
    models.Blame.objects.create(document=document, commit=commit, version=1, commits=[commit.pk], runs=[[0, 1]])
    models.BlameMark.objects.create(document=document, commit=commit, number=1, version=1)
    capture = models.Capture.objects.create(
        folder=folder, content="x" * 2000, digest="d", principal=f"agent:{n}", operation_id=f"op{n}",
        author=person, agent=agent, via=Via.HOOK,
    )  # fmt: skip
    models.Binding.objects.create(person=person, repository=f"github.com/acme/r{n}", folder=folder, location=f"f{n}")
    models.Summary.objects.create(capture=capture, lines=[{"section": "asked", "text": "…"}], engine="extractive")
    models.Job.objects.create(kind="index", target=document.pk, state="failed", attempts=6, last_error="boom",
                              document=document, folder=folder)  # fmt: skip
    models.BriefMark.objects.create(principal=f"person:{n}", through=now)
    models.Heartbeat.objects.create(name=f"worker {n}", at=now)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_tsvector('simple', %s)", [f"text {n}"])
        (terms,) = cursor.fetchone()
    models.Chunk.objects.create(document=document, commit=commit, ordinal=0, start_line=1, end_line=1, text="t",
                                terms=terms, length=1)  # fmt: skip
    models.Receipt.objects.create(kind="written", person=person, agent=agent, via=Via.MCP, folder=folder,
                                  document=document, commit=commit, capture=capture, conflict=conflict)  # fmt: skip
    models.IdempotencyKey.objects.create(principal=f"person:{n}", operation="documents.create", key=f"k{n}", digest="d")
    models.AuditEntry.objects.create(
        action="document.created", person=person, agent=agent if n % 2 else None, via=Via.MCP, folder=folder,
        document=document, location=f"f{n}/d{n}.md",
    )  # fmt: skip
