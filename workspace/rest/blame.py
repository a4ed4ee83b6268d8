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
from workspace.rest.provenance import AuthorOut, CommitOut, author
from workspace.rest.schema import LOCATION, operation, query
from workspace.services import authorship

MOST_LINES = 5_000


class RunOut(serializers.Serializer[Any]):
    """Lines that came in together, counted from 1, both ends included."""

    start_line = serializers.IntegerField()
    end_line = serializers.IntegerField()
    text = serializers.CharField()
    commit = CommitOut()


class SentenceOut(serializers.Serializer[Any]):
    """A sentence, a heading, a table row or a line of code: characters of the document, counted from 0, the end not
    included."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    commit = serializers.CharField(help_text="The commit that wrote most of it.")
    author = AuthorOut()
    also = serializers.ListField(child=serializers.CharField(), help_text="Other commits that wrote in it.")


class BlameOut(serializers.Serializer[Any]):
    location = serializers.CharField()
    commit = serializers.CharField()
    runs = RunOut(many=True)
    sentences = SentenceOut(many=True, help_text="Of the same lines.")
    known_since = serializers.CharField(
        allow_null=True,
        help_text="Null where all is known. Else the history is still being read: what is older than this commit is "
        "given to it. Ask again in a while.",
    )
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
        """The lines, in runs of which one commit was the last to write in them, and the sentences in them.

        Who wrote a sentence is known also where it was moved, or its lines were broken anew.
        """
        found = history.blame(
            self.actor,
            location=parameters.required(request, "location"),
            at=parameters.text(request, "at") or None,
            line=parameters.whole(request, "line", least=1) or 1,
            most=MOST_LINES,
            keep=authorship.keep,
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
        sentences = [
            {
                "start": sentence.start,
                "end": sentence.end,
                "commit": sentence.commits[0].id,
                "author": author(sentence.commits[0].author),
                "also": [commit.id for commit in sentence.commits[1:]],
            }
            for sentence in found.sentences
        ]
        return answer(
            {
                "location": found.location,
                "commit": found.commit,
                "runs": runs,
                "sentences": sentences,
                "known_since": found.known_since.id if found.known_since else None,
                "next_line": found.next_line,
            }
        )
