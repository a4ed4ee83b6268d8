"""Refused attempts through every surface: recorded with who, what and where, and the same for hidden and absent."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.cast import Cast
from tests.mcp.calls import Calls
from tests.parity.hidden import Statements
from workspace.actor import Via
from workspace.models import AuditEntry, Document, Folder
from workspace.queries import audit, audit_filters
from workspace.services import agents, bearer, captures, documents, sharing

HIDDEN, ABSENT = "product/launch/plan.md", "product/launch/nope.md"
FOLDER, NO_FOLDER = "product/launch", "product/lunch"

type Ask = Callable[[Cast], Callable[[str], Any]]


def token(cast: Cast) -> str:
    return agents.create(cast.mallory, name="spy").token


def web(method: str, address: str) -> Ask:
    def ask(cast: Cast) -> Callable[[str], Any]:
        client = Client()
        client.force_login(cast.people["mallory"], backend="allauth.account.auth_backends.AuthenticationBackend")
        return lambda location: client.generic(method, address.format(location))

    return ask


def rest(method: str, address: str, body: dict[str, str] | None = None) -> Ask:
    def ask(cast: Cast) -> Callable[[str], Any]:
        client = Client()
        headers = {"Authorization": f"Bearer {token(cast)}", "If-Match": "*"}

        def call(location: str) -> Any:
            text = json.dumps({name: value.format(location) for name, value in (body or {}).items()}) if body else ""
            where = f"/api/v1/{address.format(location)}"
            return client.generic(method, where, text, "application/json", headers=headers)

        return call

    return ask


def mcp(tool: str, **arguments: str) -> Ask:
    def ask(cast: Cast) -> Callable[[str], Any]:
        calls = Calls(bearer.authenticate(token(cast), via=Via.MCP))
        return lambda location: calls.result(tool, **{k: v.format(location) for k, v in arguments.items()})

    return ask


ASKS = [
    pytest.param(web("GET", "/d/{}"), HIDDEN, ABSENT, id="page"),
    pytest.param(web("GET", "/edit/{}"), HIDDEN, ABSENT, id="edit page"),
    pytest.param(web("POST", "/delete/{}"), HIDDEN, ABSENT, id="delete by form"),
    pytest.param(web("GET", "/f/{}"), FOLDER, NO_FOLDER, id="folder page"),
    pytest.param(web("GET", "/share/{}"), FOLDER, NO_FOLDER, id="share page"),
    pytest.param(web("GET", "/search?q=launch&location={}"), FOLDER, NO_FOLDER, id="search page"),
    pytest.param(web("GET", "/captures?folder={}"), FOLDER, NO_FOLDER, id="captures page"),
    pytest.param(web("GET", "/audit?place={}"), FOLDER, NO_FOLDER, id="audit page"),
    pytest.param(rest("GET", "documents/{}"), HIDDEN, ABSENT, id="GET document"),
    pytest.param(rest("DELETE", "documents/{}"), HIDDEN, ABSENT, id="DELETE document"),
    pytest.param(rest("PATCH", "documents/{}", {"append": "x"}), HIDDEN, ABSENT, id="PATCH document"),
    pytest.param(rest("GET", "folders/{}"), FOLDER, NO_FOLDER, id="GET folder"),
    pytest.param(rest("GET", "grants?location={}"), FOLDER, NO_FOLDER, id="GET grants"),
    pytest.param(rest("GET", "audit?place={}"), FOLDER, NO_FOLDER, id="GET audit"),
    pytest.param(
        rest("POST", "grants", {"location": "{}", "subject": "mallory@example.org", "role": "viewer"}),
        FOLDER,
        NO_FOLDER,
        id="POST grants",
    ),
    pytest.param(rest("POST", "moves", {"from": "{}", "to": "mine/x.md"}), HIDDEN, ABSENT, id="POST moves"),
    pytest.param(mcp("read", location="{}"), HIDDEN, ABSENT, id="read"),
    pytest.param(mcp("doc_update", action="append", location="{}", content="x"), HIDDEN, ABSENT, id="doc_update"),
    pytest.param(mcp("search", query="launch", scope="{}"), FOLDER, NO_FOLDER, id="search"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("ask", "hidden", "absent"), ASKS)
def test_hidden_and_absent_are_recorded_alike_and_only_the_former_with_its_place(
    ask: Ask, hidden: str, absent: str, cast: Cast, plan: str
) -> None:
    told, statements, call = [], [], ask(cast)
    call("some/where/else.md")  # what only the first request of a session or a token asks the database
    for location in (hidden, absent):
        with Statements() as ran:
            call(location)
        statements.append(ran.ran)
        told.append(AuditEntry.objects.filter(denied=True).latest("id"))
        assert told[-1].location == location
    assert statements[0] == statements[1]
    there, nowhere = told
    for name in ("action", "via", "subject", "reason", "person_id", "job"):
        assert getattr(there, name) == getattr(nowhere, name), name
    assert there.data == nowhere.data
    assert there.action == "attempt.not_found"
    assert there.person_id == cast.mallory.person
    assert (nowhere.folder_id, nowhere.document_id) == (None, None)
    assert there.folder_id == Folder.objects.get(path=FOLDER).pk
    if hidden == HIDDEN:
        assert there.document_id == Document.objects.get().pk
    [seen] = [e for b in audit.export(cast.alice, filters=audit_filters.parse({"denied": "true"})) for e in b]
    assert (seen.location, seen.by and seen.by.email) == (hidden, "mallory@example.org")


@pytest.mark.django_db
def test_what_is_seen_and_not_allowed_is_recorded_with_its_place(cast: Cast, plan: str) -> None:
    carols = agents.create(cast.carol, name="helper").token
    client = Client(headers={"Authorization": f"Bearer {carols}"})
    client.patch(f"/api/v1/documents/{HIDDEN}", {"append": "x"}, "application/json")
    Calls(bearer.authenticate(carols, via=Via.MCP)).result("doc_delete", location=HIDDEN)
    browser = Client()
    browser.force_login(cast.people["carol"], backend="allauth.account.auth_backends.AuthenticationBackend")
    browser.get(f"/edit/{HIDDEN}")
    document = Document.objects.get()
    entries = list(AuditEntry.objects.filter(action="attempt.forbidden").order_by("id"))
    assert [entry.via for entry in entries] == ["rest", "mcp", "web"]
    assert {entry.document_id for entry in entries} == {document.pk}
    assert {entry.location for entry in entries} == {HIDDEN}
    assert [bool(entry.agent_id) for entry in entries] == [True, True, False]
    assert all(entry.request_id for entry in (entries[0], entries[2]))


@pytest.mark.django_db
def test_an_id_is_looked_up_and_kept_as_it_was_asked_for(cast: Cast, plan: str) -> None:
    kept = captures.commit(cast.alice, folder=FOLDER, content="what I did", operation_id="one")
    client = Client(headers={"Authorization": f"Bearer {token(cast)}"})
    folder = Folder.objects.get(path=FOLDER)
    for asked, where in ((kept.id, folder.pk), ("cap_" + "0" * 26, None)):
        assert client.get(f"/api/v1/captures/{asked}").status_code == 404
        entry = AuditEntry.objects.latest("id")
        assert (entry.subject, entry.folder_id, entry.denied) == (asked, where, True)


@pytest.mark.django_db
def test_a_credential_that_is_not_good_is_recorded_without_it(cast: Cast) -> None:
    bad = "btn_" + "Q" * 38
    client = Client(headers={"Authorization": f"Bearer {bad}"}, REMOTE_ADDR="192.0.2.44")
    assert client.get("/api/v1/me").status_code == 401
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.address, entry.person_id, entry.via) == (
        "attempt.unauthenticated",
        "192.0.2.44",
        None,
        "rest",
    )
    agents.revoke(cast.alice, agent=str(cast.scout.agent))
    revoked = Client(headers={"Authorization": f"Bearer {cast.tokens['scout']}"})
    assert revoked.get("/api/v1/me").status_code == 401
    rows = json.dumps(list(AuditEntry.objects.values()), default=str)
    assert bad not in rows
    assert cast.tokens["scout"] not in rows


@pytest.mark.django_db
def test_a_secret_in_an_address_is_not_recorded(cast: Cast) -> None:
    browser = Client()
    browser.force_login(cast.people["mallory"], backend="allauth.account.auth_backends.AuthenticationBackend")
    for address in (
        "/welcome/s3cret-in-the-address",
        "/enter/s3cret-in-the-address",
        "/invitation/s3cret-in-the-address",
    ):
        browser.get(address)
        browser.get("/d/no/where.md?token=s3cret-in-the-address")
    assert "s3cret" not in json.dumps(list(AuditEntry.objects.values()), default=str)


@pytest.mark.django_db
def test_what_is_merely_wrong_is_no_attempt(cast: Cast, plan: str) -> None:
    before = AuditEntry.objects.filter(denied=True).count()
    client = Client(headers={"Authorization": f"Bearer {cast.tokens['scout']}"})
    assert client.get("/api/v1/documents/product/launch//x").status_code == 422
    assert client.get("/api/v1/nothing/here").status_code == 404
    assert client.post("/api/v1/documents", "{", "application/json").status_code in (400, 428)
    assert AuditEntry.objects.filter(denied=True).count() == before


@pytest.mark.django_db
def test_a_manager_does_not_read_what_was_tried_elsewhere(cast: Cast, plan: str) -> None:
    documents.create(cast.bob, location="bobs/own.md", content="x")
    Calls(bearer.authenticate(token(cast), via=Via.MCP)).result("read", location=HIDDEN)
    sharing.grant(cast.alice, location="product/launch", subject="carol@example.org", role="editor")
    for reader in (cast.bob, cast.carol):
        assert [e for b in audit.export(reader, filters=audit_filters.parse({"denied": "true"})) for e in b] == []
