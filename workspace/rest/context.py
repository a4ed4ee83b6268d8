"""Context before inference, what became of it, and whether what was cited still stands."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import IdempotencyMismatch, NotFound
from workspace.queries import citations, revalidation
from workspace.queries.contexts import Found
from workspace.rest import bodies, examples
from workspace.rest.answers import answer, moment
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import AuthorOut, author
from workspace.rest.schema import operation
from workspace.services import contexts


class Prompt(bodies.Text):
    """Whatever was typed or pasted: what is no text in it is left out, and not refused."""

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class NewContext(bodies.Inputs):
    prompt = Prompt(help_text=f"As the person gave it, at most {contexts.MOST_PROMPT:,} characters; may be empty.")
    location = bodies.Text(
        required=False, blank=True, allow_null=True, help_text="The folder that the session works in."
    )
    budget_chars = bodies.Whole(
        least=0,
        most=contexts.MOST_BUDGET,
        required=False,
        help_text=f"How many characters the text may have; {contexts.BUDGET_CHARS:,} where it is left out.",
    )
    deadline_ms = bodies.Whole(
        least=1,
        most=contexts.MOST_DEADLINE_MS,
        required=False,
        help_text=f"Milliseconds until the answer has to be there; {contexts.DEADLINE_MS:,} where it is left out.",
    )
    host = bodies.Text(required=False, blank=True, help_text="The program, such as claude-code.")
    session = bodies.Text(required=False, blank=True, help_text="The host's session.")
    operation_id = bodies.Text(
        required=False, blank=True, help_text="Its own for each prompt, and the same one on a retry."
    )


class CitationOut(serializers.Serializer[Any]):
    """Where something in the text is from."""

    citation = serializers.CharField(help_text="LOCATION@COMMIT#Lstart-Lend, as the text names it.")
    location = serializers.CharField()
    commit = serializers.CharField()
    lines = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="First and last line; null for a whole document."
    )
    author = AuthorOut()
    committed_at = serializers.DateTimeField()
    indexed_at = serializers.DateTimeField(allow_null=True)
    stale = serializers.BooleanField(help_text="Whether the document has changed since it was indexed.")
    web_url = serializers.CharField()


class BudgetOut(serializers.Serializer[Any]):
    asked = serializers.IntegerField()
    used = serializers.IntegerField(help_text="Characters of the text; never more than asked.")


class ContextOut(serializers.Serializer[Any]):
    """What to attach to the prompt."""

    text = serializers.CharField(help_text="Whole passages, fenced as data that others wrote; empty where none.")
    citations = CitationOut(many=True, help_text="In the order of the text.")
    budget = BudgetOut()
    left_out = serializers.IntegerField(help_text="Passages that were found and did not fit.")
    partial: Any = serializers.BooleanField(help_text="Whether the time was over before all was looked for.")
    receipt = serializers.CharField(
        help_text="To report on by POST /receipts; empty where the time was over before the asking was recorded."
    )
    why = serializers.CharField(help_text="Where the text is empty: `nothing to say` or `unavailable`.")


class Citations(bodies.Inputs):
    citations = serializers.ListField(
        child=bodies.Text(), help_text=f"1 to {revalidation.MOST} of them: LOCATION@COMMIT#Lstart-Lend."
    )


class StandingOut(serializers.Serializer[Any]):
    """What became of one citation."""

    citation = serializers.CharField()
    state = serializers.ChoiceField(choices=revalidation.STATES)
    location = serializers.CharField(allow_null=True, help_text="Where the document is now.")
    head_commit = serializers.CharField(allow_null=True)
    now = serializers.CharField(allow_null=True, help_text="How to cite the same words now, where they still stand.")


class StandingsOut(serializers.Serializer[Any]):
    items = StandingOut(many=True, help_text="In the order asked.")
    next_cursor = serializers.CharField(allow_null=True, help_text="Always null.")


CITED = f"product/launch/plan.md@{examples.COMMIT}#L3"


class Context(Endpoint):
    @operation(
        "prepareContext",
        "Prepare context for a prompt",
        tag="search",
        ok=ContextOut,
        request=NewContext,
        refuses=[NotFound, IdempotencyMismatch],
        sends={
            "A prompt": {
                "prompt": "When do we launch?",
                "location": "product/launch",
                "budget_chars": 8000,
                "deadline_ms": 2000,
                "host": "claude-code",
                "session": "5f0c1a",
                "operation_id": "0193f2b1-6c1e-7a55-9c1d-1b2c3d4e5f60",
            }
        },
        examples={
            "Found": {
                "text": f"…\n\n<<<DATA 5d2f81c0a7be {CITED}, by scout for Alice, 2026-11-29 08:00 UTC\n"
                "We launch in June.\nDATA 5d2f81c0a7be>>>",
                "citations": [
                    {
                        "citation": CITED,
                        "location": "product/launch/plan.md",
                        "commit": examples.COMMIT,
                        "lines": [3, 3],
                        "author": examples.SCOUT,
                        "committed_at": "2026-11-29T08:00:00.000000Z",
                        "indexed_at": "2026-11-29T08:00:01.000000Z",
                        "stale": False,
                        "web_url": f"https://baton.example.org/d/product/launch/plan.md?at={examples.COMMIT}#L3",
                    }
                ],
                "budget": {"asked": 8000, "used": 212},
                "left_out": 0,
                "partial": False,
                "receipt": "rcp_01kb7n2g4j6k8m0p2r4t6v8x0z",
                "why": "",
            }
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """How things stand where the session works, then passages that answer the prompt, inside the deadline."""
        found = contexts.prepare(self.actor, **bodies.read(request, NewContext))
        return answer(
            {
                "text": found.text,
                "citations": [cited(one) for one in found.citations],
                "budget": {"asked": found.asked, "used": found.used},
                "left_out": found.left_out,
                "partial": found.partial,
                "receipt": found.receipt,
                "why": found.why,
            }
        )


class Revalidations(Endpoint):
    @operation(
        "revalidate",
        "Revalidate citations",
        tag="search",
        ok=StandingsOut,
        request=Citations,
        sends={"One": {"citations": [CITED]}},
        examples={
            "Standing": {
                "items": [
                    {
                        "citation": CITED,
                        "state": "unchanged",
                        "location": "product/launch/plan.md",
                        "head_commit": examples.COMMIT,
                        "now": CITED,
                    }
                ],
                "next_cursor": None,
            }
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Whether each still stands in the newest version. What you cannot see is `not found`."""
        found = revalidation.revalidate(self.actor, **bodies.read(request, Citations))
        return answer({"items": [standing(one) for one in found], "next_cursor": None})


def cited(found: Found) -> dict[str, Any]:
    """A part of a context as ``CitationOut``."""
    return {
        "citation": found.citation,
        "location": found.location,
        "commit": found.commit,
        "lines": list(found.lines) if found.lines else None,
        "author": author(found.by),
        "committed_at": moment(found.at),
        "indexed_at": moment(found.indexed_at),
        "stale": found.stale,
        "web_url": citations.web_url(found.location, at=found.commit, lines=found.lines),
    }


def standing(found: revalidation.Standing) -> dict[str, Any]:
    """A citation's standing as ``StandingOut``."""
    return {
        "citation": found.citation,
        "state": found.state,
        "location": found.location or None,
        "head_commit": found.head_commit or None,
        "now": found.now or None,
    }
