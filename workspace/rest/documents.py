"""Documents: list, create, read, replace, edit, delete."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import (
    AlreadyExists,
    Forbidden,
    Gone,
    IdempotencyMismatch,
    Invalid,
    NotFound,
    PreconditionRequired,
)
from workspace.queries import citations
from workspace.queries import documents as reads
from workspace.rest import bodies, examples, parameters, results
from workspace.rest.answers import answer, etag, moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import naming
from workspace.rest.folders import AbilitiesOut
from workspace.rest.problems import WRITES
from workspace.rest.provenance import ROLES, AuthorOut, author
from workspace.rest.schema import (
    ETAG,
    IF_MATCH,
    IF_MATCH_REQUIRED,
    KEY,
    KEY_REQUIRED,
    LOCATION_IN_PATH,
    PAGED,
    header,
    operation,
    page_of,
    query,
)
from workspace.services import documents, receipts
from workspace.services.outcomes import Outcome

SHRINKS = "Needed where it would leave all but nothing of a long document; INVALID names it then."


class NewDocument(bodies.Explained):
    location = bodies.Text(help_text="The whole path from the root. Missing folders are made.")
    content = bodies.Text(blank=True, help_text="Markdown, at most 1 MiB of UTF-8.")


class Replacement(bodies.Explained):
    content = bodies.Text(blank=True, help_text="The whole new text.")
    on_conflict = bodies.Word(
        choices=documents.ON_CONFLICT,
        required=False,
        help_text="What to do where the head has moved: reject (default) or merge.",
    )
    confirm_shrink = bodies.Flag(required=False, help_text=SHRINKS)


class Substitution(bodies.Explained):
    """Replaces a text where it stands, once, or everywhere with `replace_all`."""

    old_string = bodies.Text(help_text="The exact text. INVALID where it is not there, or is there more than once.")
    new_string = bodies.Text(blank=True)
    replace_all = bodies.Flag(required=False)
    on_conflict = bodies.Word(choices=documents.ON_CONFLICT, required=False)
    confirm_shrink = bodies.Flag(required=False, help_text=SHRINKS)


class Addition(bodies.Explained):
    """Puts a text at the end, on a line of its own."""

    append = bodies.Text()


class Section(bodies.Explained):
    """Replaces what stands under one heading."""

    section = bodies.Text(help_text="The heading's title, its path `A > B`, or its anchor.")
    content = bodies.Text(blank=True, help_text="What stands under the heading from now on.")
    on_conflict = bodies.Word(choices=documents.ON_CONFLICT, required=False)
    confirm_shrink = bodies.Flag(required=False, help_text=SHRINKS)


EDITS: dict[str, type[bodies.Explained]] = {
    "old_string": Substitution,
    "append": Addition,
    "section": Section,
}
EDIT = PolymorphicProxySerializer(
    component_name="Edit", serializers=[Substitution, Addition, Section], resource_type_field_name=None
)


RANGES = frozenset({"lines", "offset", "limit"})
"""Parameters that ask for a part of a text."""


class DocumentOut(serializers.Serializer[Any]):
    """A document in a list."""

    id = serializers.CharField()
    location = serializers.CharField()
    title = serializers.CharField()
    type = serializers.CharField(help_text="As its front matter says; else empty.")
    labels = serializers.ListField(child=serializers.CharField())
    summary = serializers.CharField()
    commit = serializers.CharField(help_text="Its head.")
    updated_at = serializers.DateTimeField()
    updated_by = AuthorOut()
    role = serializers.ChoiceField(choices=ROLES)
    open_conflicts = serializers.IntegerField()
    web_url = serializers.CharField()


class DocumentTextOut(serializers.Serializer[Any]):
    """A document's text, whole or a part of it, at one commit."""

    location = serializers.CharField()
    id = serializers.CharField()
    title = serializers.CharField()
    content = serializers.CharField()
    commit = serializers.CharField(help_text="The commit that the content is of.")
    head_commit = serializers.CharField(help_text="The newest; differs from commit where `at` names an older one.")
    parents = serializers.ListField(child=serializers.CharField())
    number = serializers.IntegerField(help_text="Which commit of the document it is, from 1.")
    kind = serializers.CharField(help_text="What kind of write it was.")
    author = AuthorOut()
    committed_at = serializers.DateTimeField()
    message = serializers.CharField()
    reason = serializers.CharField()
    truncated = serializers.BooleanField(help_text="Whether more follows this part.")
    next_offset = serializers.IntegerField(allow_null=True, help_text="The offset in bytes at which it goes on.")
    total_bytes = serializers.IntegerField()
    total_lines = serializers.IntegerField()
    start_line = serializers.IntegerField(allow_null=True)
    end_line = serializers.IntegerField(allow_null=True)
    indexed_at = serializers.DateTimeField(allow_null=True)
    stale = serializers.BooleanField(help_text="Whether the search index is behind the head.")
    citation = serializers.CharField(help_text="LOCATION@COMMIT, with #L3-L9 where a part was asked for.")
    web_url = serializers.CharField()
    abilities = AbilitiesOut()


