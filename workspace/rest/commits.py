"""History: the commits of a document, and one commit."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import history
from workspace.rest import parameters
from workspace.rest.answers import answer, etag, moment, page, web_url
from workspace.rest.documents import ALICE
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import CommitOut, author
from workspace.rest.schema import COMMIT, DOCUMENT, LOCATION, PAGED, PARENT, in_path, operation, page_of


class CommitDetailOut(CommitOut):
    """A commit with the text it holds."""

    content = serializers.CharField()


EXAMPLE = {
    "id": COMMIT,
    "document": DOCUMENT,
    "location": "product/launch/plan.md",
    "number": 2,
    "kind": "edit",
    "parents": [PARENT],
    "author": ALICE,
    "message": "Move the launch",
    "reason": "The import is not ready.",
    "via": "rest",
    "session": "",
    "bytes": 34,
    "lines": 3,
    "committed_at": "2026-11-29T08:00:00.000000Z",
    "web_url": f"https://baton.example.org/d/product/launch/plan.md?at={COMMIT}",
}


class Commits(Endpoint):
    @operation(
        "listCommits",
        "List a document's commits",
        tag="history",
        ok=page_of(CommitOut),
        parameters=[LOCATION, *PAGED],
        refuses=[NotFound, Invalid],
        examples={"One": {"items": [EXAMPLE], "next_cursor": None}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first, from the tombstone of a deleted one as well."""
        found = history.log(
            self.actor,
            location=parameters.required(request, "location"),
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, commit)


class Commit(Endpoint):
    @operation(
        "readCommit",
        "Read a commit",
        tag="history",
        ok=CommitDetailOut,
        parameters=[in_path("id", "A commit id, or its first 7 or more characters.")],
        refuses=[NotFound, Invalid],
        examples={"One": EXAMPLE | {"content": "# Launch plan\n\nWe launch in June.\n"}},
    )
    def get(self, request: Request, id: str) -> HttpResponse:
        """Who wrote it, upon what, why, and the whole text as it was then."""
        found = history.commit(self.actor, id=id)
        return answer(commit(found.row) | {"content": found.content}, headers={"ETag": etag(found.row.id)})


def commit(found: history.CommitRow) -> dict[str, Any]:
    """A commit as ``CommitOut``."""
    return {
        "id": found.id,
        "document": found.document,
        "location": found.location,
        "number": found.number,
        "kind": found.kind,
        "parents": list(found.parents),
        "author": author(found.author),
        "message": found.message,
        "reason": found.reason,
        "via": found.via,
        "session": found.session,
        "committed_at": moment(found.created_at),
        "bytes": found.bytes,
        "lines": found.lines,
        "web_url": web_url(found.location, at=found.id),
    }
