"""Who calls."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.queries import agents
from workspace.rest.answers import answer
from workspace.rest.endpoint import Endpoint
from workspace.rest.schema import operation


class PersonOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    email = serializers.CharField()
    admin = serializers.BooleanField(help_text="Administrators see and manage everything.")


class AgentOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    host = serializers.CharField(help_text="The program it runs in.")


class MeOut(serializers.Serializer[Any]):
    """A person, and the agent that acts for them, where one does."""

    person = PersonOut()
    agent = AgentOut(allow_null=True)
    scopes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What narrows the agent, as ROLE@LOCATION (`*` is everywhere). Empty: the person's whole reach.",
    )


class Me(Endpoint):
    @operation(
        "readMe",
        "Who calls",
        tag="me",
        ok=MeOut,
        examples={
            "An agent": {
                "person": {"name": "Alice", "email": "alice@example.org", "admin": False},
                "agent": {"id": "agt_01kb7n1f3h5k7m9p1r3t5v7x9z", "name": "scout", "host": "claude-code"},
                "scopes": ["editor@product/launch"],
            }
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """The person behind the credential, the agent if it is an agent's, and what narrows that agent."""
        return answer(identity(agents.identity(self.actor)))


def identity(found: agents.Identity) -> dict[str, Any]:
    """An identity as ``MeOut``."""
    agent = {"id": found.agent_id, "name": found.agent_name, "host": found.host} if found.agent_id else None
    return {
        "person": {"name": found.name, "email": found.email, "admin": found.admin},
        "agent": agent,
        "scopes": list(found.scopes),
    }
