"""Who wrote which line."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Gone, Invalid, NotFound
from workspace.queries import history
from workspace.rest import parameters
from workspace.rest.answers import answer
from workspace.rest.commits import commit
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import CommitOut
from workspace.rest.schema import LOCATION, operation, query

MOST_LINES = 5_000


class RunOut(serializers.Serializer[Any]):
    """Lines that came in together, counted from 1, both ends included."""

    start_line = serializers.IntegerField()
    end_line = serializers.IntegerField()
    text = serializers.CharField()
    commit = CommitOut()


class BlameOut(serializers.Serializer[Any]):
    location = serializers.CharField()
    commit = serializers.CharField()
    runs = RunOut(many=True)
    next_line = serializers.IntegerField(
        allow_null=True, help_text="The `line` to go on with; null where the last one is here."
    )


class Blame(Endpoint):
    @operation(
        "blame",
        "Tell who wrote which line",
        tag="history",
        ok=BlameOut,
        parameters=[
            LOCATION,
            query("at", "A commit; without it, the head."),
            query("line", f"The first line, counted from 1; an answer holds {MOST_LINES:,} of them.", type=int),
        ],
        refuses=[NotFound, Gone, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """The lines, in runs that one commit brought in, with the person and the agent of that commit."""
        found = history.blame(
            self.actor,
            location=parameters.required(request, "location"),
            at=parameters.text(request, "at") or None,
            line=parameters.whole(request, "line", least=1) or 1,
            most=MOST_LINES,
        )
        runs = [
            {
                "start_line": run.start_line,
                "end_line": run.end_line,
                "text": run.text,
                "commit": commit(run.commit),
            }
            for run in found.runs
        ]
        return answer({"location": found.location, "commit": found.commit, "runs": runs, "next_line": found.next_line})
