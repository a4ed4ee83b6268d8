"""How long the audit log is kept. The database itself refuses to remove any entry that is younger."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from workspace.actor import Actor
from workspace.models import AuditEntry
from workspace.services import audit

PURGED_AT_ONCE = 5_000
DELETE = """
DELETE FROM workspace_auditentry WHERE id IN
    (SELECT id FROM workspace_auditentry WHERE at < %s ORDER BY at, id LIMIT %s FOR UPDATE SKIP LOCKED)
"""


def expired() -> int:
    """How many entries are past ``BATON_AUDIT_DAYS``; where that is 0, none ever is."""
    before = _kept_since()
    return AuditEntry.objects.filter(at__lt=before).count() if before else 0


def purge(actor: Actor, *, limit: int = PURGED_AT_ONCE) -> int:
    """Removes up to ``limit`` of the oldest entries past ``BATON_AUDIT_DAYS``, and records that; returns how many."""
    before = _kept_since()
    if before is None or not AuditEntry.objects.filter(at__lt=before).exists():
        return 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('workspace.audit_days', %s, true)", [str(settings.BATON_AUDIT_DAYS)])
        cursor.execute(DELETE, [before, limit])
        count = cursor.rowcount
        cursor.execute("SELECT set_config('workspace.audit_days', '', true)")
        if count:
            audit.record(actor, "audit.purged", data={"count": count, "before": before.isoformat()})
    return count


def _kept_since() -> datetime | None:
    """Where the log begins. Whole days go at once: otherwise each removal, being recorded, would bring on another."""
    if not settings.BATON_AUDIT_DAYS:
        return None
    today = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=settings.BATON_AUDIT_DAYS)
