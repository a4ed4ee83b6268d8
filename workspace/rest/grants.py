"""Grants: who was given what role where."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import AccessChange, Forbidden, Gone, Invalid, NotFound
from workspace.queries import access
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, nothing
from workspace.rest.endpoint import Endpoint
from workspace.rest.provenance import ROLES
from workspace.rest.schema import LOCATION, answered, operation, query
from workspace.services import previews, sharing
from workspace.services.previews import Preview


class NewGrant(bodies.Inputs):
    location = bodies.Text(help_text="A folder, with all that is and will be below it, or a document.")
    subject = bodies.Text(help_text="An email address, or group:NAME.")
    role = bodies.Word(choices=ROLES)
    preview = bodies.Flag(required=False, help_text="true: tells what this would change, and changes nothing.")
    confirm_token = bodies.Text(
        required=False,
        longest=2000,
        help_text="Of a preview. It is done only if that was of this very change and what was told still holds.",
    )


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


class ChangeOut(serializers.Serializer[Any]):
    """A person's highest role here, before and after; null where they have none."""

    email = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    role_before = serializers.ChoiceField(choices=ROLES, allow_null=True)
    role_after = serializers.ChoiceField(choices=ROLES, allow_null=True)


class CountsOut(serializers.Serializer[Any]):
    """Of people, the named ones and the others."""

    gain = serializers.IntegerField()
    lose = serializers.IntegerField()
    keep = serializers.IntegerField()


class PreviewOut(serializers.Serializer[Any]):
    """What a grant, or its taking back, would change for whom."""

    location = serializers.CharField()
    subject = serializers.CharField(help_text="An email address, or group:NAME.")
    role = serializers.ChoiceField(choices=ROLES, allow_null=True, help_text="Null where a grant is taken back.")
    role_before = serializers.ChoiceField(
        choices=ROLES, allow_null=True, help_text="What the subject's own grant at the place gives now."
    )
    gains = ChangeOut(many=True, help_text="Up to 100 of them.")
    loses = ChangeOut(many=True, help_text="Up to 100 of them.")
    keeps = ChangeOut(many=True, help_text="Who holds as much by another grant, or as administrator; up to 100.")
    people = CountsOut()
    more = serializers.IntegerField(help_text="How many gain or lose and are not named.")
    documents = serializers.IntegerField(help_text="That are there now.")
    folders = serializers.IntegerField(help_text="That are there now, the place itself among them.")
    future = serializers.BooleanField(help_text="Whether what is put there later is included.")
    changes = serializers.BooleanField(help_text="False where the grant is there already.")


class ConfirmableOut(PreviewOut):
    """Nothing was changed; this is what the same call with ``confirm_token`` changes."""

    detail = serializers.CharField(help_text="The same in a sentence or a few.")
    confirm_token = serializers.CharField(help_text="Good for 10 minutes, for you, and for this change alone.")


EXAMPLE = {"location": "product/launch", "subject": "bob@example.org", "role": "editor"}
GAINS = {"email": "bob@example.org", "label": "Bob", "role_before": None, "role_after": "editor"}
PREVIEW = {
    **EXAMPLE,
    "role_before": None,
    "gains": [GAINS],
    "loses": [],
    "keeps": [],
    "people": {"gain": 1, "lose": 0, "keep": 0},
    "more": 0,
    "documents": 12,
    "folders": 3,
    "future": True,
    "changes": True,
    "detail": "Bob gains reading and writing of 12 documents in 3 folders, and of everything put here later.",
    "confirm_token": "WyJwZXJzb246NyIsIjlmMmMi…",
}
TAKEN_BACK = {
    **PREVIEW,
    "role": None,
    "role_before": "editor",
    "gains": [],
    "loses": [{**GAINS, "role_before": "editor", "role_after": None}],
    "people": {"gain": 0, "lose": 1, "keep": 0},
    "detail": "Bob loses all access to 12 documents in 3 folders, and to everything put here later.",
}
PREVIEWED = "With preview: what it would change. Nothing was changed."


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
        refuses=[NotFound, Gone, Forbidden, AccessChange],
        sends={
            "At once": EXAMPLE,
            "A preview": {**EXAMPLE, "preview": True},
            "As previewed": {**EXAMPLE, "confirm_token": PREVIEW["confirm_token"]},
        },
        examples={"Shared": EXAMPLE},
        also={200: answered(ConfirmableOut, PREVIEWED, status=200, examples={"A preview": PREVIEW})},
    )
    def post(self, request: Request) -> HttpResponse:
        """Gives the subject exactly this role there. An editor shares up to editor, unless a manager turned that off;
        managers make managers. With `preview` it changes nothing and tells who would gain what; with the
        `confirm_token` of that it is done only as it was told, else refused with `ACCESS_CHANGE` and a fresh preview;
        with neither it is done at once."""
        body = bodies.read(request, NewGrant)
        shown, token = body.pop("preview", False), body.pop("confirm_token", None)
        if shown:
            _either(token)
            return answer(confirmable(sharing.preview(self.actor, **body), self._token("grant", body)))
        made = sharing.grant(self.actor, **body, confirm_token=token)
        return answer({"location": made.location, "subject": made.subject, "role": made.role}, status=201)

    def _token(self, action: str, change: dict[str, Any]) -> str:
        return sharing.confirm_token(self.actor, change={"action": action, **change})

    @operation(
        "revoke",
        "Stop sharing",
        tag="sharing",
        status=204,
        parameters=[
            LOCATION,
            query("subject", "An email address, or group:NAME.", required=True),
            query("preview", "true: tells what this would change, and changes nothing.", type=OpenApiTypes.BOOL),
            query("confirm_token", "Of a preview: it is done only as that told."),
        ],
        refuses=[NotFound, Gone, Forbidden, AccessChange, Invalid],
        also={200: answered(ConfirmableOut, PREVIEWED, status=200, examples={"A preview": TAKEN_BACK})},
    )
    def delete(self, request: Request) -> HttpResponse:
        """Takes back what was given at the place itself; what is inherited stays. The last manager cannot leave.
        `preview` and `confirm_token` as for sharing: who loses what, and who keeps it through another grant."""
        change = {name: parameters.required(request, name) for name in ("location", "subject")}
        shown, token = parameters.flag(request, "preview"), parameters.text(request, "confirm_token")
        if shown:
            _either(token)
            return answer(confirmable(sharing.preview_revoke(self.actor, **change), self._token("revoke", change)))
        sharing.revoke(self.actor, **change, confirm_token=token)
        return nothing()


def _either(token: str | None) -> None:
    if token is not None:
        raise Invalid("confirm_token", "is not taken together with preview. Send one of the two.")


def confirmable(found: Preview, token: str) -> dict[str, Any]:
    """A preview as ``ConfirmableOut``."""
    return {**found.data(), "detail": " ".join(previews.sentences(found)), "confirm_token": token}


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
