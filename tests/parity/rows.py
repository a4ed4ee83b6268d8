"""What is in the database: how much, and what of it every surface must leave the same."""

from typing import Any

from django.apps import apps
from django.db import connection

from workspace.models import AuditEntry, Commit, Conflict, Document, Receipt, ReceiptKind


def counts() -> dict[str, int]:
    """The number of rows of every table of the product but the audit log, which tells of refused calls too."""
    models = apps.get_app_config("workspace").get_models(include_auto_created=True)
    tables = [model._meta.db_table for model in models if model is not AuditEntry]
    each = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(each)
        return dict(cursor.fetchall())


def state() -> tuple[Any, ...]:
    """The counts, and every document's place, head and life: equal where nothing was changed."""
    documents = Document.objects.order_by("pk").values_list("pk", "folder__path", "name", "head", "deleted_at")
    return counts(), list(documents)


def left(folder: str) -> dict[str, list[Any]]:
    """Documents, commits, conflicts and receipts below ``folder``, without ids, times, and who did it through what."""
    documents = Document.objects.filter(folder__path__startswith=folder).order_by("created_at")
    commits = Commit.objects.filter(document__in=documents).order_by("created_at", "number")
    numbers = {commit.pk: commit.number for commit in commits}

    def place(location: str) -> str:
        return location.removeprefix(folder)

    conflicts = Conflict.objects.filter(document__in=documents).order_by("created_at")
    receipts = Receipt.objects.filter(folder__path__startswith=folder).exclude(kind=ReceiptKind.READ)
    return {
        "documents": [(place(f"{d.folder.path}/{d.name}"), d.title, d.deleted_at is not None) for d in documents],
        "commits": [
            (place(c.location), c.number, c.kind, c.blob.content, tuple(numbers[p] for p in c.parents))
            for c in commits.select_related("blob")
        ],
        "conflicts": [
            (c.state, c.hunk_count, c.draft.content, numbers[c.base_id], numbers[c.head_id]) for c in conflicts
        ],
        "receipts": sorted(receipts.values_list("kind", flat=True)),
    }


def living(place: str, name: str) -> Document:
    """The living document of that name in the folder ``place``."""
    return Document.objects.select_related("head__blob").get(folder__path=place, name=name, deleted_at=None)
