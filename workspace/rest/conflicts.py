"""Conflicts: list, look, resolve, discard."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Forbidden, IdempotencyMismatch, Invalid, NotFound
from workspace.queries import conflicts as reads
from workspace.rest import bodies, examples, parameters, results
from workspace.rest.answers import answer, moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.moves import expected
from workspace.rest.problems import CHOICE, WORDS, HunkOut
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import ETAG, IF_MATCH, KEY, PAGED, in_path, operation, page_of, query
from workspace.services import conflicts

MOST = 1_000_000
"""An index that no hunk can have."""


@extend_schema_field(
    {
        "oneOf": [
            *CHOICE["oneOf"],
            {
                "type": "object",
                "properties": {"hunk": {"type": "integer", "minimum": 0}, "choice": CHOICE},
                "required": ["hunk", "choice"],
                "additionalProperties": False,
            },
        ]
    }
)
class Choice(serializers.Field[Any, Any, Any, Any]):
    """What stands in the place of one hunk: a word, or other text; in order, or with the hunk's index."""

    default_error_messages = {
        "invalid": 'must be one of mine, theirs, both, base, suggestion, or {{"text": "…"}}, '
        'or one of these as {{"hunk": 0, "choice": …}}.'
    }

    def to_internal_value(self, data: object) -> Any:
        if isinstance(data, dict) and data.keys() == {"hunk", "choice"}:
            index = bodies.Whole(least=0, most=MOST).run_validation(data["hunk"])
            return {"hunk": index, "choice": self._choice(data["choice"])}
        return self._choice(data)

    def _choice(self, data: object) -> str | dict[str, str]:
        if isinstance(data, str) and data in WORDS:
            return data
        if isinstance(data, dict) and data.keys() == {"text"}:
            return {"text": bodies.Text(blank=True).run_validation(data["text"])}
        return self.fail("invalid")

    def to_representation(self, value: Any) -> Any:
        return value


class Resolution(bodies.Explained):
    choices = serializers.ListField(
        child=Choice(),
        required=False,
        help_text="One for each hunk, in order or by its index. `both` is theirs, then mine; `suggestion` is for hunks "
        "that have one.",
    )
    content = bodies.Text(required=False, blank=True, help_text="The whole text instead.")
    confirm_drop = bodies.Flag(
        required=False,
        help_text="Needed where content, or text in the place of a hunk, leaves out a line that either side added; "
        "INVALID names the lines then.",
    )
    expected_commit = bodies.Text(
        required=False, help_text="The head that this was made upon; without it, the one that the conflict names."
    )


class ConflictOut(serializers.Serializer[Any]):
    """A draft that could not be merged."""

    id = serializers.CharField()
    location = serializers.CharField()
    document = serializers.CharField()
    state = serializers.ChoiceField(choices=reads.STATES)
    author = AuthorOut()
    created_at = serializers.DateTimeField()
    base_commit = serializers.CharField(help_text="What the draft was written upon.")
    head_commit = serializers.CharField(help_text="What was there by then.")
    hunk_count = serializers.IntegerField()
    message = serializers.CharField()
    reason = serializers.CharField()
    closed_at = serializers.DateTimeField(allow_null=True)
    resolution = serializers.CharField(allow_null=True, help_text="The commit that settled it.")


class ConflictDetailOut(ConflictOut):
    """A conflict with all three texts, as it would merge now."""

    base = serializers.CharField(help_text="The text that the draft was written upon.")
    theirs = serializers.CharField(help_text="The text of the head.")
    mine = serializers.CharField(help_text="The draft.")
    theirs_author = AuthorOut(help_text="Who wrote the head.")
    hunks = HunkOut(many=True, help_text="To be chosen from in this order.")
    merged_preview = serializers.CharField(help_text="The merged text, with markers where it conflicts.")
    current_commit = serializers.CharField(help_text="The head: what to name as expected_commit.")
    may_resolve = serializers.BooleanField()
    may_discard = serializers.BooleanField()


IN_PATH = in_path("id", "The conflict's id, cfl_…")


class Conflicts(Endpoint):
    @operation(
        "listConflicts",
        "List conflicts",
        tag="conflicts",
        ok=page_of(ConflictOut),
        parameters=[
            query("state", "Without it, the open ones.", enum=reads.STATES, default="open"),
            query("location", "Only those of this document, or below this folder."),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first: your own drafts, and those of documents that you may edit."""
        found = reads.listing(
            self.actor,
            state=parameters.word(request, "state", *reads.STATES) or "open",
            location=parameters.text(request, "location") or None,
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, row)


class Conflict(Endpoint):
    @operation(
        "readConflict",
        "Read a conflict",
        tag="conflicts",
        ok=ConflictDetailOut,
        parameters=[IN_PATH],
        refuses=[NotFound],
    )
    def get(self, request: Request, id: str) -> HttpResponse:
        """Base, head and draft whole, and the places where they differ."""
        return answer(detail(reads.show(self.actor, id=id)))

    @operation(
        "discardConflict",
        "Discard a conflict",
        tag="conflicts",
        status=204,
        parameters=[IN_PATH, query("reason", "Why.")],
        refuses=[NotFound, Forbidden, Invalid],
    )
    def delete(self, request: Request, id: str) -> HttpResponse:
        """Sets the draft aside without writing it. The draft itself is kept for a time, by default 90 days."""
        conflicts.discard(self.actor, conflict=id, reason=parameters.text(request, "reason") or "")
        return nothing()


class Resolutions(Endpoint):
    @operation(
        "resolveConflict",
        "Resolve a conflict",
        tag="conflicts",
        ok=results.WriteOut,
        parameters=[IN_PATH, IF_MATCH, KEY, ETAG],
        request=Resolution,
        refuses=[NotFound, Forbidden, IdempotencyMismatch],
        conflict=True,
        sends={
            "Hunk by hunk": {"choices": ["theirs", {"text": "We launch in May or June.\n"}]},
            "By the index of each hunk": {
                "choices": [{"hunk": 1, "choice": "suggestion"}, {"hunk": 0, "choice": "mine"}]
            },
            "The whole text": {"content": "# Launch plan\n\nWe launch in June.\n"},
        },
        examples={"Saved": examples.WRITTEN},
    )
    def post(self, request: Request, id: str) -> HttpResponse:
        """Makes a commit with two parents. Where the head has moved again, choices stay for hunks that say what they
        said; where those are not all, CONFLICT tells how it stands now and which choices were kept."""
        key = parameters.idempotency_key(request)
        body = bodies.read(request, Resolution)
        body["expected_commit"] = expected(request, body)
        return results.written(request, conflicts.resolve(self.actor, conflict=id, idempotency_key=key, **body))


def row(found: reads.ConflictRow) -> dict[str, Any]:
    """A conflict as ``ConflictOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "document": found.document,
        "state": found.state,
        "author": author(found.author),
        "created_at": moment(found.created_at),
        "base_commit": found.base_commit,
        "head_commit": found.head_commit,
        "hunk_count": found.hunk_count,
        "message": found.message,
        "reason": found.reason,
        "closed_at": moment(found.closed_at),
        "resolution": found.resolution,
    }


def detail(found: reads.ConflictView) -> dict[str, Any]:
    """A conflict as ``ConflictDetailOut``."""
    return row(found.row) | {
        "base": found.base,
        "theirs": found.theirs,
        "mine": found.mine,
        "theirs_author": author(found.theirs_author),
        "hunks": results.hunks(found.hunks),
        "merged_preview": found.merged_preview,
        "current_commit": found.current_commit,
        "may_resolve": found.may_resolve,
        "may_discard": found.may_discard,
    }
