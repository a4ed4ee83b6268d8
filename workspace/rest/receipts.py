"""Receipts: what happened, when, and by whom."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import receipts
from workspace.rest import bodies, examples, parameters
from workspace.rest.answers import answer, moment, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import PAGED, operation, page_of, query
from workspace.services import contexts


class ReceiptOut(serializers.Serializer[Any]):
    """One fact, recorded when it happened."""

    id = serializers.CharField()
    kind = serializers.CharField(
        help_text="written, conflicted, resolved, captured, summarised, indexed, invoked, retrieved, attached, "
        "withheld, read, granted …"
    )
    at = serializers.DateTimeField()
    by = AuthorOut()
    via = serializers.CharField()
    session = serializers.CharField()
    host = serializers.CharField(help_text="The program that told of it; else empty.")
    operation = serializers.CharField(help_text="The stages of one prompt have the same one; else empty.")
    location = serializers.CharField(allow_null=True, help_text="The document or folder that it is about.")
    document = serializers.CharField(allow_null=True)
    commit = serializers.CharField(allow_null=True)
    capture = serializers.CharField(allow_null=True)
    conflict = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    data = serializers.DictField(help_text="Further facts, by the kind.")  # type: ignore[assignment]


class Report(bodies.Inputs):
    receipt = bodies.Text(help_text="The receipt that POST /context gave.")
    stage = bodies.Word(choices=contexts.REPORTED)
    reason = bodies.Text(required=False, blank=True, help_text="Why it was withheld.")


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
            query("session", "Only those of this session of a host, and of what became of its captures."),
            query("host", "Only those of this host, such as claude-code, and of what became of its captures."),
            query("agent", "Only those of the agent with this id, and of what became of its captures."),
            query("operation", "Only the stages of this prompt, by its operation_id or its receipt."),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first, of what you can see."""
        names = ("kind", "location", "capture", "session", "host", "agent", "operation")
        narrowing = {name: parameters.text(request, name) or None for name in names}
        found = receipts.listing(
            self.actor, **narrowing, limit=parameters.limit(request), cursor=parameters.cursor(request)
        )
        return page(found, row)

    @operation(
        "reportReceipt",
        "Report what became of a context",
        tag="background",
        ok=ReceiptOut,
        status=201,
        request=Report,
        refuses=[NotFound],
        sends={"Attached": {"receipt": "rcp_01kb7n2g4j6k8m0p2r4t6v8x0z", "stage": "attached"}},
        examples={
            "Attached": {
                "id": "rcp_01kb7n2h5k7m9p1r3t5v7x9z1b",
                "kind": "attached",
                "at": "2026-11-29T08:00:00.000000Z",
                "by": examples.SCOUT,
                "via": "hook",
                "session": "5f0c1a",
                "host": "claude-code",
                "operation": "0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f60",
                "location": "product/launch",
                "document": None,
                "commit": None,
                "capture": None,
                "conflict": None,
                "reason": "",
                "data": {},
            }
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Says whether the host gave the text of `POST /context` to its model. What was attached has been read."""
        return answer(row(contexts.report(self.actor, **bodies.read(request, Report))), status=201)


def row(found: receipts.ReceiptRow) -> dict[str, Any]:
    """A receipt as ``ReceiptOut``."""
    return {
        "id": found.id,
        "kind": found.kind,
        "at": moment(found.at),
        "by": author(found.by),
        "via": found.via,
        "session": found.session,
        "host": found.host,
        "operation": found.operation,
        "location": found.location or None,
        "document": found.document,
        "commit": found.commit,
        "capture": found.capture,
        "conflict": found.conflict,
        "reason": found.reason,
        "data": found.data,
    }
