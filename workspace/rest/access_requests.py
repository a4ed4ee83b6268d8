"""Requests for access: asking for it, and answering those who ask."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import AccessChange, Forbidden, Gone, Invalid, NotFound, RateLimited
from workspace.queries import access_requests as reads
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.grants import PREVIEW, PREVIEWED, ConfirmableOut, confirmable
from workspace.rest.provenance import ROLES, AuthorOut, author
from workspace.rest.schema import PAGED, answered, in_path, operation, page_of, query
from workspace.services import access_requests, sharing

STATES = ("open", "approved", "declined", "withdrawn")
TO_DECIDE, MINE = "to_decide", "mine"
ID = in_path("id", "The request's id.")


class NewRequest(bodies.Inputs):
    location = bodies.Text(help_text="A folder or a document. It need not exist: the answer is the same.")
    role = bodies.Word(choices=ROLES)
    reason = bodies.Text(required=False, blank=True, help_text="For whoever decides.")


class NewDecision(bodies.Inputs):
    approve = bodies.Flag(help_text="false declines.")
    role = bodies.Word(choices=ROLES, required=False, help_text="The role asked for, or a lesser one.")
    answer = bodies.Text(required=False, blank=True, help_text="For whoever asked.")
    preview = bodies.Flag(required=False, help_text="true: tells what approving would change, and changes nothing.")
    confirm_token = bodies.Text(required=False, longest=2000, help_text="Of a preview: it is done only as that told.")


class AskedOut(serializers.Serializer[Any]):
    """A request as it stands."""

    id = serializers.CharField()
    location = serializers.CharField(help_text="As it was asked for.")
    role = serializers.ChoiceField(choices=ROLES)
    reason = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    granted = serializers.ChoiceField(choices=ROLES, allow_null=True, help_text="The role that came of it.")
    answer = serializers.CharField()
    created_at = serializers.DateTimeField()


class RequestOut(AskedOut):
    """A request in a list."""

    by = AuthorOut(help_text="Who asked. An agent asks for its person.")
    email = serializers.CharField(help_text="The person who would get the role.")
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(help_text="Empty while it is open.")


EXAMPLE = {
    "id": "acr_01kb7n2g4j6k8m0p2r4t6v8x0z",
    "location": "product/launch",
    "role": "editor",
    "reason": "I write the release notes.",
    "state": "open",
    "granted": None,
    "answer": "",
    "created_at": "2026-11-29T08:00:00.000000Z",
}


class AccessRequests(Endpoint):
    @operation(
        "listAccessRequests",
        "List requests for access",
        tag="sharing",
        ok=page_of(RequestOut),
        parameters=[
            query(
                "list",
                "`to_decide`: open ones of others that you may decide, oldest first. `mine`: yours, newest first.",
                enum=[TO_DECIDE, MINE],
                default=TO_DECIDE,
            ),
            query("location", "With `to_decide`: only those at or below this place."),
            query("state", "With `mine`: only those in this state.", enum=STATES),
            *PAGED,
        ],
        refuses=[Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Those that wait for you, or your own. A request for what never was looks like one nobody has answered."""
        place, state = parameters.text(request, "location"), parameters.word(request, "state", *STATES)
        limit, cursor = parameters.limit(request), parameters.cursor(request)
        if parameters.word(request, "list", TO_DECIDE, MINE) == MINE:
            if place is not None:
                raise Invalid("location", "is taken with list=to_decide only.")
            return page(reads.mine(self.actor, state=state, limit=limit, cursor=cursor), row)
        if state is not None:
            raise Invalid("state", "is taken with list=mine only. Those to decide are all open.")
        return page(reads.to_decide(self.actor, location=place, limit=limit, cursor=cursor), row)

    @operation(
        "askForAccess",
        "Ask for access",
        tag="sharing",
        ok=AskedOut,
        status=201,
        request=NewRequest,
        refuses=[Invalid, RateLimited],
        sends={"An editor": {"location": "product/launch", "role": "editor", "reason": "I write the release notes."}},
        examples={"Asked": EXAMPLE},
    )
    def post(self, request: Request) -> HttpResponse:
        """Goes to those who can share the place. The answer is the same whether there is such a place or not, and
        asking again while a request is open changes nothing. At most 20 of a person's are open at a time."""
        return answer(asked(access_requests.ask(self.actor, **bodies.read(request, NewRequest))), status=201)


class AccessRequest(Endpoint):
    @operation(
        "withdrawAccessRequest",
        "Withdraw a request for access",
        tag="sharing",
        status=204,
        parameters=[ID],
        refuses=[NotFound],
    )
    def delete(self, request: Request, id: str) -> HttpResponse:
        """One of your own. One that was answered already stays as it is."""
        access_requests.withdraw(self.actor, request=id)
        return nothing()


class Decisions(Endpoint):
    @operation(
        "decideAccessRequest",
        "Approve or decline a request for access",
        tag="sharing",
        ok=AskedOut,
        status=201,
        parameters=[ID],
        request=NewDecision,
        refuses=[NotFound, Gone, Forbidden, AccessChange],
        sends={
            "A lesser role": {"approve": True, "role": "viewer", "answer": "Reading will do for now."},
            "A preview": {"approve": True, "preview": True},
            "No": {"approve": False, "answer": "Ask Ann for a copy."},
        },
        examples={"Approved": EXAMPLE | {"state": "approved", "granted": "viewer"}},
        also={200: answered(ConfirmableOut, PREVIEWED, status=200, examples={"A preview": PREVIEW})},
    )
    def post(self, request: Request, id: str) -> HttpResponse:
        """For those who could share the place up to the role asked for. `preview` and `confirm_token` as for sharing.
        A request that was answered or withdrawn meanwhile is given as it stands."""
        body = bodies.read(request, NewDecision)
        if not body.pop("preview", False):
            return answer(asked(access_requests.decide(self.actor, request=id, **body)), status=201)
        if not body["approve"]:
            raise Invalid("preview", "is for approving: declining changes nobody's access.")
        if "confirm_token" in body:
            raise Invalid("confirm_token", "is not taken together with preview. Send one of the two.")
        role = body.get("role")
        found = access_requests.preview(self.actor, request=id, role=role)
        change = access_requests.change(self.actor, request=id, role=role)
        return answer(confirmable(found, sharing.confirm_token(self.actor, change=change)))


def asked(found: access_requests.Asked) -> dict[str, Any]:
    """A request as ``AskedOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "role": found.role,
        "reason": found.reason,
        "state": found.state,
        "granted": found.granted or None,
        "answer": found.answer,
        "created_at": moment(found.created_at),
    }


def row(found: reads.RequestRow) -> dict[str, Any]:
    """A request as ``RequestOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "role": found.role.label,
        "reason": found.reason,
        "state": found.state,
        "granted": found.granted.label if found.granted else None,
        "answer": found.answer,
        "created_at": moment(found.created_at),
        "by": author(found.by),
        "email": found.email,
        "decided_at": moment(found.decided_at),
        "decided_by": found.decided_by,
    }
