"""The audit log in the administration: narrowed, exported, and closed to every change."""

import csv
import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse

from tests.cast import Cast
from workspace.models import AuditEntry
from workspace.services import audit, documents

LIST = reverse("admin:workspace_auditentry_changelist")


def export(desk: Client, action: str, rows: list[AuditEntry], **more: str) -> str:
    chosen = {ACTION_CHECKBOX_NAME: [str(row.pk) for row in rows]}
    response = desk.post(LIST, {"action": action, **chosen, **more})
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response.streaming_content).decode()


def test_the_selected_entries_are_exported_and_no_others(cast: Cast, desk: Client, plan: str) -> None:
    rows = list(AuditEntry.objects.order_by("-id")[:3])
    lines = [json.loads(line) for line in export(desk, "as_json_lines", rows).splitlines()]
    assert [line["action"] for line in lines] == [row.action for row in rows]
    table = list(csv.DictReader(StringIO(export(desk, "as_csv", rows))))
    assert [row["id"] for row in table] == [line["id"] for line in lines]
    assert AuditEntry.objects.filter(action="audit.exported").count() == 2


def test_all_that_a_filter_shows_is_exported(cast: Cast, desk: Client, plan: str) -> None:
    for n in range(60):
        documents.append(cast.bob, location="product/launch/plan.md", content=f"{n}")
    rows = list(AuditEntry.objects.filter(action="document.edited")[:1])
    response = desk.post(
        f"{LIST}?about=document",
        {"action": "as_csv", ACTION_CHECKBOX_NAME: [str(rows[0].pk)], "select_across": "1"},
    )
    table = list(csv.DictReader(StringIO(b"".join(response.streaming_content).decode())))
    assert len(table) == 61
    assert {row["action"] for row in table} == {"document.created", "document.edited"}


def test_a_refused_attempt_is_found_by_its_filter(cast: Cast, desk: Client) -> None:
    audit.denied(cast.mallory, "attempt.not_found", code="NOT_FOUND", location="product/launch")
    shown = desk.get(LIST, {"denied": "yes"}).context["cl"].result_list
    assert [row.location for row in shown] == ["product/launch"]


@pytest.mark.parametrize("verb", ["add", "change", "delete"])
def test_no_page_of_the_administration_changes_an_entry(verb: str, desk: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    entry = AuditEntry.objects.latest("id")
    before = AuditEntry.objects.count()
    address = reverse(f"admin:workspace_auditentry_{verb}", args=[] if verb == "add" else [entry.pk])
    assert desk.post(address, {"action": "forged", "post": "yes"}).status_code == 403
    assert AuditEntry.objects.count() == before
    assert AuditEntry.objects.latest("id").action == entry.action


def test_the_action_that_deletes_rows_is_not_offered(desk: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    entry = AuditEntry.objects.latest("id")
    response = desk.post(
        LIST, {"action": "delete_selected", ACTION_CHECKBOX_NAME: [str(entry.pk)], "post": "yes"}, follow=True
    )
    assert response.status_code == 200
    assert AuditEntry.objects.filter(pk=entry.pk).exists()
