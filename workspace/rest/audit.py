"""The audit log: who did or tried what."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.actor import Via
from workspace.errors import Invalid, NotFound
from workspace.queries import audit, audit_filters
from workspace.rest import parameters
from workspace.rest.answers import moment, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import PAGED, operation, page_of, query


class AuditEntryOut(serializers.Serializer[Any]):
    """One act or refused attempt; it never changes."""

    id = serializers.CharField(help_text="aud_…, the same in every answer and export.")
    at = serializers.DateTimeField()
    action = serializers.CharField(help_text="document.edited, grant.given, signin.failed, attempt.not_found …")
    denied = serializers.BooleanField(help_text="Whether it was refused.")
    by = AuthorOut(allow_null=True, help_text="Null where nobody was recognised.")
    via = serializers.CharField(help_text=f"One of {', '.join(Via)}.")
    request_id = serializers.CharField(help_text="The X-Request-Id of the request; empty for jobs and commands.")
    address = serializers.CharField(
        allow_null=True, help_text="The client's network address; told to administrators, and to you of what you did."
    )
    location = serializers.CharField(allow_null=True, help_text="Where it happened, or what was asked for.")
    document = serializers.CharField(allow_null=True)
    subject = serializers.CharField(allow_null=True, help_text="Whom or what it was done to, where that is no place.")
    reason = serializers.CharField()
    data = serializers.DictField(help_text="Further facts, by the action.")  # type: ignore[assignment]


class Audit(Endpoint):
    @operation(
        "listAudit",
        "List the audit log",
        tag="sharing",
        ok=page_of(AuditEntryOut),
        parameters=[
            query("person", "Only acts of this person, by address, their agents' included."),
            query("agent", "Only acts of this agent, by id or name."),
            query("action", "Only this action, or all of one kind: `document.`"),
            query("via", "Only what came through this.", enum=[via.value for via in Via]),
            query("denied", "Only what was refused, or only what was not.", enum=["true", "false"]),
            query("place", "Only what happened at and below this location."),
            query("from", "Only from this day or time on: `2026-11-30`, `2026-11-30T14:00:00Z`."),
            query("to", "Only before this time; of a day, to its end."),
            query("request", "Only of the request with this id."),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first: all of it for an administrator; for a manager what happened at and below their folders; and for
        everybody what they did themselves. An agent reads the acts of others only where it is manager."""
        given = {name: parameters.text(request, name) or "" for name in audit_filters.NAMES}
        found = audit.listing(
            self.actor,
            filters=audit_filters.parse(given),
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, row)


def row(found: audit.Entry) -> dict[str, Any]:
    """An entry as ``AuditEntryOut``."""
    return {
        "id": found.id,
        "at": moment(found.at),
        "action": found.action,
        "denied": found.denied,
        "by": author(found.by) if found.by is not None else None,
        "via": found.via,
        "request_id": found.request_id,
        "address": found.address,
        "location": found.location or None,
        "document": found.document,
        "subject": found.subject or None,
        "reason": found.reason,
        "data": dict(found.data),
    }
