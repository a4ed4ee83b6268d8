"""The machinery: jobs, heartbeats, the index, keys of requests, and the receipts that all of it leaves."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace.admin.records import AgentFilter, Record, ViaFilter, act, actor_of, author
from workspace.admin.site import site
from workspace.models import BriefMark, Chunk, Heartbeat, IdempotencyKey, Job, JobState, Receipt
from workspace.services import jobs

ERROR_SHOWN = 80


@admin.register(Job, site=site)
class JobAdmin(Record):
    list_display = ("id", "kind", "target", "state", "attempts", "due_at", "error", "created_at", "finished_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id__startswith", "target__startswith", "last_error")
    search_help_text = "The beginning of an id or target, or a part of an error"
    ordering = ("-created_at", "id")
    exclude = ("claim",)
    actions = ("retry",)

    @admin.display(description="last error")
    def error(self, row: Job) -> str:
        first = row.last_error.partition("\n")[0]
        return first if len(first) <= ERROR_SHOWN else first[: ERROR_SHOWN - 1] + "…"

    @admin.action(description="Retry the selected failed jobs", permissions=["act"])
    def retry(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(state=JobState.FAILED).values_list("pk", flat=True)),
            lambda pk: jobs.retry(actor, job=pk),
            done="retried",
        )


@admin.register(Heartbeat, site=site)
class HeartbeatAdmin(Record):
    list_display = ("name", "at")
    ordering = ("name",)


@admin.register(Chunk, site=site)
class ChunkAdmin(Record):
    list_display = ("document", "ordinal", "heading", "start_line", "end_line", "length")
    list_select_related = ("document",)
    list_defer = ("text", "terms")
    search_fields = ("document__id__startswith", "document__name", "heading")
    search_help_text = "A document's id or name, or a part of a heading"
    ordering = ("document", "ordinal")
    exclude = ("terms",)


@admin.register(IdempotencyKey, site=site)
class IdempotencyKeyAdmin(Record):
    list_display = ("key", "principal", "operation", "created_at")
    list_defer = ("outcome",)
    search_fields = ("key__startswith", "principal__startswith")
    search_help_text = "The beginning of a key or a principal"
    ordering = ("-created_at", "id")


@admin.register(BriefMark, site=site)
class BriefMarkAdmin(Record):
    list_display = ("principal", "folder", "through", "acknowledged_at")
    list_select_related = ("folder",)
    search_fields = ("principal__startswith", "folder__path")
    search_help_text = "The beginning of a principal, or a part of a folder's location"
    ordering = ("-acknowledged_at", "id")


@admin.register(Receipt, site=site)
class ReceiptAdmin(Record):
    list_display = ("at", "kind", "writer", "via", "document", "capture", "session")
    list_select_related = ("person", "agent", "document", "capture")
    list_defer = ("data", "capture__content")
    list_filter = ("kind", ViaFilter, AgentFilter, "at")
    search_fields = (
        "id__startswith",
        "document__id__startswith",
        "capture__id__startswith",
        "session__startswith",
        "person__email__istartswith",
    )
    search_help_text = "The beginning of an id, a session or an address"
    ordering = ("-at", "id")

    @admin.display(description="by", ordering="person")
    def writer(self, row: Receipt) -> str:
        return author(row)
