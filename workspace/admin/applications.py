"""Programs that registered with the authorization server, or whose description it fetched."""

from typing import Any
from urllib.parse import urlsplit

from allauth.idp.oidc.models import Client
from django.contrib import admin
from django.db.models import Exists, OuterRef
from django.http import HttpRequest

from workspace.admin.records import Record, act, actor_of
from workspace.admin.site import site
from workspace.models import Connection
from workspace.services import connections

SHOWN = 3
"""Redirect addresses in a row of the list."""


def _standing() -> Any:
    return Connection.objects.filter(client_id=OuterRef("pk"), ended_at=None)


class UsedFilter(admin.SimpleListFilter):
    """Whether somebody's connection by it stands."""

    title = "state"
    parameter_name = "used"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "in use"), ("no", "unused")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if not self.value():
            return queryset
        return queryset.filter(Exists(_standing()) if self.value() == "yes" else ~Exists(_standing()))


@admin.register(Client, site=site)
class ClientAdmin(Record):
    """What a program says of itself. Nobody vouches for its name but the host of an id that is an address."""

    list_display = ("program", "vouched_by", "redirects", "used", "created_at")
    list_defer = ("secret", "data")
    list_filter = (UsedFilter, "created_at")
    search_fields = ("name", "id__startswith", "redirect_uris")
    search_help_text = (
        "What a program calls itself, the beginning of its id, or a part of an address that it returns to"
    )
    ordering = ("-created_at", "id")
    fields = (
        "name", "id", "vouched_by", "redirects_all", "grant_types", "scopes", "used", "created_at",
    )  # fmt: skip
    actions = ("end",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(used=Exists(_standing()))

    @admin.display(description="program", ordering="name")
    def program(self, row: Client) -> str:
        return row.name or row.pk

    @admin.display(description="vouched for by")
    def vouched_by(self, row: Client) -> str:
        return (urlsplit(row.pk).hostname or "" if "://" in row.pk else "") or "unverified"

    @admin.display(description="returns to")
    def redirects(self, row: Client) -> str:
        found = row.get_redirect_uris()
        more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return ", ".join(found[:SHOWN]) + more

    @admin.display(description="returns to")
    def redirects_all(self, row: Client) -> str:
        return "\n".join(row.get_redirect_uris())

    @admin.display(description="in use", boolean=True, ordering="used")
    def used(self, row: Any) -> bool:
        return bool(row.used)

    @admin.action(description="End all connections of the selected programs", permissions=["act"])
    def end(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        chosen = Connection.objects.filter(client_id__in=rows.order_by().values("pk"), ended_at=None)
        act(
            request,
            list(chosen.values_list("pk", flat=True)),
            lambda pk: connections.disconnect(actor, connection=pk),
            done="ended",
        )
