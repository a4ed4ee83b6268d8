"""Moving, undeleting and restoring: writes that keep a document's text and history, as resources of their own."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import (
    AccessChange,
    AlreadyExists,
    FieldError,
    Forbidden,
    IdempotencyMismatch,
    Invalid,
    NotFound,
)
from workspace.queries import citations
from workspace.rest import bodies, examples, parameters, results
from workspace.rest.answers import answer
from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import naming
from workspace.rest.problems import WRITES
from workspace.rest.schema import ETAG, IF_MATCH, KEY, operation
from workspace.services import documents, moves
from workspace.services.outcomes import Made, name_of

COMMIT_HELP = "The commit that this was decided on, as If-Match says it too. Where the head has moved since, CONFLICT."

OF_SECTION = ("on_conflict",)
"""What a restoration takes only for a section; whole, it is a decision without a text of its own."""


class Undeletion(bodies.Explained):
    location = bodies.Text(help_text="Where the document was.")


class Move(bodies.Explained):
    # `from` is a keyword of Python, so it is declared through the class's namespace.
    locals()["from"] = bodies.Text(help_text="The document or folder.")
    to = bodies.Text(help_text="Its whole new location, with its name.")
    acknowledge_access_change = bodies.Flag(
        required=False, help_text="Whether it may be moved where others can read it. Without, ACCESS_CHANGE tells who."
    )
    expected_commit = bodies.Text(required=False, help_text=COMMIT_HELP)


class Restoration(bodies.Explained):
    location = bodies.Text()
    commit = bodies.Text(help_text="The commit whose text becomes the head again; at least 7 characters of it.")
    section = bodies.Text(
        required=False,
        help_text="Only this section of that commit, with its subsections: the heading's title, its path as A > B, or "
        "its anchor. The rest stays as it is.",
    )
    on_conflict = bodies.Word(
        choices=documents.ON_CONFLICT,
        required=False,
        help_text="Of a section, where the head has moved since: tell, or merge where that is clean.",
    )
    confirm_shrink = bodies.Flag(
        required=False,
        help_text="Needed where next to nothing of a long text would be left; INVALID tells.",
    )
    expected_commit = bodies.Text(required=False, help_text=COMMIT_HELP)


class MovedOut(results.WriteOut):
    """A write result. Of a folder, `id` is the folder's and there is no commit."""

    commit = serializers.CharField(allow_null=True)
    citation = serializers.CharField(allow_null=True)


class Undeletes(Endpoint):
    @operation(
        "undelete",
        "Undelete a document",
        tag="documents",
        ok=results.WriteOut,
        parameters=[KEY, ETAG],
        request=Undeletion,
        refuses=[NotFound, Forbidden, AlreadyExists, IdempotencyMismatch],
        sends={"A document": {"location": "product/launch/plan.md"}},
        examples={"Undeleted": examples.WRITTEN},
    )
    def post(self, request: Request) -> HttpResponse:
        """Brings back the document that was last deleted there, with its history and the folders above it."""
        key = parameters.idempotency_key(request)
        body = bodies.read(request, Undeletion)
        return results.written(request, documents.undelete(self.actor, idempotency_key=key, **body))


class Moves(Endpoint):
    @operation(
        "move",
        "Move or rename",
        tag="documents",
        ok=MovedOut,
        parameters=[IF_MATCH, KEY, ETAG],
        request=Move,
        refuses=[*WRITES, AlreadyExists, AccessChange],
        conflict=True,
        sends={"A rename": {"from": "product/launch/plan.md", "to": "product/launch/launch-plan.md"}},
        examples={"Moved": examples.WRITTEN | {"location": "product/launch/launch-plan.md"}},
    )
    def post(self, request: Request) -> HttpResponse:
        """Gives a document, or a folder with all below it, another location. Ids and history stay."""
        key = parameters.idempotency_key(request)
        body = bodies.read(request, Move)
        with naming({"location": "from"}):
            moved = moves.move(
                self.actor,
                source=body.pop("from"),
                target=body.pop("to"),
                idempotency_key=key,
                **body | {"expected_commit": expected(request, body)},
            )
        if isinstance(moved, Made):
            return answer(folder(moved))
        return results.written(request, moved)


class Restores(Endpoint):
    @operation(
        "restore",
        "Restore an earlier version",
        tag="documents",
        ok=results.WriteOut,
        parameters=[IF_MATCH, KEY, ETAG],
        request=Restoration,
        refuses=WRITES,
        conflict=True,
        sends={
            "A version": {"location": "product/launch/plan.md", "commit": "1b7d0c5e"},
            "One section": {"location": "product/launch/plan.md", "commit": "1b7d0c5e", "section": "Goals"},
        },
        examples={"Restored": examples.WRITTEN},
    )
    def post(self, request: Request) -> HttpResponse:
        """Makes an earlier text, or one section of it, the head again by a new commit: history is never rewritten."""
        key = parameters.idempotency_key(request)
        body = bodies.read(request, Restoration)
        body["expected_commit"] = expected(request, body)
        if "section" in body:
            return results.written(request, documents.restore_section(self.actor, idempotency_key=key, **body))
        if unfit := [FieldError(field=name, message="goes with section.") for name in OF_SECTION if name in body]:
            raise Invalid(errors=unfit)
        return results.written(request, documents.restore(self.actor, idempotency_key=key, **body))


def expected(request: Request, body: dict[str, Any]) -> str | None:
    """The commit that a decision was made on, from the body or from ``If-Match``; both must then agree."""
    header, field = parameters.if_match(request), body.get("expected_commit")
    if header and field and header != field:
        raise Invalid("expected_commit", "differs from If-Match. Send one of them.")
    return field or header


def folder(made: Made) -> dict[str, Any]:
    """A moved folder as ``MovedOut``."""
    return {
        "location": made.location,
        "id": str(made.id),
        "commit": None,
        "parents": [],
        "outcome": name_of(made),
        "citation": None,
        "web_url": citations.web_url(made.location),
        "created_folders": list(made.created_folders),
        "decisions": [],
    }
