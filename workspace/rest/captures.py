"""Captures: what agents keep of their sessions."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.digest.summary import SECTIONS
from workspace.errors import Forbidden, Gone, IdempotencyMismatch, Invalid, NotFound
from workspace.queries import captures as reads
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import naming
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.receipts import ReceiptOut
from workspace.rest.receipts import row as receipt
from workspace.rest.schema import PAGED, in_path, operation, page_of, query
from workspace.services import captures


class NewCapture(bodies.Inputs):
    folder = bodies.Text(help_text="The location of the folder that it is kept in.")
    content = bodies.Text(help_text="At most 16 KiB. Secrets are taken out before it is stored.")
    operation_id = bodies.Text(help_text="Its own for each capture, and the same one on a retry.")
    host = bodies.Text(required=False, blank=True, help_text="The program, such as claude-code.")
    session = bodies.Text(required=False, blank=True, help_text="The host's session.")
    event = bodies.Text(required=False, blank=True, help_text="What made it: session-end, pre-compact …")
    retention_days = bodies.Whole(
        least=1,
        most=captures.MAX_RETENTION_DAYS,
        required=False,
        allow_null=True,
        help_text="May shorten what the folder is set to.",
    )
    propose = bodies.Flag(
        required=False,
        help_text="true: it waits, seen by nobody else, until the person approves it in the browser.",
    )


class CapturedOut(serializers.Serializer[Any]):
    """A capture that is on disk."""

    id = serializers.CharField()
    folder = serializers.CharField()
    redactions = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many secrets were taken out, by kind."
    )
    created_at = serializers.DateTimeField()
    proposed = serializers.BooleanField(help_text="Whether it waits for its person's approval.")
    replayed = serializers.BooleanField(help_text="Whether this operation_id had brought it before.")


class CaptureOut(serializers.Serializer[Any]):
    """A capture in a list."""

    id = serializers.CharField()
    folder = serializers.CharField()
    host = serializers.CharField()
    session = serializers.CharField()
    event = serializers.CharField()
    author = AuthorOut()
    created_at = serializers.DateTimeField()
    redactions = serializers.DictField(child=serializers.IntegerField())
    state = serializers.ChoiceField(
        choices=["proposed", "captured", "summarised", "consolidated", "indexed", "failed", "deleted"],
        help_text=(
            "How far it came: proposed is yours alone, consolidated is in HANDOFF.md, indexed is found there by search."
        ),
    )
    deleted = serializers.BooleanField()
    excerpt = serializers.CharField(help_text="Its first line.")
    delete_after = serializers.DateTimeField(allow_null=True)


class SummaryLineOut(serializers.Serializer[Any]):
    section = serializers.ChoiceField(choices=SECTIONS)
    text = serializers.CharField()


class CaptureDetailOut(CaptureOut):
    """A capture with its text and what became of it."""

    content = serializers.CharField(help_text="Empty once it is erased.")
    summary_lines = SummaryLineOut(many=True)
    timeline = ReceiptOut(many=True, help_text="What became of it, oldest first.")
    handed_off = serializers.CharField(allow_null=True, help_text="The commit of HANDOFF.md that first holds it.")
    may_erase = serializers.BooleanField()
    may_approve = serializers.BooleanField(help_text="Whether it is proposed to you, who could let it be kept.")
    approved_at = serializers.DateTimeField(allow_null=True)
    approved_by = serializers.CharField(help_text="Who let it be kept, where it was proposed; else empty.")


IN_PATH = in_path("id", "The capture's id, cap_…")


class Captures(Endpoint):
    @operation(
        "listCaptures",
        "List captures",
        tag="captures",
        ok=page_of(CaptureOut),
        parameters=[
            query("folder", "Only those in this folder and below."),
            query("state", "`proposed`: only those that wait for you.", enum=[reads.PROPOSED]),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first, of the folders that you can see. What was proposed to a person is in that person's own lists
        alone, and in no agent's."""
        with naming({"location": "folder"}):
            found = reads.listing(
                self.actor,
                folder=parameters.text(request, "folder") or None,
                state=parameters.word(request, "state", reads.PROPOSED),
                limit=parameters.limit(request),
                cursor=parameters.cursor(request),
            )
        return page(found, row)

    @operation(
        "createCapture",
        "Keep a capture",
        tag="captures",
        ok=CapturedOut,
        status=201,
        request=NewCapture,
        refuses=[NotFound, Forbidden, IdempotencyMismatch],
        sends={
            "A session": {
                "folder": "product/launch",
                "content": "Asked: check the dates.\nDecided: June.\nOpen: who tells support?",
                "operation_id": "0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f60",
                "host": "claude-code",
                "session": "5f0c1a",
                "event": "session-end",
            },
            "Ask first": {
                "folder": "product/launch",
                "content": "Asked: check the dates.",
                "operation_id": "0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f61",
                "propose": True,
            },
        },
        examples={
            "Kept": {
                "id": "cap_01kb7n2g4j6k8m0p2r4t6v8x0z",
                "folder": "product/launch",
                "redactions": {"token": 1},
                "created_at": "2026-11-29T08:00:00.000000Z",
                "proposed": False,
                "replayed": False,
            }
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Keeps it for good. A summary of it is made in the background and woven into the folder's HANDOFF.md;
        of one that is proposed, once it is approved."""
        body = bodies.read(request, NewCapture)
        with naming({"location": "folder"}):
            kept = captures.commit(self.actor, **body)
        return answer(
            {
                "id": kept.id,
                "folder": kept.folder,
                "redactions": kept.redactions,
                "created_at": moment(kept.created_at),
                "proposed": kept.proposed,
                "replayed": kept.replayed,
            },
            status=201,
        )


class Capture(Endpoint):
    @operation(
        "readCapture",
        "Read a capture",
        tag="captures",
        ok=CaptureDetailOut,
        parameters=[IN_PATH],
        refuses=[NotFound],
    )
    def get(self, request: Request, id: str) -> HttpResponse:
        """Its text, its summary, and the receipts of what became of it."""
        return answer(detail(reads.show(self.actor, id=id)))

    @operation(
        "eraseCapture",
        "Erase a capture",
        tag="captures",
        status=204,
        parameters=[IN_PATH],
        refuses=[NotFound, Forbidden],
    )
    def delete(self, request: Request, id: str) -> HttpResponse:
        """Empties it and deletes its summary; its lines leave HANDOFF.md. That it was there stays. One that is proposed
        to you is declined by that."""
        captures.erase(self.actor, capture=id)
        return nothing()


class Approvals(Endpoint):
    @operation(
        "approveCapture",
        "Approve a capture that was proposed to you",
        tag="captures",
        ok=CaptureDetailOut,
        status=201,
        parameters=[IN_PATH],
        refuses=[NotFound, Forbidden, Gone],
    )
    def post(self, request: Request, id: str) -> HttpResponse:
        """With a signed-in browser's session only: no agent decides what is kept of it. Approving again changes
        nothing."""
        captures.approve(self.actor, capture=id)
        return answer(detail(reads.show(self.actor, id=id)), status=201)


def row(found: reads.CaptureRow) -> dict[str, Any]:
    """A capture as ``CaptureOut``."""
    return {
        "id": found.id,
        "folder": found.folder,
        "host": found.host,
        "session": found.session,
        "event": found.event,
        "author": author(found.author),
        "created_at": moment(found.created_at),
        "redactions": found.redactions,
        "state": found.state,
        "deleted": found.deleted,
        "excerpt": found.excerpt,
        "delete_after": moment(found.delete_after),
    }


def detail(found: reads.CaptureView) -> dict[str, Any]:
    """A capture as ``CaptureDetailOut``."""
    return row(found) | {
        "content": found.content,
        "summary_lines": [{"section": line.section, "text": line.text} for line in found.summary_lines],
        "timeline": [receipt(one) for one in found.timeline],
        "handed_off": found.handed_off,
        "may_erase": found.may_erase,
        "may_approve": found.may_approve,
        "approved_at": moment(found.approved_at),
        "approved_by": found.approved_by,
    }
