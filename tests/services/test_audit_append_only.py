"""The database itself keeps the audit log: nothing changes an entry, and only retention removes one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection, transaction

from tests.cast import Cast
from workspace.actor import Actor
from workspace.jobs import sweeping
from workspace.management.operator import operator
from workspace.models import AuditEntry, Person
from workspace.services import audit_retention, documents, purging

pytestmark = pytest.mark.django_db
SWEEPER = Actor.for_job("retention", scopes=())
NOW = datetime.now(UTC)


@pytest.fixture
def entry(cast: Cast) -> AuditEntry:
    return AuditEntry.objects.latest("id")


@pytest.fixture
def old(cast: Cast) -> AuditEntry:
    return AuditEntry.objects.create(action="folder.created", via="web", at=NOW - timedelta(days=40))


@pytest.fixture
def guarded(cast: Cast) -> None:
    """Takes back, for one test, what lets the flush between tests empty the table."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE workspace_auditentry ENABLE TRIGGER workspace_audit_table")


def sql(statement: str) -> Callable[[AuditEntry], object]:
    def run(entry: AuditEntry) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, [entry.pk] if "%s" in statement else [])

    return run


def emptied(entry: AuditEntry) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('workspace.audit_truncate', 'tests', true)")
        cursor.execute("TRUNCATE workspace_auditentry")


def saved(entry: AuditEntry) -> None:
    entry.action = "forged"
    entry.save()


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(saved, id="save"),
        pytest.param(lambda entry: AuditEntry.objects.filter(pk=entry.pk).update(denied=True), id="update"),
        pytest.param(lambda entry: AuditEntry.objects.bulk_update([entry], ["action"]), id="bulk_update"),
        pytest.param(lambda entry: entry.delete(), id="delete"),
        pytest.param(lambda entry: AuditEntry.objects.all().delete(), id="delete all"),
        pytest.param(lambda entry: AuditEntry.objects.all()._raw_delete("default"), id="raw delete"),
        pytest.param(sql("UPDATE workspace_auditentry SET action = 'forged' WHERE id = %s"), id="UPDATE"),
        pytest.param(sql("UPDATE workspace_auditentry SET id = id WHERE id = %s"), id="UPDATE of nothing"),
        pytest.param(sql("DELETE FROM workspace_auditentry WHERE id = %s"), id="DELETE"),
        pytest.param(sql("TRUNCATE workspace_auditentry"), id="TRUNCATE"),
        pytest.param(emptied, id="TRUNCATE with a setting"),
        pytest.param(
            sql(
                "MERGE INTO workspace_auditentry log USING (SELECT %s::bigint AS id) other ON log.id = other.id"
                " WHEN MATCHED THEN DELETE"
            ),
            id="MERGE",
        ),
        pytest.param(
            sql(
                "INSERT INTO workspace_auditentry (id, action, denied, job, via, request_id, location, subject, reason,"
                " data) VALUES (%s, 'forged', false, '', '', '', '', '', '', '{}')"
                " ON CONFLICT (id) DO UPDATE SET action = 'forged'"
            ),
            id="upsert",
        ),
    ],
)
def test_nothing_changes_or_removes_an_entry(
    act: Callable[[AuditEntry], object], entry: AuditEntry, guarded: None
) -> None:
    before = list(AuditEntry.objects.order_by("pk").values())
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        act(entry)
    assert list(AuditEntry.objects.order_by("pk").values()) == before


def test_retention_removes_what_is_past_its_time_and_nothing_younger(old: AuditEntry, settings: LazySettings) -> None:
    young = AuditEntry.objects.create(action="folder.created", via="web", at=NOW - timedelta(days=20))
    settings.BATON_AUDIT_DAYS = 30
    count = AuditEntry.objects.count()
    assert audit_retention.expired() == 1
    assert audit_retention.purge(SWEEPER) == 1
    assert not AuditEntry.objects.filter(pk=old.pk).exists()
    assert AuditEntry.objects.filter(pk=young.pk).exists()
    told = AuditEntry.objects.latest("id")
    assert (told.action, told.job, told.data["count"]) == ("audit.purged", "retention", 1)
    assert AuditEntry.objects.count() == count, "one went and one tells of it"
    assert audit_retention.purge(SWEEPER) == 0, "and that one brings on no other"


def test_even_with_retention_at_work_the_database_keeps_what_is_younger(entry: AuditEntry, old: AuditEntry) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('workspace.audit_days', '30', true)")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).delete()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=old.pk).update(action="forged")
    AuditEntry.objects.filter(pk=old.pk).delete()
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


@pytest.mark.parametrize("days", ["0", "-5", ""])
def test_no_number_of_days_opens_the_log(days: str, old: AuditEntry) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('workspace.audit_days', %s, true)", [days])
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=old.pk).delete()


def test_after_retention_the_log_is_closed_again(old: AuditEntry, settings: LazySettings) -> None:
    older = AuditEntry.objects.create(action="folder.created", via="web", at=NOW - timedelta(days=50))
    settings.BATON_AUDIT_DAYS = 30
    assert audit_retention.purge(SWEEPER, limit=1) == 1
    assert not AuditEntry.objects.filter(pk=older.pk).exists(), "the oldest went first"
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=old.pk).delete()


def test_without_a_setting_nothing_ever_goes(old: AuditEntry) -> None:
    assert audit_retention.expired() == 0
    assert audit_retention.purge(SWEEPER) == 0
    assert AuditEntry.objects.filter(pk=old.pk).exists()


def test_the_sweep_and_the_purge_remove_it(old: AuditEntry, settings: LazySettings) -> None:
    settings.BATON_AUDIT_DAYS = 30
    sweeping.sweep()
    assert not AuditEntry.objects.filter(pk=old.pk).exists()
    again = AuditEntry.objects.create(action="folder.created", via="web", at=NOW - timedelta(days=40))
    assert purging.extent(before=NOW).records >= 1
    list(purging.records(operator("purge"), before=NOW - timedelta(days=30)))
    assert not AuditEntry.objects.filter(pk=again.pk).exists()
    assert AuditEntry.objects.filter(action="audit.purged", job="purge").exists()


def test_an_entry_outlives_what_it_names(cast: Cast, plan: str) -> None:
    documents.delete(cast.alice, location="product/launch/plan.md")
    list(purging.documents(operator("purge"), before=datetime.now(UTC) + timedelta(minutes=1)))
    assert AuditEntry.objects.filter(action="document.created", location="product/launch/plan.md").exists()
    assert AuditEntry.objects.filter(action="document.purged", location="product/launch/plan.md").exists()
    assert Person.objects.count() >= 4
