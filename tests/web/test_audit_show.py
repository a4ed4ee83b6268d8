"""The page of the audit log and its exports."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.test import AsyncClient

from tests import loops
from tests.cast import Cast
from tests.web.conftest import SignIn
from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import AuditEntry, Person
from workspace.queries import audit, audit_export, audit_filters
from workspace.services import audit as services
from workspace.services import documents, folders, sharing

pytestmark = pytest.mark.django_db


def text(response: Any) -> str:
    return response.content.decode()


def rows(shown: str) -> str:
    """What the page shows below its filters, which name every action."""
    return shown.partition('class="audit-filters"')[2].partition("</form>")[2]


def exported(response: Any) -> str:
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    assert response["Cache-Control"] == "no-store"
    return b"".join(response.streaming_content).decode()


def test_the_page_shows_what_is_the_readers_and_says_so(cast: Cast, signed_in: SignIn, plan: str) -> None:
    documents.append(cast.bob, location="product/launch/plan.md", content="more")
    alices, bobs, mallorys = (text(signed_in(name).get("/audit")) for name in ("alice", "bob", "mallory"))
    assert "document.created" in alices
    assert "document.edited" in alices
    assert "document.edited" in bobs
    assert "document.created" not in rows(bobs)
    assert "Nothing yet" in mallorys
    assert "product/launch" not in rows(mallorys)


def test_filters_stand_in_the_address_and_in_the_form(cast: Cast, signed_in: SignIn, plan: str) -> None:
    shown = text(signed_in("alice").get("/audit?action=grant.&place=product%2Flaunch"))
    assert 'value="grant."' in shown
    assert 'value="product/launch"' in shown
    assert "grant.given" in shown
    assert "document.created" not in rows(shown)
    assert "/audit/export?action=grant.&amp;place=product%2Flaunch&amp;format=csv" in shown


def test_a_wrong_filter_is_told_on_the_page(cast: Cast, signed_in: SignIn) -> None:
    response = signed_in("alice").get("/audit?from=soon&via=air")
    assert response.status_code == 422
    assert "from must be a day" in text(response)
    assert "via must be one of" in text(response)
    response = signed_in("mallory").get("/audit?place=product%2Flaunch")
    assert response.status_code == 422
    assert "No place of that name" in text(response)


def test_older_entries_are_a_page_further(cast: Cast, signed_in: SignIn, plan: str) -> None:
    for n in range(60):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"{n}")
    client = signed_in("bob")
    first = client.get("/audit").context["page"]
    assert len(first.items) == 50
    second = client.get("/audit", {"cursor": first.next_cursor}).context["page"]
    assert not {entry.id for entry in first.items} & {entry.id for entry in second.items}


def test_only_managers_are_led_from_a_folder_to_its_log(cast: Cast, signed_in: SignIn) -> None:
    link = "/audit?place=product/launch"
    assert link in text(signed_in("alice").get("/f/product/launch"))
    assert link not in text(signed_in("bob").get("/f/product/launch"))


def test_what_others_wrote_is_escaped(cast: Cast, signed_in: SignIn) -> None:
    folders.create(cast.alice, location="<script>alert(1)<b>")
    services.record(cast.alice, "folder.created", subject="<img src=x>", reason="<i>", data={"<u>": ["<s>"]})
    shown = text(signed_in("alice").get("/audit"))
    for tag in ("<script>alert", "<img src=x>", "<i>", "<u>", "<s>"):
        assert tag not in shown


def test_json_lines_hold_all_that_the_filters_leave(cast: Cast, signed_in: SignIn, plan: str) -> None:
    sharing.grant(cast.alice, location="product/launch", subject="mallory@example.org", role="viewer")
    response = signed_in("alice").get("/audit/export?format=jsonl&action=grant.")
    lines = [json.loads(line) for line in exported(response).splitlines()]
    wanted = [e for batch in audit.export(cast.alice, filters=audit_filters.parse({"action": "grant."})) for e in batch]
    assert [line["id"] for line in lines] == [entry.id for entry in wanted]
    assert {line["action"] for line in lines} == {"grant.given"}
    assert response["Content-Type"] == "application/jsonl; charset=utf-8"


def test_a_table_has_a_line_of_names_and_one_for_each_entry(cast: Cast, signed_in: SignIn, plan: str) -> None:
    table = list(csv.reader(StringIO(exported(signed_in("alice").get("/audit/export?format=csv&place=product")))))
    assert tuple(table[0]) == audit_export.COLUMNS
    assert all(len(line) == len(table[0]) for line in table)
    assert len(table) > 3


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "－2", "＠x"])
def test_no_cell_of_a_table_is_a_formula(start: str, cast: Cast, signed_in: SignIn) -> None:
    services.record(cast.alice, "folder.created", location=start, subject=start, reason=start)
    table = list(csv.DictReader(StringIO(exported(signed_in("alice").get("/audit/export?format=csv")))))
    cells = [cell for line in table for cell in line.values()]
    assert not [cell for cell in cells if cell.startswith(audit_export.FORMULA)]
    kept = services._storable(start)
    assert any(cell in (f"'{kept}", kept) for cell in cells), "and what it holds is still there"


def test_what_separates_cells_stays_inside_one(cast: Cast, signed_in: SignIn) -> None:
    services.record(cast.alice, "folder.created", subject='a,"b"\r\nc', data={"x": "l1\nl2"})
    table = list(csv.DictReader(StringIO(exported(signed_in("alice").get("/audit/export?format=csv")))))
    [row] = [row for row in table if row["action"] == "folder.created" and row["subject"]]
    assert row["subject"].startswith('a,"b"')
    assert "\n" not in row["subject"]


def test_a_file_holds_no_more_than_the_page_does(cast: Cast, signed_in: SignIn, plan: str) -> None:
    lines = exported(signed_in("mallory").get("/audit/export?format=jsonl")).splitlines()
    assert [json.loads(line)["action"] for line in lines] == ["audit.exported"], "taking it, and nothing of others"
    assert signed_in("mallory").get("/audit/export?place=product%2Flaunch").status_code == 404
    assert signed_in("alice").get("/audit/export?format=xlsx").status_code == 422
    assert signed_in("alice").get("/audit/export?from=soon").status_code == 422


def test_taking_a_file_is_an_entry_itself(cast: Cast, signed_in: SignIn) -> None:
    exported(signed_in("alice").get("/audit/export?format=csv&via=rest"))
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.person_id) == ("audit.exported", cast.alice.person)
    assert entry.data == {"format": "csv", "filters": {"via": "rest"}}


def test_an_export_is_read_batch_by_batch(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    root = person_actor(Person.objects.create_superuser("root@example.org", "x" * 20, name="Root"), via=Via.WEB)
    monkeypatch.setattr(audit, "AT_ONCE", 4)
    for _ in range(20):
        services.record(root, "folder.created")
    batches = audit.export(root, filters=audit_filters.Filters(action="folder.created"))
    assert len(next(batches)) == 4
    services.record(root, "folder.created")  # newer than where the export is
    assert sum(len(batch) for batch in batches) == 16 + AuditEntry.objects.filter(action="folder.created").count() - 21


def test_under_asgi_a_chunk_is_made_when_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def chunks() -> Iterator[str]:
        for n in range(3):
            made.append(n)
            yield str(n)

    async def read() -> list[list[int]]:
        seen = []
        async for _ in audit_export.in_threads(chunks()):
            seen.append(list(made))
        return seen

    monkeypatch.setattr(audit_export.connections, "close_all", lambda: None)
    assert loops.run(read()) == [[0], [0, 1], [0, 1, 2]]


@pytest.mark.django_db(transaction=True)
def test_the_file_comes_over_asgi_too(committed_cast: Cast) -> None:
    async def get() -> str:
        client = AsyncClient()
        await client.aforce_login(
            committed_cast.people["alice"], backend="allauth.account.auth_backends.AuthenticationBackend"
        )
        response = await client.get("/audit/export?format=jsonl")
        return b"".join([part async for part in response.streaming_content]).decode()

    assert "folder.created" in loops.run(get())
