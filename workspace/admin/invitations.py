"""Invitations, without their secrets."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from workspace.admin.records import Record, RevokedFilter, act, actor_of
from workspace.admin.site import site
from workspace.models import Invitation
from workspace.services import invitations


@admin.register(Invitation, site=site)
class InvitationAdmin(Record):
    list_display = ("invited", "invited_by", "offers", "taken", "created_at", "expires_at", "revoked_at")
    list_select_related = ("invited_by", "folder", "document__folder")
    list_defer = ("token_hash",)
    list_filter = (RevokedFilter, "expires_at")
    search_fields = ("id__startswith", "email__istartswith", "invited_by__email__istartswith")
    search_help_text = "An id, or the beginning of an address"
    ordering = ("-created_at", "id")
    exclude = ("token_hash",)
    actions = ("revoke",)

    @admin.display(description="invited", ordering="email")
    def invited(self, row: Invitation) -> str:
        return str(row)

    @admin.display(description="offers")
    def offers(self, row: Invitation) -> str:
        place = invitations.location_of(row)
        return f"{invitations.role_of(row)} of {place}" if place else "an account"

    @admin.display(description="taken")
    def taken(self, row: Invitation) -> str:
        return f"{len(row.accepted_by)} of {row.uses}"

    @admin.action(description="Revoke the selected invitations", permissions=["act"])
    def revoke(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(revoked_at=None).values_list("pk", flat=True)),
            lambda pk: invitations.revoke(actor, invitation=pk),
            done="revoked",
        )
