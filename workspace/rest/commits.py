"""History: the commits of a document, and one commit."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import citations, history
from workspace.rest import examples, parameters
from workspace.rest.answers import answer, etag, moment, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import CommitOut, author, decisions
from workspace.rest.schema import LOCATION, PAGED, in_path, operation, page_of


class CommitDetailOut(CommitOut):
    """A commit with the text it holds."""

    content = serializers.CharField()


class Commits(Endpoint):
    @operation(
        "listCommits",
        "List a document's commits",
        tag="history",
        ok=page_of(CommitOut),
        parameters=[LOCATION, *PAGED],
        refuses=[NotFound, Invalid],
        examples={"One": {"items": [examples.A_COMMIT], "next_cursor": None}},
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
        examples={"One": examples.A_COMMIT | {"content": examples.A_TEXT["content"]}},
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
        "merge_version": found.merge_version,
        "decisions": decisions(found.decisions),
        "web_url": citations.web_url(found.now, at=found.id),
    }
