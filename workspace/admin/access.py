"""Who was granted what where, and links that sign somebody in."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace import locations
from workspace.admin.records import Record, act, actor_of
from workspace.admin.site import site
from workspace.errors import Invalid
from workspace.models import AccessRequest, Grant, SignInLink
from workspace.services import access_requests, sharing


@admin.register(Grant, site=site)
class GrantAdmin(Record):
    list_display = ("subject", "role", "place", "created_by", "created_at")
    list_select_related = ("person", "group", "folder", "document", "document__folder", "created_by")
    list_filter = ("role", "created_at")
    search_fields = ("person__email", "group__name", "folder__path", "document__name")
    search_help_text = "An address, a group, or a part of a location"
    ordering = ("-created_at", "id")
    actions = ("withdraw",)

    @admin.display(description="granted to", ordering="person__email")
    def subject(self, row: Grant) -> str:
        return subject_of(row)

    @admin.display(description="where", ordering="folder__path")
    def place(self, row: Grant) -> str:
        return location_of(row)

    @admin.action(description="Withdraw the selected grants", permissions=["act"])
    def withdraw(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.select_related(*self.list_select_related)),
            lambda grant: sharing.revoke(actor, location=location_of(grant), subject=subject_of(grant)),
            done="withdrawn",
            named=subject_of,
        )


@admin.register(AccessRequest, site=site)
class AccessRequestAdmin(Record):
    """Who asked for what. A request for a place that is not there has neither folder nor document."""

    list_display = ("asked", "person", "agent", "state", "granted_role", "decided_by", "created_at")
    list_select_related = ("person", "agent", "decided_by")
    list_filter = ("state", "role", "created_at")
    search_fields = ("location", "person__email", "id__startswith")
    search_help_text = "An address, a part of a location, or an id"
    ordering = ("-created_at", "id")
    actions = ("approve", "decline")

    @admin.display(description="asked for", ordering="location")
    def asked(self, row: AccessRequest) -> str:
        return f"{row.get_role_display()} of {row.location}"

    def _decide(self, request: HttpRequest, rows: Any, *, approve: bool) -> None:
        actor = actor_of(request)

        def decide(row: AccessRequest) -> None:
            if access_requests.decide(actor, request=row.pk, approve=approve).again:
                raise Invalid("request", f"was {row.state} already.")

        act(request, list(rows), decide, done="approved" if approve else "declined")

    @admin.action(description="Approve the selected requests, as they were asked", permissions=["act"])
    def approve(self, request: HttpRequest, rows: Any) -> None:
        self._decide(request, rows, approve=True)

    @admin.action(description="Decline the selected requests", permissions=["act"])
    def decline(self, request: HttpRequest, rows: Any) -> None:
        self._decide(request, rows, approve=False)


def subject_of(grant: Grant) -> str:
    """The grant's subject as the product writes it: an address or ``group:NAME``."""
    if grant.person is not None:
        return grant.person.email
    return grant.group.subject if grant.group is not None else ""


def location_of(grant: Grant) -> str:
    """The location that the grant is on."""
    if grant.folder is not None:
        return grant.folder.path
    document = grant.document
    return locations.join(document.folder.path, document.name) if document is not None else ""


@admin.register(SignInLink, site=site)
class SignInLinkAdmin(Record):
    list_display = ("person", "created_at", "expires_at", "used_at")
    list_select_related = ("person",)
    list_defer = ("token_hash",)
    list_filter = ("used_at",)
    search_fields = ("person__email",)
    search_help_text = "An address"
    ordering = ("-created_at", "id")
    exclude = ("token_hash",)