class Documents(Endpoint):
    @operation(
        "listDocuments",
        "List documents",
        tag="documents",
        ok=page_of(DocumentOut),
        parameters=[
            query("location", "The folder. Needed unless `recursive`, which without it lists all that you can see."),
            query("recursive", "Whether to list all below, and not only what lies right in it.", type=bool),
            query("type", "With `recursive`: only those of this type."),
            query("label", "With `recursive`: only those with this label."),
            *PAGED,
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """The documents in a folder, by name, or all below it, folder by folder. What you cannot see is not in it."""
        place = parameters.text(request, "location") or None
        recursive = parameters.flag(request, "recursive")
        kind, label = parameters.text(request, "type") or None, parameters.text(request, "label") or None
        limit, cursor = parameters.limit(request), parameters.cursor(request)
        if recursive or kind or label:
            found = reads.below(self.actor, location=place, type=kind, label=label, limit=limit, cursor=cursor)
            return page(found, row)
        if place is None:
            raise Invalid("location", "is required as a query parameter, or recursive=true for all there are.")
        return page(reads.children(self.actor, location=place, limit=limit, cursor=cursor), row)

    @operation(
        "createDocument",
        "Create a document",
        tag="documents",
        ok=results.WriteOut,
        status=201,
        parameters=[KEY_REQUIRED, ETAG],
        request=NewDocument,
        refuses=[NotFound, Forbidden, AlreadyExists, IdempotencyMismatch, PreconditionRequired],
        sends={
            "A plan": {"location": "product/launch/plan.md", "content": "# Launch plan\n", "message": "First draft"}
        },
        examples={"Saved": examples.WRITTEN | {"parents": [], "created_folders": ["product", "product/launch"]}},
    )
    def post(self, request: Request) -> HttpResponse:
        """Never overwrites. `created_folders` names the folders that had to be made; you manage those."""
        key = parameters.idempotency_key(request, required=True)
        body = bodies.read(request, NewDocument)
        return results.written(request, documents.create(self.actor, idempotency_key=key, **body), status=201)


class Document(Endpoint):
    @operation(
        "readDocument",
        "Read a document",
        tag="documents",
        ok=DocumentTextOut,
        parameters=[
            LOCATION_IN_PATH,
            query("at", "A commit, or the first 7 or more characters of one: the text as it was then, for ever."),
            query("offset", "Where to begin, in bytes. A character is never split.", type=int),
            query("limit", "How many bytes at most.", type=int),
            query("lines", "`12-20`, `12` or `12-`, counted from 1."),
            header("If-None-Match", "The ETag that you have; 304 where it is still right."),
            ETAG,
        ],
        refuses=[NotFound, Gone, Invalid],
        examples={"The whole text": examples.A_TEXT},
        also={304: "What you have is still right."},
    )
    def get(self, request: Request, location: str) -> HttpResponse:
        """The text, where it comes from and what you may do. A deleted one is GONE, and still readable with `at`."""
        found = reads.read(
            self.actor,
            location=parameters.location(request, location),
            at=parameters.text(request, "at"),
            offset=parameters.whole(request, "offset") or 0,
            limit=parameters.whole(request, "limit", least=1),
            lines=parameters.text(request, "lines"),
        )
        tag = etag(found.commit)
        if parameters.none_match(request, tag):
            return nothing(304, headers={"ETag": tag})
        receipts.read(self.actor, document=found.id, commit=found.commit)
        return answer(
            text(found, pinned="at" in request.GET, ranged=not RANGES.isdisjoint(request.GET)), headers={"ETag": tag}
        )

    @operation(
        "replaceDocument",
        "Replace a document's text",
        tag="documents",
        ok=results.WriteOut,
        parameters=[LOCATION_IN_PATH, IF_MATCH_REQUIRED, KEY, ETAG],
        request=Replacement,
        refuses=[*WRITES, PreconditionRequired],
        conflict=True,
        sends={"Merging": {"content": "# Launch plan\n\nWe launch in June.\n", "on_conflict": "merge"}},
        examples={"Saved": examples.WRITTEN, "Merged": examples.WRITTEN | {"outcome": "merged"}},
    )
    def put(self, request: Request, location: str) -> HttpResponse:
        """As written upon the commit that `If-Match` names. Where the head has moved since, `merge` merges, and what
        cannot be merged is CONFLICT, with the whole draft kept."""
        options = {
            "expected_commit": parameters.if_match(request, required=True),
            "idempotency_key": parameters.idempotency_key(request),
        }
        body = bodies.read(request, Replacement)
        return self.write(request, documents.edit, location, **options, **body)

    @operation(
        "editDocument",
        "Edit a part of a document",
        tag="documents",
        ok=results.WriteOut,
        parameters=[LOCATION_IN_PATH, IF_MATCH, KEY, ETAG],
        request=EDIT,
        refuses=WRITES,
        conflict=True,
        sends={
            "Exact text": {"old_string": "in May", "new_string": "in June"},
            "At the end": {"append": "- Decided: June.\n"},
            "A section": {"section": "Dates", "content": "We launch in June.\n"},
        },
        examples={"Saved": examples.WRITTEN},
    )
    def patch(self, request: Request, location: str) -> HttpResponse:
        """One of three edits. With `If-Match` it is made upon that commit; without, it applies to the head."""
        options = {
            "expected_commit": parameters.if_match(request),
            "idempotency_key": parameters.idempotency_key(request),
        }
        sent = bodies.parse(request)
        shapes = [shape for field, shape in EDITS.items() if field in sent]
        if len(shapes) != 1:
            raise Invalid("body", "takes one of {old_string, new_string}, {append} and {section, content}.")
        body = bodies.check(sent, shapes[0])
        if shapes[0] is Substitution:
            return self.write(request, documents.substitute, location, **options, **body)
        if shapes[0] is Section:
            return self.write(request, documents.replace_section, location, **options, **body)
        return self.write(request, documents.append, location, content=body.pop("append"), **options, **body)

    @operation(
        "deleteDocument",
        "Delete a document",
        tag="documents",
        ok=results.WriteOut,
        parameters=[
            LOCATION_IN_PATH,
            IF_MATCH_REQUIRED,
            KEY,
            query("message", "What history shows."),
            query("reason", "Why."),
        ],
        refuses=[*WRITES, PreconditionRequired, Invalid],
        conflict=True,
        examples={"Deleted": examples.WRITTEN},
    )
    def delete(self, request: Request, location: str) -> HttpResponse:
        """Makes a tombstone commit, which undelete takes back. History stays readable with `at`."""
        return self.write(
            request,
            documents.delete,
            location,
            expected_commit=parameters.if_match(request, required=True),
            idempotency_key=parameters.idempotency_key(request),
            message=parameters.text(request, "message") or "",
            reason=parameters.text(request, "reason") or "",
        )

    def write(self, request: Request, service: Callable[..., Outcome], location: str, **options: Any) -> HttpResponse:
        """Does a write upon the location in the path; what is wrong with a header is told by its name."""
        location = parameters.location(request, location)
        with naming({"expected_commit": "If-Match"}):
            outcome = service(self.actor, location=location, **options)
        return results.written(request, outcome)


def row(found: reads.DocumentRow) -> dict[str, Any]:
    """A document as ``DocumentOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "title": found.title,
        "type": found.type,
        "labels": list(found.labels),
        "summary": found.summary,
        "commit": found.commit,
        "updated_at": moment(found.updated_at),
        "updated_by": author(found.updated_by),
        "role": found.role.label,
        "open_conflicts": found.open_conflicts,
        "web_url": citations.web_url(found.location),
    }


def text(found: reads.DocumentText, *, pinned: bool, ranged: bool) -> dict[str, Any]:
    """A text as ``DocumentTextOut``; ``pinned`` makes its link show this commit, and not whatever is newest.

    A part that was asked for (``ranged``) is cited by its lines, which are those of this commit.
    """
    lines = (found.start_line, found.end_line) if ranged and found.content else None
    return {
        "location": found.location,
        "id": found.id,
        "title": found.title,
        "content": found.content,
        "commit": found.commit,
        "head_commit": found.head_commit,
        "parents": list(found.parents),
        "number": found.number,
        "kind": found.kind,
        "author": author(found.author),
        "committed_at": moment(found.committed_at),
        "message": found.message,
        "reason": found.reason,
        "truncated": found.truncated,
        "next_offset": found.next_offset,
        "total_bytes": found.total_bytes,
        "total_lines": found.total_lines,
        "start_line": found.start_line,
        "end_line": found.end_line,
        "indexed_at": moment(found.indexed_at),
        "stale": found.stale,
        "citation": citations.citation(found.location, found.commit, lines),
        "web_url": citations.web_url(found.location, found.commit if pinned or lines else None, lines),
        "abilities": vars(found.abilities),
    }
