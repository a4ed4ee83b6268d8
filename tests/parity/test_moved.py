"""A document that was moved tells nobody of a place that they may not read, on no surface.

carol reads ``product/launch`` and manages one page of ``product/shared`` alone; of ``attic`` she knows nothing.
"""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast
from tests.parity.hidden import Statements
from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.mcp.tools import TOOLS
from workspace.models import Commit, Document, Person
from workspace.queries import audit, audit_filters, export_git, history
from workspace.queries.history import CommitRow
from workspace.services import agents, bearer, documents, folders, sharing

SECRET = "attic/severance.md"
OPEN = "product/launch/terms.md"


@pytest.fixture
def moved(cast: Cast) -> str:
    """The id of what alice wrote at ``SECRET`` and then put at ``OPEN``, where bob edited it."""
    made = documents.create(cast.alice, location=SECRET, content="one\n\ntwo\n")
    documents.substitute(cast.alice, location=SECRET, old_string="one", new_string="first")
    documents.move(cast.alice, source=SECRET, target=OPEN, acknowledge_access_change=True)
    documents.substitute(cast.bob, location=OPEN, old_string="two", new_string="second")
    return made.document


def rows(actor: Actor, location: str = OPEN) -> list[CommitRow]:
    return list(reversed(history.log(actor, location=location).items))


def first(document: str) -> Commit:
    return Commit.objects.get(document=document, number=1)


def tells(text: str) -> bool:
    return "attic" in text or "severance" in text


def test_a_reader_is_told_no_place_that_they_may_not_read(cast: Cast, moved: str) -> None:
    assert [row.location for row in rows(cast.carol)] == [None, None, OPEN, OPEN]
    assert [row.now for row in rows(cast.carol)] == [OPEN] * 4


def test_who_reads_the_old_place_is_told_it(cast: Cast, moved: str) -> None:
    assert [row.location for row in rows(cast.alice)] == [SECRET, SECRET, OPEN, OPEN]
    sharing.grant(cast.alice, location="attic", subject="carol@example.org", role="viewer")
    assert next(row.location for row in rows(cast.carol)) == SECRET


def test_a_place_that_is_gone_is_like_one_that_is_hidden(cast: Cast, moved: str) -> None:
    sharing.grant(cast.alice, location="attic", subject="carol@example.org", role="viewer")
    folders.delete(cast.alice, location="attic")
    assert [row.location for row in rows(cast.carol)] == [None, None, OPEN, OPEN]


def test_an_administrator_is_told_places_that_are_gone(cast: Cast, moved: str) -> None:
    folders.delete(cast.alice, location="attic")
    Person.objects.filter(pk=cast.alice.person).update(is_superuser=True)
    admin = person_actor(Person.objects.get(pk=cast.alice.person), via=Via.REST)
    assert next(row.location for row in rows(admin)) == SECRET


def test_a_former_name_in_the_same_folder_is_told(cast: Cast, moved: str) -> None:
    documents.move(cast.bob, source=OPEN, target="product/launch/deal.md")
    sharing.grant(cast.alice, location="product/launch/deal.md", subject="mallory@example.org", role="viewer")
    found = rows(cast.mallory, "product/launch/deal.md")
    assert [row.location for row in found] == [None, None, OPEN, OPEN, "product/launch/deal.md"]


def test_an_agent_is_told_what_its_scopes_leave(cast: Cast, moved: str) -> None:
    narrow = agents.create(cast.alice, name="narrow", scopes=["viewer@product/launch"])
    actor = bearer.authenticate(narrow.token, via=Via.MCP)
    assert [row.location for row in rows(actor)] == [None, None, OPEN, OPEN]


def test_the_statements_are_the_same_whether_it_moved_or_not(cast: Cast, moved: str) -> None:
    documents.create(cast.bob, location="product/launch/stayed.md", content="one\n")
    with Statements() as of_moved:
        history.log(cast.carol, location=OPEN)
    with Statements() as of_stayed:
        history.log(cast.carol, location="product/launch/stayed.md")
    assert of_moved.ran == of_stayed.ran


