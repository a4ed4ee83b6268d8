"""What agents saved of their sessions."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace.admin.records import AgentFilter, DeletedFilter, Record, ViaFilter, act, actor_of, author
from workspace.admin.site import site
from workspace.models import Capture, Summary
from workspace.services import captures


@admin.register(Capture, site=site)
class CaptureAdmin(Record):
    list_display = ("id", "folder", "writer", "host", "event", "redactions", "created_at", "deleted_at")
    list_select_related = ("folder", "author", "agent")
    list_defer = ("content",)
    list_filter = (DeletedFilter, ViaFilter, AgentFilter, "created_at")
    search_fields = ("id__startswith", "folder__path", "session__startswith", "author__email__istartswith")
    search_help_text = "The beginning of an id, session or address, or a part of a folder's location"
    ordering = ("-created_at", "id")
    actions = ("erase",)

    @admin.display(description="author", ordering="author")
    def writer(self, row: Capture) -> str:
        return author(row)

    @admin.action(description="Erase the content of the selected captures", permissions=["act"])
    def erase(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(deleted_at=None).values_list("pk", flat=True)),
            lambda pk: captures.erase(actor, capture=pk),
            done="erased",
        )


@admin.register(Summary, site=site)
class SummaryAdmin(Record):
    list_display = ("capture", "engine", "created_at")
    list_select_related = ("capture",)
    list_defer = ("lines", "capture__content")
    search_fields = ("capture__id__startswith", "engine__startswith")
    search_help_text = "The beginning of a capture's id or an engine's name"
    ordering = ("-created_at", "id")
