"""Receipts: what happened, when, and by whom."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import receipts
from workspace.rest import parameters
from workspace.rest.answers import moment, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import PAGED, operation, page_of, query


class ReceiptOut(serializers.Serializer[Any]):
    """One fact, recorded when it happened."""

    id = serializers.CharField()
    kind = serializers.CharField(
        help_text="written, conflicted, resolved, captured, summarised, indexed, read, granted …"
    )
    at = serializers.DateTimeField()
    by = AuthorOut()
    via = serializers.CharField()
    session = serializers.CharField()
    location = serializers.CharField(allow_null=True, help_text="The document or folder that it is about.")
    document = serializers.CharField(allow_null=True)
    commit = serializers.CharField(allow_null=True)
    capture = serializers.CharField(allow_null=True)
    conflict = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    data = serializers.DictField(help_text="Further facts, by the kind.")  # type: ignore[assignment]


class Receipts(Endpoint):
    @operation(
        "listReceipts",
        "List receipts",
        tag="background",
        ok=page_of(ReceiptOut),
        parameters=[
            query("kind", "Only those of this kind."),
            query("location", "Only those of this document, or at and below this folder."),
            query("capture", "Only those of this capture."),
            query("session", "Only those of this session of a host."),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first, of what you can see."""
        narrowing = {
            name: parameters.text(request, name) or None for name in ("kind", "location", "capture", "session")
        }
        found = receipts.listing(
            self.actor, **narrowing, limit=parameters.limit(request), cursor=parameters.cursor(request)
        )
        return page(found, row)


def row(found: receipts.ReceiptRow) -> dict[str, Any]:
    """A receipt as ``ReceiptOut``."""
    return {
        "id": found.id,
        "kind": found.kind,
        "at": moment(found.at),
        "by": author(found.by),
        "via": found.via,
        "session": found.session,
        "location": found.location or None,
        "document": found.document,
        "commit": found.commit,
        "capture": found.capture,
        "conflict": found.conflict,
        "reason": found.reason,
        "data": found.data,
    }