def carol(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.people["carol"], backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def tells_nothing(client: Client, path: str) -> None:
    answered = client.get(path)
    assert answered.status_code == 200, path
    assert not tells(answered.content.decode()), path


def test_rest_tells_of_no_hidden_place(cast: Cast, moved: str) -> None:
    client = carol(cast)
    commit = first(moved).pk
    for path in (
        f"/commits?location={OPEN}",
        f"/commits/{commit}",
        f"/diff?location={OPEN}&from={commit}",
        f"/blame?location={OPEN}",
        f"/blame?location={OPEN}&at={commit}",
        f"/documents/{OPEN}?at={commit}",
        f"/receipts?location={OPEN}",
        "/documents?location=product&recursive=true",
        "/audit",
    ):
        tells_nothing(client, f"/api/v1{path}")
    told = client.get(f"/api/v1/commits/{commit}").json()
    assert told["location"] is None
    assert told["web_url"].endswith(f"/d/{OPEN}?at={commit}")


def test_pages_tell_of_no_hidden_place(cast: Cast, moved: str) -> None:
    client = carol(cast)
    commit = first(moved).pk
    for path in (
        f"/history/{OPEN}",
        f"/diff/{OPEN}?from={commit}",
        f"/blame/{OPEN}",
        f"/d/{OPEN}?at={commit}",
        "/activity/product/launch",
        "/",
        "/audit",
    ):
        tells_nothing(client, path)
    assert b"Moved from elsewhere to" in client.get(f"/diff/{OPEN}?from={commit}").content


def test_tools_tell_of_no_hidden_place(cast: Cast, moved: str) -> None:
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("history", {"action": "log", "location": OPEN}),
        ("history", {"action": "show", "location": OPEN, "commit": first(moved).pk}),
        ("history", {"action": "diff", "location": OPEN, "from": first(moved).pk}),
        ("history", {"action": "blame", "location": OPEN}),
        ("read", {"location": OPEN, "at": first(moved).pk}),
    )
    for tool, arguments in calls:
        answer = TOOLS[tool].call(cast.carol, arguments)
        assert not answer.is_error, arguments
        assert not tells(answer.model_dump_json()), arguments
    log = TOOLS["history"].call(cast.carol, calls[0][1]).structured_content
    assert log is not None
    assert log["commits"][-1]["location"] is None
    assert log["commits"][-1]["citation"] == f"{OPEN}@{first(moved).pk}"


def test_a_repository_tells_of_no_hidden_place(cast: Cast, moved: str, tmp_path: Path) -> None:
    def messages(actor: Actor, name: str) -> str:
        path = tmp_path / name
        export_git.write(actor, location="product/launch", path=path)
        log = ["git", "-C", str(path), "log", "--format=%B%n%D", "--name-only", "main"]
        return subprocess.run(log, capture_output=True, check=True, text=True).stdout

    assert not tells(messages(cast.carol, "carol.git"))
    assert f"Baton-Location: {SECRET}" in messages(cast.alice, "alice.git")


def test_a_manager_of_one_document_reads_in_its_log_where_it_is(cast: Cast, moved: str) -> None:
    documents.move(cast.alice, source=OPEN, target="product/shared/terms.md", acknowledge_access_change=True)
    sharing.grant(cast.alice, location="product/shared/terms.md", subject="mallory@example.org", role="manager")
    found = audit.listing(cast.mallory, filters=audit_filters.parse({})).items
    about = [entry for entry in found if entry.document == moved]
    assert {entry.location for entry in about} == {"product/shared/terms.md"}
    there = Document.objects.get(pk=moved).folder_id
    assert {entry.folder for entry in about} == {None, there}
    assert not tells(repr(found))


def test_what_went_with_its_folder_and_came_back_does_not_tell_which(cast: Cast, moved: str) -> None:
    documents.create(cast.alice, location="attic/list.md", content="one\n")
    folders.delete(cast.alice, location="attic")
    documents.undelete(cast.alice, location="attic/list.md")
    documents.move(cast.alice, source="attic/list.md", target="product/launch/list.md", acknowledge_access_change=True)
    found = rows(cast.carol, "product/launch/list.md")
    assert [row.message for row in found if row.kind == "delete"] == ["Delete with its folder"]
    assert not tells(repr(found))
