"""Grants: who was given what role where."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Forbidden, Gone, Invalid, NotFound
from workspace.queries import access
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, nothing
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import ROLES
from workspace.rest.schema import LOCATION, operation, query
from workspace.services import sharing


class NewGrant(bodies.Inputs):
    location = bodies.Text(help_text="A folder, with all that is and will be below it, or a document.")
    subject = bodies.Text(help_text="An email address, or group:NAME.")
    role = bodies.Word(choices=ROLES)


class GrantOut(serializers.Serializer[Any]):
    """A role that somebody was given at a place."""

    location = serializers.CharField(help_text="Where it was given.")
    subject = serializers.CharField(help_text="An email address, or group:NAME.")
    role = serializers.ChoiceField(choices=ROLES)


class HeldGrantOut(GrantOut):
    """A grant that holds at a place, given there or on a folder above."""

    kind = serializers.ChoiceField(choices=["person", "group"])
    label = serializers.CharField(help_text="The name to show.")  # type: ignore[assignment]
    inherited = serializers.BooleanField(help_text="Whether it was given on a folder above.")
    created_at = serializers.DateTimeField()


class HeldGrantsOut(serializers.Serializer[Any]):
    items = HeldGrantOut(many=True)
    next_cursor = serializers.CharField(allow_null=True, help_text="Always null.")


EXAMPLE = {"location": "product/launch", "subject": "bob@example.org", "role": "editor"}


class Grants(Endpoint):
    @operation(
        "listGrants",
        "List the grants of a place",
        tag="sharing",
        ok=HeldGrantsOut,
        parameters=[LOCATION],
        refuses=[NotFound, Gone, Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """The place's own grants first, then those of the folders above."""
        found = access.grants(self.actor, location=parameters.required(request, "location"))
        return answer({"items": [held(one) for one in found], "next_cursor": None})

    @operation(
        "grant",
        "Share",
        tag="sharing",
        ok=GrantOut,
        status=201,
        request=NewGrant,
        refuses=[NotFound, Gone, Forbidden],
        sends={"An editor": EXAMPLE},
        examples={"Shared": EXAMPLE},
    )
    def post(self, request: Request) -> HttpResponse:
        """Gives the subject exactly this role there. An editor shares up to editor; managers make managers."""
        made = sharing.grant(self.actor, **bodies.read(request, NewGrant))
        return answer({"location": made.location, "subject": made.subject, "role": made.role}, status=201)

    @operation(
        "revoke",
        "Stop sharing",
        tag="sharing",
        status=204,
        parameters=[LOCATION, query("subject", "An email address, or group:NAME.", required=True)],
        refuses=[NotFound, Gone, Forbidden, Invalid],
    )
    def delete(self, request: Request) -> HttpResponse:
        """Takes back what was given at the place itself; what is inherited stays. The last manager cannot leave."""
        sharing.revoke(
            self.actor,
            location=parameters.required(request, "location"),
            subject=parameters.required(request, "subject"),
        )
        return nothing()


def held(found: access.GrantRow) -> dict[str, Any]:
    """A grant as ``HeldGrantOut``."""
    return {
        "location": found.location,
        "subject": found.subject,
        "role": found.role.label,
        "kind": found.kind,
        "label": found.label,
        "inherited": bool(found.inherited_from),
        "created_at": moment(found.created_at),
    }
