"""What somebody should know who comes back."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import briefs as reads
from workspace.queries import citations
from workspace.queries.briefs import Approval, CapturedRow, ChangedRow
from workspace.queries.conflicts import Waiting
from workspace.rest import examples, parameters
from workspace.rest.answers import answer, moment
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import operation, query
from workspace.services import briefs

NONE_YET = "Always empty: nothing of this kind is kept."


class ApprovalOut(serializers.Serializer[Any]):
    """What waits for your yes or no: a request for access, or a capture that was proposed."""

    kind = serializers.ChoiceField(choices=["access-request", "capture"])
    id = serializers.CharField()
    location = serializers.CharField()
    by = AuthorOut()
    said = serializers.CharField(help_text="The reason that was given, or the first line of the capture.")
    created_at = serializers.DateTimeField()


class ChangedOut(serializers.Serializer[Any]):
    """A document that others changed since the brief that you acknowledged last."""

    location = serializers.CharField()
    id = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    commit = serializers.CharField(help_text="The newest of theirs.")
    commits = serializers.IntegerField(help_text="How many of theirs there are.")
    message = serializers.CharField()
    reason = serializers.CharField()
    author = AuthorOut()
    committed_at = serializers.DateTimeField()
    web_url = serializers.CharField()


class ContestedOut(serializers.Serializer[Any]):
    """A conflict that is open and that you may settle."""

    kind = serializers.ChoiceField(choices=["conflict"])
    id = serializers.CharField()
    location = serializers.CharField()
    why = serializers.ChoiceField(
        choices=["yours", "against", "editor"],
        help_text="The draft is yours, it is against what you wrote, or you are an editor there.",
    )
    hunks = serializers.IntegerField()
    author = AuthorOut(help_text="Who wrote the draft.")
    message = serializers.CharField()
    created_at = serializers.DateTimeField()


class BriefCaptureOut(serializers.Serializer[Any]):
    """A session that others captured since then."""

    id = serializers.CharField()
    folder = serializers.CharField()
    host = serializers.CharField()
    session = serializers.CharField()
    author = AuthorOut()
    created_at = serializers.DateTimeField()
    excerpt = serializers.CharField(help_text="Its first line.")


class CursorOut(serializers.Serializer[Any]):
    since = serializers.CharField(allow_null=True, help_text="What you acknowledged; null where nothing yet.")
    head = serializers.CharField(help_text="Send it as ack_through, and what is told here is not told again.")


class BriefOut(serializers.Serializer[Any]):
    claims = serializers.ListField(child=serializers.DictField(), help_text=NONE_YET)
    waiting = serializers.ListField(child=serializers.DictField(), help_text=NONE_YET)
    approvals = ApprovalOut(many=True, help_text="The oldest first.")
    resolved_waits = serializers.ListField(child=serializers.DictField(), help_text=NONE_YET)
    changed = ChangedOut(many=True, help_text="Near your work, never by yourself; the newest first.")
    contested = ContestedOut(many=True)
    captures = BriefCaptureOut(many=True, help_text="Never your own; the newest first.")
    left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text=f"How many more there are, by kind; at most {reads.MOST} are told."
    )
    cursor = CursorOut()


class Brief(Endpoint):
    @operation(
        "readBrief",
        "Read your brief",
        tag="me",
        ok=BriefOut,
        parameters=[
            query(
                "location", "Only what changed at and below this folder; else near what your person worked on lately."
            ),
            query("ack_through", "The cursor.head of a brief that you have read: it is acknowledged first."),
        ],
        refuses=[Invalid, NotFound],
        examples={
            "After a night": {
                "claims": [],
                "waiting": [],
                "approvals": [],
                "resolved_waits": [],
                "changed": [
                    {
                        "location": "product/launch/plan.md",
                        "id": "doc_01kb7mz3q5s7v9x1z3b5d7f9h1",
                        "title": "Launch plan",
                        "summary": "We launch in June.",
                        "commit": examples.COMMIT,
                        "commits": 2,
                        "message": "Move the launch to June",
                        "reason": "The review takes longer.",
                        "author": examples.SCOUT,
                        "committed_at": "2026-11-29T08:00:00.000000Z",
                        "web_url": f"https://baton.example.org/d/product/launch/plan.md?at={examples.COMMIT}",
                    }
                ],
                "contested": [],
                "captures": [],
                "left_out": {},
                "cursor": {"since": None, "head": "eyJ…"},
            }
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """What waits for you, what is contested, and what others changed and captured near your work."""
        if (through := parameters.text(request, "ack_through")) is not None:
            briefs.acknowledge(self.actor, ack_through=through)
        found = reads.brief(self.actor, location=parameters.text(request, "location"))
        return answer(
            {
                "claims": [],
                "waiting": [],
                "approvals": [approval(one) for one in found.approvals],
                "resolved_waits": [],
                "changed": [changed(one) for one in found.changed],
                "contested": [contested(one) for one in found.contested],
                "captures": [captured(one) for one in found.captures],
                "left_out": found.left_out,
                "cursor": {"since": found.since, "head": found.head},
            }
        )


def approval(found: Approval) -> dict[str, Any]:
    """An approval as ``ApprovalOut``."""
    return {
        "kind": found.kind,
        "id": found.id,
        "location": found.location,
        "by": author(found.by),
        "said": found.said,
        "created_at": moment(found.at),
    }


def changed(found: ChangedRow) -> dict[str, Any]:
    """A changed document as ``ChangedOut``."""
    return {
        "location": found.location,
        "id": found.id,
        "title": found.title,
        "summary": found.summary,
        "commit": found.commit,
        "commits": found.commits,
        "message": found.message,
        "reason": found.reason,
        "author": author(found.author),
        "committed_at": moment(found.committed_at),
        "web_url": citations.web_url(found.location, at=found.commit),
    }


def contested(found: Waiting) -> dict[str, Any]:
    """An open conflict as ``ContestedOut``."""
    row = found.row
    return {
        "kind": "conflict",
        "id": row.id,
        "location": row.location,
        "why": found.why,
        "hunks": row.hunk_count,
        "author": author(row.author),
        "message": row.message,
        "created_at": moment(row.created_at),
    }


def captured(found: CapturedRow) -> dict[str, Any]:
    """A captured session as ``BriefCaptureOut``."""
    return {
        "id": found.id,
        "folder": found.folder,
        "host": found.host,
        "session": found.session,
        "author": author(found.author),
        "created_at": moment(found.created_at),
        "excerpt": found.excerpt,
    }
