"""Agents, what narrows them, and their tokens."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace.admin.records import NONE, Record, RevokedFilter, act, actor_of
from workspace.admin.site import site
from workspace.models import Agent, AgentScope, AgentToken, Connection
from workspace.services import agents, connections


class AgentScopeInline(admin.TabularInline):
    model = AgentScope
    extra = 0
    can_delete = False
    fields = readonly_fields = ("role", "folder", "document")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("folder", "document")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Agent, site=site)
class AgentAdmin(Record):
    list_display = ("name", "person", "host", "last_seen_at", "created_at", "expires_at", "revoked_at")
    list_select_related = ("person",)
    list_filter = (RevokedFilter, "last_seen_at")
    search_fields = ("id__startswith", "name", "host__startswith", "person__email__istartswith")
    search_help_text = "An id, a name, a host or a person's address"
    ordering = ("-created_at", "id")
    inlines = (AgentScopeInline,)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected agents", permissions=["act"])
    def revoke(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(revoked_at=None).values_list("pk", flat=True)),
            lambda pk: agents.revoke(actor, agent=pk),
            done="revoked",
        )


@admin.register(AgentToken, site=site)
class AgentTokenAdmin(Record):
    list_display = ("prefix", "agent", "person", "created_at", "expires_at", "revoked_at")
    list_select_related = ("agent", "agent__person")
    list_defer = ("token_hash",)
    list_filter = (RevokedFilter, "expires_at")
    search_fields = ("prefix__startswith", "agent__id__startswith", "agent__name", "agent__person__email__istartswith")
    search_help_text = "The beginning of a token, an agent's name or a person's address"
    ordering = ("-created_at", "id")
    exclude = ("token_hash",)
    actions = ("revoke",)

    @admin.display(description="person", ordering="agent__person__email")
    def person(self, row: AgentToken) -> str:
        return row.agent.person.email

    @admin.action(description="Revoke the selected tokens", permissions=["act"])
    def revoke(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(revoked_at=None).values_list("pk", flat=True)),
            lambda pk: agents.revoke_token(actor, token=pk),
            done="revoked",
        )


@admin.register(AgentScope, site=site)
class AgentScopeAdmin(Record):
    list_display = ("agent", "capped_at", "place")
    list_select_related = ("agent", "folder", "document")
    list_filter = ("role",)
    search_fields = ("agent__name", "agent__id__startswith", "folder__path")
    search_help_text = "An agent's name or id, or a part of a folder's location"
    ordering = ("agent", "id")

    @admin.display(description="at most", ordering="role")
    def capped_at(self, row: AgentScope) -> str:
        return str(row.get_role_display())

    @admin.display(description="where")
    def place(self, row: AgentScope) -> str:
        if row.folder is not None:
            return row.folder.path
        return row.document.name if row.document is not None else NONE


class EndedFilter(admin.SimpleListFilter):
    """Whether the connection stands."""

    title = "state"
    parameter_name = "ended"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "stands"), ("yes", "ended")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(ended_at__isnull=self.value() == "no") if self.value() else queryset


@admin.register(Connection, site=site)
class ConnectionAdmin(Record):
    """Programs that were let in over OAuth. Of the grant only the beginning is shown."""

    list_display = ("client", "vouched_by", "agent", "person", "scopes", "consented_at", "ended_at", "ended_why")
    list_select_related = ("agent", "agent__person")
    list_filter = (EndedFilter, "consented_at")
    search_fields = (
        "client_name",
        "client_id__startswith",
        "agent__id__startswith",
        "agent__person__email__istartswith",
    )
    search_help_text = "What a program calls itself, a client's id, an agent's id or a person's address"
    ordering = ("-consented_at", "id")
    exclude = ("grant_id",)
    actions = ("end",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*super().get_fields(request, obj), "grant"]

    @admin.display(description="program", ordering="client_name")
    def client(self, row: Connection) -> str:
        return row.client_name or row.client_id

    @admin.display(description="vouched for by", ordering="client_host")
    def vouched_by(self, row: Connection) -> str:
        return row.client_host or "unverified"

    @admin.display(description="person", ordering="agent__person__email")
    def person(self, row: Connection) -> str:
        return row.agent.person.email

    @admin.display(description="grant")
    def grant(self, row: Connection) -> str:
        return f"{row.grant_id[:6]}…"

    @admin.action(description="End the selected connections", permissions=["act"])
    def end(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(ended_at=None).values_list("pk", flat=True)),
            lambda pk: connections.disconnect(actor, connection=pk),
            done="ended",
        )
