"""The difference of two versions."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.merge.diff import DiffHunk
from workspace.queries import history
from workspace.queries.history import CommitRow
from workspace.rest import parameters
from workspace.rest.answers import answer
from workspace.rest.commits import commit
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import CommitOut
from workspace.rest.schema import LOCATION, operation, query

MOST_LINES = 10_000


class SpanOut(serializers.Serializer[Any]):
    """Characters start to end of the line's text, counted from 0, end excluded."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=["delete", "insert"])


class LineOut(serializers.Serializer[Any]):
    """A line without its ending. Numbers count from 1; null where that side does not have the line."""

    kind = serializers.ChoiceField(choices=["context", "delete", "insert"])
    old_number = serializers.IntegerField(allow_null=True)
    new_number = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    spans = SpanOut(many=True, help_text="The words that changed; none in a line that is new or gone as a whole.")


class DiffHunkOut(serializers.Serializer[Any]):
    """Changes and the lines around them."""

    old_start = serializers.IntegerField()
    old_lines = serializers.IntegerField()
    new_start = serializers.IntegerField()
    new_lines = serializers.IntegerField()
    heading = serializers.CharField(allow_null=True)
    formatting = serializers.BooleanField(help_text="Whether no word changes: lines broken anew, another bullet.")
    lines = LineOut(many=True)
    commits = serializers.ListField(
        child=serializers.CharField(),
        help_text="The commits that put its new lines there, oldest first. None where lines only went, or moved, where "
        "`from` is later than `to`, and where many commits lie between them.",
    )


class DiffOut(serializers.Serializer[Any]):
    location = serializers.CharField()
    to = CommitOut()
    added = serializers.IntegerField(help_text="Lines.")
    removed = serializers.IntegerField(help_text="Lines.")
    truncated = serializers.BooleanField(
        help_text=f"Whether the hunks hold more than {MOST_LINES:,} lines; those after are left out."
    )
    hunks = DiffHunkOut(many=True)
    commits = CommitOut(many=True, help_text="Those that the hunks name, oldest first.")
    # `from` is a keyword of Python, so it is declared through the class's namespace.
    locals()["from"] = CommitOut(help_text="The same as `to` for the first commit, in which all is new.")


class Diff(Endpoint):
    @operation(
        "diff",
        "Compare two versions",
        tag="history",
        ok=DiffOut,
        parameters=[
            LOCATION,
            query("from", "A commit; without it, the parent of `to`."),
            query("to", "A commit; without it, the head."),
        ],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Hunks of lines, with the words that changed within them. Line endings are no difference."""
        found = history.diff(
            self.actor,
            location=parameters.required(request, "location"),
            frm=parameters.text(request, "from") or None,
            to=parameters.text(request, "to") or None,
            most=MOST_LINES,
            authors=True,
        )
        named = {made.id: made for authors in found.authors for made in authors}
        return answer(
            {
                "location": found.location,
                "from": commit(found.from_commit),
                "to": commit(found.to_commit),
                "added": found.added,
                "removed": found.removed,
                "truncated": found.truncated,
                "hunks": [hunk(one, authors) for one, authors in zip(found.hunks, found.authors, strict=True)],
                "commits": [commit(made) for made in sorted(named.values(), key=lambda made: made.number)],
            }
        )


def hunk(one: DiffHunk, authors: Iterable[CommitRow]) -> dict[str, Any]:
    """A hunk as ``DiffHunkOut``."""
    return {
        "old_start": one.old_start,
        "old_lines": one.old_lines,
        "new_start": one.new_start,
        "new_lines": one.new_lines,
        "heading": one.heading,
        "formatting": one.formatting,
        "lines": [
            {
                "kind": line.kind,
                "old_number": line.old_number,
                "new_number": line.new_number,
                "text": line.text,
                "spans": [span._asdict() for span in line.spans],
            }
            for line in one.lines
        ],
        "commits": [made.id for made in authors],
    }
