"""Who wrote something, in which commit, and by what role: the shapes that every noun shares."""

from typing import Any

from rest_framework import serializers

from workspace.actor import Role, Via
from workspace.queries import history
from workspace.queries.who import Who

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


class CommitOut(serializers.Serializer[Any]):
    """One accepted write; it never changes."""

    id = serializers.CharField(help_text="64 hex characters.")
    document = serializers.CharField(help_text="The document's id, doc_…")
    location = serializers.CharField(help_text="Where the document was then.")
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
    web_url = serializers.CharField()


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
