"""Who wrote something, in which commit, and by what role: the shapes that every noun shares."""

from collections.abc import Iterable
from typing import Any, get_args

from rest_framework import serializers

from workspace.actor import Role, Via
from workspace.merge import Decision, Rule
from workspace.queries import decisions as kept
from workspace.queries import history
from workspace.queries.who import Who

RULES = get_args(Rule.__value__)
ROLES = tuple(role.label for role in Role)


class AuthorOut(serializers.Serializer[Any]):
    """A person, a person's agent, or a background job."""

    kind = serializers.ChoiceField(choices=["person", "agent", "job"])
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="The name that history shows: a person's, an agent's or a job's."
    )
    person = serializers.CharField(help_text="The person, also where an agent acted for them. Empty for a job.")
    email = serializers.CharField(help_text="The person's address. Empty for a job.")
    agent = serializers.CharField(allow_null=True, help_text="The agent's id, where an agent acted.")
    host = serializers.CharField(help_text="The program that the agent runs in, where it told.")


class DecisionOut(serializers.Serializer[Any]):
    """Something that a merge settled and that a merge by lines would have left open."""

    rule = serializers.ChoiceField(choices=RULES, help_text="What it was settled by; /help/merging explains each.")
    lines = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="The first and the last line of it in the merged text, from 1; null where nothing is left there.",
    )


class CommitOut(serializers.Serializer[Any]):
    """One accepted write; it never changes."""

    id = serializers.CharField(help_text="64 hex characters.")
    document = serializers.CharField(help_text="The document's id, doc_…")
    location = serializers.CharField(
        allow_null=True,
        help_text="Where the document was then; null where the folder is none that you may read today.",
    )
    number = serializers.IntegerField(help_text="1 for the first commit of a document.")
    kind = serializers.ChoiceField(choices=history.KINDS)
    parents = serializers.ListField(
        child=serializers.CharField(), help_text="None for the first, two for a merge and a resolved conflict."
    )
    author = AuthorOut()
    message = serializers.CharField()
    reason = serializers.CharField()
    via = serializers.CharField(help_text=f"One of {', '.join(Via)}.")
    session = serializers.CharField(help_text="The session of its host that the agent named; else empty.")
    committed_at = serializers.DateTimeField()
    bytes = serializers.IntegerField()
    lines = serializers.IntegerField()
    merge_version = serializers.IntegerField(
        allow_null=True, help_text="Of the merge that made it; null where nothing was merged."
    )
    decisions = DecisionOut(many=True, help_text="What that merge settled beyond lines, in order.")
    web_url = serializers.CharField(help_text="The page of that version, where the document is today.")


def decisions(found: Iterable[Decision]) -> list[dict[str, Any]]:
    """Decisions as ``DecisionOut``."""
    return kept.stored(found)


def author(who: Who) -> dict[str, Any]:
    """An author as ``AuthorOut``."""
    return {
        "kind": who.kind,
        "label": who.label,
        "person": who.person_label,
        "email": who.email,
        "agent": who.agent_id or None,
        "host": who.host,
    }
