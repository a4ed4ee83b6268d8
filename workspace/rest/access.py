"""Access: who can read a place, and by which grant."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Gone, Invalid, NotFound
from workspace.queries import access
from workspace.rest import parameters
from workspace.rest.answers import answer
from workspace.rest.endpoint import Endpoint
from workspace.rest.grants import HeldGrantOut, held
from workspace.rest.provenance import ROLES
from workspace.rest.schema import LOCATION, operation


class ReaderOut(serializers.Serializer[Any]):
    """A person who can read the place."""

    email = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    role = serializers.ChoiceField(choices=ROLES, help_text="The highest they hold.")
    through = HeldGrantOut(many=True)


class ReadersOut(serializers.Serializer[Any]):
    items = ReaderOut(many=True)
    next_cursor = serializers.CharField(allow_null=True, help_text="Always null.")


class Access(Endpoint):
    @operation(
        "readAccess",
        "List who can read a place",
        tag="sharing",
        ok=ReadersOut,
        parameters=[LOCATION],
        refuses=[NotFound, Gone, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Every person, each with the grants that give it. Administrators, who see everything, are not listed."""
        found = access.readers(self.actor, location=parameters.required(request, "location"))
        people = [
            {
                "email": reader.email,
                "label": reader.label,
                "role": reader.role.label,
                "through": [held(one) for one in reader.through],
            }
            for reader in found
        ]
        return answer({"items": people, "next_cursor": None})
