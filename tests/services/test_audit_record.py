"""One entry for each act, in the act's own transaction; refusals bounded, and never in anybody's way."""

from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.cast import Cast
from workspace import access, request
from workspace.actor import Via
from workspace.errors import Target
from workspace.models import AuditEntry
from workspace.services import audit, buckets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    audit.forget_refusals()
    monkeypatch.setattr(audit, "PER_MINUTE", 60)
    monkeypatch.setattr(audit, "PER_MINUTE_UNKNOWN", 300)


def newest() -> AuditEntry:
    return AuditEntry.objects.latest("id")


def test_an_entry_holds_who_what_where_and_through_what_in_one_statement(cast: Cast) -> None:
    scout, launch = cast.scout, access.folder(cast.alice, location="product/launch")
    with CaptureQueriesContext(connection) as queries:
        audit.record(scout, "folder.settings", folder=launch, subject="x", reason="why", data={"days": 3})
    assert len(queries) == 1
    entry = newest()
    assert (entry.action, entry.denied, entry.via, entry.job) == ("folder.settings", False, "mcp", "")
    assert (entry.person_id, entry.agent_id) == (scout.person, scout.agent)
    assert (entry.folder_id, entry.document_id, entry.location) == (launch.pk, None, "product/launch")
    assert (entry.subject, entry.reason, entry.data) == ("x", "why", {"days": 3})


def test_a_document_brings_its_folder_and_its_location(cast: Cast, plan: str) -> None:
    document = access.document(cast.alice, location="product/launch/plan.md")
    audit.record(cast.bob, "document.edited", document=document)
    entry = newest()
    assert (entry.document_id, entry.folder_id, entry.location) == (
        document.pk,
        document.folder_id,
        "product/launch/plan.md",
    )


def test_the_request_and_the_clients_address_are_taken_from_where_the_actor_was_made(cast: Cast) -> None:
    request.current.set("req_12345678")
    request.client.set("::ffff:192.0.2.7")
    try:
        actor = cast.bob
    finally:
        request.current.set("")
        request.client.set("")
    audit.record(actor, "folder.settings")
    assert (newest().request_id, newest().address) == ("req_12345678", "192.0.2.7")


def test_an_entry_goes_with_a_transaction_that_fails(cast: Cast) -> None:
    before = AuditEntry.objects.count()
    with transaction.atomic():
        audit.record(cast.alice, "folder.settings")
        transaction.set_rollback(True)
    assert AuditEntry.objects.count() == before


def test_a_refusal_of_what_is_hidden_and_of_what_is_absent_is_one_statement_each(cast: Cast) -> None:
    seen = []
    for target in (Target(folder=1, document="doc_x"), None):
        with CaptureQueriesContext(connection) as queries:
            audit.denied(cast.mallory, "attempt.not_found", code="NOT_FOUND", target=target, location="a/b")
        seen.append([q["sql"].strip()[:30] for q in queries if "SAVEPOINT" not in q["sql"]])
    assert seen[0] == seen[1]
    assert len(seen[0]) == 1
    hidden, absent = AuditEntry.objects.order_by("id")[AuditEntry.objects.count() - 2 :]
    assert (hidden.folder_id, hidden.document_id, absent.folder_id, absent.document_id) == (1, "doc_x", None, None)
    assert hidden.denied
    assert absent.denied
    assert hidden.location == absent.location == "a/b"


def test_a_scan_is_bounded_and_the_next_entry_tells_how_many_were_left_out(cast: Cast) -> None:
    clock = [1000.0]
    with patch.object(buckets.time, "monotonic", lambda: clock[0]):
        before = AuditEntry.objects.count()
        for _ in range(audit.PER_MINUTE * 3):
            audit.denied(cast.mallory, "attempt.not_found", code="NOT_FOUND", location="a/b")
            clock[0] += 60 / (audit.PER_MINUTE * 3)
        written = AuditEntry.objects.count() - before
        assert 0 < written <= audit.PER_MINUTE
        clock[0] += 600
        audit.denied(cast.mallory, "attempt.not_found", code="NOT_FOUND", location="a/b")
        entries = AuditEntry.objects.filter(action="attempt.not_found")
        told = sum(data.get("left_out", 0) for data in entries.values_list("data", flat=True))
        assert entries.count() + told == audit.PER_MINUTE * 3 + 1
        # One person's scan takes nothing from another's.
        audit.denied(cast.carol, "attempt.forbidden", code="FORBIDDEN")
        assert newest().person_id == cast.carol.person
        assert "left_out" not in newest().data


def test_nobody_signed_in_is_counted_by_address_and_an_ipv6_host_has_one_bucket(cast: Cast) -> None:
    with patch.object(buckets.time, "monotonic", lambda: 1000.0):
        for n in range(audit.PER_MINUTE):
            audit.denied(None, "signin.failed", code="UNAUTHENTICATED", address=f"2001:db8::{n + 1:x}", via=Via.WEB)
        assert AuditEntry.objects.filter(action="signin.failed").count() == audit.PER_MINUTE // 2
        # However many addresses they have, all the unknown together are bounded too.
        for n in range(audit.PER_MINUTE_UNKNOWN):
            audit.denied(None, "signin.failed", code="UNAUTHENTICATED", address=f"198.51.{n // 250}.{n % 250}")
        assert AuditEntry.objects.filter(action="signin.failed").count() == audit.PER_MINUTE_UNKNOWN // 2
        audit.denied(cast.bob, "attempt.not_found", code="NOT_FOUND")
        assert newest().person_id == cast.bob.person


def test_a_refusal_with_anything_in_it_is_recorded_and_never_raises(cast: Cast) -> None:
    for location in ("nul\x00here", "lone\ud800", "x" * 100_000, "line\nbreak", "\\u0000"):
        count = AuditEntry.objects.count()
        audit.denied(cast.mallory, "attempt.not_found", code="NOT_FOUND", location=location, data={"a": [location[:9]]})
        assert AuditEntry.objects.count() == count + 1
        assert newest().location
        assert len(newest().location) <= audit.LONGEST
        assert newest().location.isprintable()
    count = AuditEntry.objects.count()
    audit.denied(cast.mallory, "x" * 500, code="NOT_FOUND")
    assert AuditEntry.objects.count() == count, "and the transaction around it lives on"
    audit.denied(None, "signin.failed", code="UNAUTHENTICATED", address="no address")
    assert newest().address is None
