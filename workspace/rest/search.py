"""Search."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Invalid, NotFound
from workspace.queries import citations, search
from workspace.rest import examples, parameters
from workspace.rest.answers import answer, moment
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import operation, query


class HitOut(serializers.Serializer[Any]):
    """A passage, where it is, who wrote it and how fresh it is."""

    location = serializers.CharField()
    id = serializers.CharField(help_text="The document's id.")
    title = serializers.CharField()
    heading = serializers.CharField(allow_null=True, help_text="The heading that the passage stands under.")
    snippet = serializers.CharField()
    lines = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="First and last line, counted from 1."
    )
    citation = serializers.CharField(help_text="LOCATION@COMMIT#Lstart-Lend: names this passage for ever.")
    commit = serializers.CharField(help_text="The commit that was indexed.")
    author = AuthorOut()
    committed_at = serializers.DateTimeField()
    indexed_at = serializers.DateTimeField(allow_null=True, help_text="Null where only its title is known yet.")
    stale = serializers.BooleanField(help_text="Whether the document has changed since it was indexed.")
    superseded_by = serializers.CharField(
        allow_null=True, help_text="What replaced it, as its front matter says; `unknown` where it does not say what."
    )
    score = serializers.FloatField()
    web_url = serializers.CharField()


class FoundOut(serializers.Serializer[Any]):
    items = HitOut(many=True, help_text="Best first.")
    next_cursor = serializers.CharField(allow_null=True, help_text="Always null: a better query goes further.")


class Search(Endpoint):
    @operation(
        "search",
        "Search",
        tag="search",
        ok=FoundOut,
        parameters=[
            query("q", "What to look for.", required=True),
            query("mode", "How.", enum=search.MODES, default="auto"),
            query("location", "Only at or below this place."),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": 100, "default": search.DEFAULT},
                description="How many at most.",
            ),
        ],
        refuses=[NotFound, Invalid],
        examples={
            "One": {
                "items": [
                    {
                        "location": "product/launch/plan.md",
                        "id": examples.DOCUMENT,
                        "title": "Launch plan",
                        "heading": "Dates",
                        "snippet": "We launch in June.",
                        "lines": [3, 3],
                        "citation": f"product/launch/plan.md@{examples.COMMIT}#L3",
                        "commit": examples.COMMIT,
                        "author": examples.SCOUT,
                        "committed_at": "2026-11-29T08:00:00.000000Z",
                        "indexed_at": "2026-11-29T08:00:01.000000Z",
                        "stale": False,
                        "superseded_by": None,
                        "score": 0.61,
                        "web_url": f"https://baton.example.org/d/product/launch/plan.md?at={examples.COMMIT}#L3",
                    }
                ],
                "next_cursor": None,
            }
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """Passages of the documents that you can see, each with a citation that opens those very lines."""
        words = parameters.text(request, "q")
        if words is None:
            raise Invalid("q", "is required as a query parameter.")
        found = search.search(
            self.actor,
            q=words,
            mode=parameters.word(request, "mode", *search.MODES) or "auto",
            location=parameters.text(request, "location") or None,
            limit=parameters.limit(request, search.DEFAULT),
        )
        return answer({"items": [hit(one) for one in found], "next_cursor": None})


def hit(found: search.Hit) -> dict[str, Any]:
    """A hit as ``HitOut``."""
    return {
        "location": found.location,
        "id": found.id,
        "title": found.title,
        "heading": found.heading or None,
        "snippet": found.snippet,
        "lines": list(found.lines) if found.lines else None,
        "citation": found.citation,
        "commit": found.commit,
        "author": author(found.author),
        "committed_at": moment(found.committed_at),
        "indexed_at": moment(found.indexed_at),
        "stale": found.stale,
        "superseded_by": found.superseded_by,
        "score": found.score,
        "web_url": citations.web_url(found.location, at=found.commit, lines=found.lines),
    }
