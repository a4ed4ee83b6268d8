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


class Blame(Endpoint):
    @operation(
        "blame",
        "Tell who wrote which line",
        tag="history",
        ok=BlameOut,
        parameters=[LOCATION, query("at", "A commit; without it, the head.")],
        refuses=[NotFound, Gone, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Every line, in runs that one commit brought in, with the person and the agent of that commit."""
        found = history.blame(
            self.actor,
            location=parameters.required(request, "location"),
            at=parameters.text(request, "at") or None,
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
        return answer({"location": found.location, "commit": found.commit, "runs": runs})
