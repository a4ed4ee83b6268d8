"""Folders, documents and what became of them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace.admin.records import AgentFilter, DeletedFilter, Record, ViaFilter, act, actor_of, author
from workspace.admin.site import site
from workspace.models import Blame, BlameMark, Blob, Commit, Conflict, Document, Draft, Folder, Settling
from workspace.services import conflicts


@admin.register(Folder, site=site)
class FolderAdmin(Record):
    list_display = ("path", "retention_days", "created_by", "created_at", "deleted_at")
    list_select_related = ("created_by",)
    list_defer = ("handoff_lines", "lineage")
    list_filter = (DeletedFilter,)
    search_fields = ("path",)
    search_help_text = "A part of the location"
    ordering = ("path", "id")
    exclude = ("twin_key", "lineage", "handoff_lines")


@admin.register(Document, site=site)
class DocumentAdmin(Record):
    list_display = ("name", "place", "title", "number", "updated_at", "deleted_at")
    list_select_related = ("folder",)
    list_filter = (DeletedFilter, "updated_at")
    search_fields = ("id__startswith", "name", "title", "folder__path")
    search_help_text = "An id, or a part of a name, a title or a location"
    ordering = ("-updated_at", "id")
    exclude = ("twin_key",)

    @admin.display(description="folder", ordering="folder__path")
    def place(self, row: Document) -> str:
        return row.folder.path


@admin.register(Commit, site=site)
class CommitAdmin(Record):
    list_display = ("short", "location", "number", "kind", "writer", "via", "message", "created_at")
    list_select_related = ("author", "agent")
    list_filter = ("kind", ViaFilter, AgentFilter, "created_at")
    search_fields = ("id__startswith", "document__id__startswith", "location", "author__email__istartswith")
    search_help_text = "The beginning of a commit, document or address, or a part of a location"
    ordering = ("-recorded_at", "id")

    @admin.display(description="commit", ordering="id")
    def short(self, row: Commit) -> str:
        return row.id[:12]

    @admin.display(description="author", ordering="author")
    def writer(self, row: Commit) -> str:
        return author(row)


@admin.register(Blob, site=site)
class BlobAdmin(Record):
    list_display = ("hash", "size", "lines")
    list_defer = ("content",)
    search_fields = ("hash__startswith",)
    search_help_text = "The beginning of a hash"
    ordering = ("hash",)


@admin.register(Conflict, site=site)
class ConflictAdmin(Record):
    list_display = ("id", "document", "state", "hunk_count", "writer", "via", "created_at", "closed_at")
    list_select_related = ("document", "author", "agent")
    list_filter = ("state", ViaFilter, AgentFilter, "created_at")
    search_fields = ("id__startswith", "document__id__startswith", "document__name", "author__email__istartswith")
    search_help_text = "The beginning of an id or address, or a part of a document's name"
    ordering = ("-created_at", "id")
    actions = ("discard",)

    @admin.display(description="author", ordering="author")
    def writer(self, row: Conflict) -> str:
        return author(row)

    @admin.action(description="Discard the drafts of the selected conflicts", permissions=["act"])
    def discard(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.values_list("pk", flat=True)),
            lambda pk: conflicts.discard(actor, conflict=pk, reason="Discarded in the administration."),
            done="discarded",
        )


@admin.register(Settling, site=site)
class SettlingAdmin(Record):
    list_display = ("conflict", "person", "seen_at")
    list_select_related = ("conflict", "person")
    list_defer = ("choices",)
    search_fields = ("conflict__id__startswith", "person__email__istartswith")
    search_help_text = "The beginning of a conflict's id or of an address"
    ordering = ("-seen_at", "id")


@admin.register(Draft, site=site)
class DraftAdmin(Record):
    """That there is one, and how old it is: what somebody has not saved is theirs alone."""

    list_display = ("person", "document", "folder", "updated_at")
    list_select_related = ("person", "document", "folder")
    list_defer = ("content", "message")
    search_fields = ("document__id__startswith", "document__name", "person__email__istartswith")
    search_help_text = "The beginning of an address or an id, or a part of a document's name"
    ordering = ("-updated_at", "id")
    exclude = ("content", "message", "name")


class _Authorship(Record):
    """Who wrote each sentence of a text, as it is kept; the runs themselves are for programs."""

    list_defer = exclude = ("runs", "commits")
    search_fields = ("document__id__startswith", "document__name")
    search_help_text = "The beginning of an id, or a part of a document's name"


@admin.register(Blame, site=site)
class BlameAdmin(_Authorship):
    list_display = ("document", "commit", "version")
    list_select_related = ("document", "commit")
    ordering = ("document",)


@admin.register(BlameMark, site=site)
class BlameMarkAdmin(_Authorship):
    list_display = ("document", "number", "version")
    list_select_related = ("document",)
    ordering = ("document", "number")
