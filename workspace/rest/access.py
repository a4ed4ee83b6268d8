"""Access: who can read a place, and by which grant."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Gone, Invalid, NotFound
from workspace.queries import access
from workspace.rest import parameters
from workspace.rest.answers import page
from workspace.rest.endpoint import Endpoint
from workspace.rest.grants import HeldGrantOut, held
from workspace.rest.provenance import ROLES
from workspace.rest.schema import LOCATION, PAGED, operation, page_of


class ThroughOut(HeldGrantOut):
    """A grant that gives somebody their role."""

    chain = serializers.ListField(
        child=serializers.CharField(),
        help_text="The groups by which it reaches them, from the one it was given to down to the one they are in; "
        "empty for a grant to themselves.",
    )


class ReaderOut(serializers.Serializer[Any]):
    """A person who can read the place."""

    email = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    role = serializers.ChoiceField(choices=ROLES, help_text="The highest they hold.")
    administrator = serializers.BooleanField(help_text="Whether they manage everything, with or without a grant.")
    through = ThroughOut(many=True)


class Access(Endpoint):
    @operation(
        "readAccess",
        "List who can read a place",
        tag="sharing",
        ok=page_of(ReaderOut),
        parameters=[LOCATION, *PAGED],
        refuses=[NotFound, Gone, Invalid],
        examples={
            "Through a group in a group": {
                "items": [
                    {
                        "email": "carol@example.org",
                        "label": "Carol",
                        "role": "viewer",
                        "administrator": False,
                        "through": [
                            {
                                "location": "product",
                                "subject": "group:design",
                                "role": "viewer",
                                "kind": "group",
                                "label": "design",
                                "inherited": True,
                                "created_at": "2026-11-29T08:00:00.000000Z",
                                "chain": ["design", "illustrators"],
                            }
                        ],
                    }
                ],
                "next_cursor": None,
            }
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """Everybody by address, each with every grant that gives it: here or on a folder above, to themselves or
        through groups."""
        found = access.who(
            self.actor,
            location=parameters.required(request, "location"),
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, reader)


def reader(found: access.Holder) -> dict[str, Any]:
    """A person as ``ReaderOut``."""
    return {
        "email": found.email,
        "label": found.label,
        "role": found.role.label,
        "administrator": found.administrator,
        "through": [{**held(one), "chain": list(one.chain)} for one in found.through],
    }
