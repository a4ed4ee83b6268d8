"""The audit log: looked at, narrowed and exported, never changed."""

from typing import Any

from django.contrib import admin
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from workspace.admin.records import NONE, Record, ViaFilter, actor_of
from workspace.admin.site import site
from workspace.models import AuditEntry
from workspace.queries import audit
from workspace.queries.audit_export import FORMATS, in_threads
from workspace.services import audit as services
from workspace.services.audit_actions import ACTIONS


class KindFilter(admin.SimpleListFilter):
    """By what an action is about. The choices are fixed, so that drawing them does not scan the table."""

    title = "about"
    parameter_name = "about"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in sorted({action.partition(".")[0] for action in ACTIONS})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        kind = self.value()
        return queryset.filter(action__in=[a for a in ACTIONS if a.startswith(kind)]) if kind else queryset


class DeniedFilter(admin.SimpleListFilter):
    """Refused or done."""

    title = "outcome"
    parameter_name = "denied"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "done"), ("yes", "refused")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(denied=self.value() == "yes") if self.value() else queryset


@admin.register(AuditEntry, site=site)
class AuditEntryAdmin(Record):
    list_display = ("at", "action", "outcome", "who", "via", "location", "subject", "address", "request_id")
    list_select_related = ("person", "agent")
    list_defer = ("data",)
    list_filter = (KindFilter, DeniedFilter, ViaFilter, "at")
    search_fields = ("location__startswith", "person__email__istartswith", "agent__id", "request_id", "subject")
    search_help_text = "The beginning of an address or a location, a part of a subject, an agent's or a request's id"
    ordering = ("-at", "-id")
    actions = ("as_csv", "as_json_lines")

    @admin.display(description="outcome", ordering="denied")
    def outcome(self, row: AuditEntry) -> str:
        # A word: the tick of a true ``denied`` would look as if all were well.
        return "refused" if row.denied else "done"

    @admin.display(description="who")
    def who(self, row: AuditEntry) -> str:
        if row.agent_id is not None:
            return f"{row.agent.name} for {row.person.label}" if row.person_id else row.agent.name
        if row.person_id is not None:
            return row.person.label
        return f"job {row.job}" if row.job else NONE

    @admin.action(description="Export the selected entries as CSV", permissions=["act"])
    def as_csv(self, request: HttpRequest, rows: QuerySet[AuditEntry]) -> StreamingHttpResponse:
        return _export(request, rows, "csv")

    @admin.action(description="Export the selected entries as JSON lines", permissions=["act"])
    def as_json_lines(self, request: HttpRequest, rows: QuerySet[AuditEntry]) -> StreamingHttpResponse:
        return _export(request, rows, "jsonl")


def _export(request: HttpRequest, rows: QuerySet[AuditEntry], form: str) -> StreamingHttpResponse:
    kind, write = FORMATS[form]
    services.record(actor_of(request), "audit.exported", data={"format": form})
    chunks = write(audit.export_rows(rows))
    return StreamingHttpResponse(
        in_threads(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=kind,
        headers={"Content-Disposition": f'attachment; filename="baton-audit.{form}"', "Cache-Control": "no-store"},
    )
