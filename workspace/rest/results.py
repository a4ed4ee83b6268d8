"""What a write came to, as every write answers it."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.merge import Hunk, LineRange
from workspace.queries import citations
from workspace.rest.answers import answer, api_url, etag
from workspace.rest.errors import problem
from workspace.rest.problems import STALE, STALE_DECISION
from workspace.rest.provenance import DecisionOut, decisions
from workspace.services.outcomes import Conflict, Outcome, name_of


class WriteOut(serializers.Serializer[Any]):
    """Where a document stands after a write."""

    location = serializers.CharField()
    id = serializers.CharField(help_text="The document's id, doc_…; it survives moves.")
    commit = serializers.CharField(help_text="The commit that holds it.")
    parents = serializers.ListField(child=serializers.CharField())
    outcome = serializers.ChoiceField(
        choices=["saved", "merged", "unchanged", "replayed"],
        help_text="unchanged: nothing differs, so no commit was made. replayed: the key was used before, "
        "and this is what it came to then.",
    )
    citation = serializers.CharField(help_text="LOCATION@COMMIT: names this text for ever.")
    web_url = serializers.CharField()
    created_folders = serializers.ListField(child=serializers.CharField())
    decisions = DecisionOut(many=True, help_text="What a merge settled beyond lines, in order; else empty.")


def written(request: Request, outcome: Outcome, *, status: int = 200) -> HttpResponse:
    """The write result, or the problem that a conflict is."""
    if isinstance(outcome, Conflict):
        return conflicted(request, outcome)
    data = {
        "location": outcome.location,
        "id": outcome.document,
        "commit": outcome.commit,
        "parents": list(outcome.parents),
        "outcome": name_of(outcome),
        "citation": citations.citation(outcome.location, outcome.commit),
        "web_url": citations.web_url(outcome.location),
        "created_folders": list(outcome.created_folders),
        "decisions": decisions(outcome.decisions),
    }
    headers = {"ETag": etag(outcome.commit)}
    if status == 201:
        headers["Location"] = api_url(outcome.location)
    return answer(data, status=status, headers=headers)


def conflicted(request: Request, outcome: Conflict) -> HttpResponse:
    """409 with both texts at every place where they differ."""
    data = {
        "base_commit": outcome.base_commit,
        "head_commit": outcome.head_commit,
        "conflict_id": outcome.conflict,
        "id": outcome.document,
        "location": outcome.location,
        "hunks": hunks(outcome.hunks),
        "kept": [{"hunk": index, "choice": choice} for index, choice in enumerate(outcome.kept) if choice is not None],
        "merged_preview": outcome.merged_preview,
        "replayed": outcome.replayed,
    }
    return problem(request, "CONFLICT", 409, STALE if outcome.conflict else STALE_DECISION, data)


def hunks(found: Sequence[Hunk]) -> list[dict[str, Any]]:
    """Hunks with both sides and what they started from, in order."""
    return [
        {
            "index": index,
            "kind": one.kind,
            "base": one.base,
            "theirs": one.theirs,
            "mine": one.mine,
            "heading": one.heading,
            "path": list(one.path),
            "base_lines": _lines(one.base_lines),
            "theirs_lines": _lines(one.theirs_lines),
            "mine_lines": _lines(one.mine_lines),
            "suggestion": one.suggestion,
        }
        for index, one in enumerate(found)
    ]


def _lines(lines: LineRange) -> list[int] | None:
    return list(lines) if lines else None
