"""Bindings: the folder that hosts read from in a repository."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Forbidden, Invalid, NotFound
from workspace.queries import bindings as reads
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import naming
from workspace.rest.schema import PAGED, in_path, operation, page_of, query
from workspace.services import bindings


class NewBinding(bodies.Inputs):
    repository = bodies.Text(
        longest=4000, help_text="Any address that it is cloned from. Kept as host/path, without a user or a password."
    )
    folder = bodies.Text(help_text="The location of the folder.")
    policy = bodies.Word(
        choices=bindings.POLICIES,
        required=False,
        help_text="What a host does where the folder cannot be asked: `optional` (the default) goes on and says so, "
        "`required` stops the prompt.",
    )
    deadline_ms = bodies.Whole(
        least=bindings.DEADLINES_MS[0],
        most=bindings.DEADLINES_MS[1],
        required=False,
        help_text=f"How long a prompt waits, in milliseconds; {bindings.DEADLINE_MS:,} where it is left out.",
    )
    budget_chars = bodies.Whole(
        least=bindings.BUDGETS_CHARS[0],
        most=bindings.BUDGETS_CHARS[1],
        required=False,
        help_text=f"How many characters a prompt gets at most; {bindings.BUDGET_CHARS:,} where it is left out.",
    )


class BindingOut(serializers.Serializer[Any]):
    """The folder of a repository."""

    id = serializers.CharField()
    repository = serializers.CharField()
    folder = serializers.CharField(help_text="Where you no longer see it: its location as it was bound.")
    policy = serializers.ChoiceField(choices=bindings.POLICIES)
    deadline_ms = serializers.IntegerField()
    budget_chars = serializers.IntegerField()
    capture = serializers.ChoiceField(
        choices=bindings.CAPTURES,
        help_text="Whether hosts save sessions by themselves. The person alone switches it, in the browser.",
    )
    own = serializers.BooleanField(help_text="false: the instance's default for everybody.")
    updated_at = serializers.DateTimeField()


EXAMPLE = {
    "id": "bnd_01kb7n2g4j6k8m0p2r4t6v8x0z",
    "repository": "github.com/acme/shop",
    "folder": "product/launch",
    "policy": "optional",
    "deadline_ms": 2000,
    "budget_chars": 8000,
    "capture": "off",
    "own": True,
    "updated_at": "2026-11-29T08:00:00.000000Z",
}


class Bindings(Endpoint):
    @operation(
        "listBindings",
        "List bindings",
        tag="captures",
        ok=page_of(BindingOut),
        parameters=[query("repository", "The one that holds for this repository, in any spelling."), *PAGED],
        refuses=[Invalid],
        examples={"Of one repository": {"items": [EXAMPLE], "next_cursor": None}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Yours, or your person's. With `repository`: yours, else the instance's default where you can read its
        folder, else none."""
        found = reads.listing(
            self.actor,
            repository=parameters.text(request, "repository"),
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, row)

    @operation(
        "bindRepository",
        "Bind a repository to a folder",
        tag="captures",
        ok=BindingOut,
        status=201,
        request=NewBinding,
        refuses=[NotFound, Forbidden],
        sends={
            "A repository": {"repository": "git@github.com:acme/shop.git", "folder": "product/launch"},
            "Never without": {
                "repository": "https://github.com/acme/shop",
                "folder": "product/launch",
                "policy": "required",
                "deadline_ms": 4000,
                "budget_chars": 12000,
            },
        },
        examples={"Bound": EXAMPLE},
    )
    def post(self, request: Request) -> HttpResponse:
        """Yours, in place of what you had bound before. Another folder switches the saving of sessions off."""
        body = bodies.read(request, NewBinding)
        with naming({"location": "folder"}):
            made = bindings.bind(self.actor, **body)
        return answer(row(reads.show(self.actor, id=made.id)), status=201)


class Binding(Endpoint):
    @operation(
        "removeBinding",
        "Remove a binding",
        tag="captures",
        status=204,
        parameters=[in_path("id", "The binding's id, bnd_…")],
        refuses=[NotFound, Forbidden],
    )
    def delete(self, request: Request, id: str) -> HttpResponse:
        """One of your own. What was saved stays."""
        bindings.remove(self.actor, binding=id)
        return nothing()


def row(found: reads.BindingRow) -> dict[str, Any]:
    """A binding as ``BindingOut``."""
    return {
        "id": found.id,
        "repository": found.repository,
        "folder": found.folder,
        "policy": found.policy,
        "deadline_ms": found.deadline_ms,
        "budget_chars": found.budget_chars,
        "capture": found.capture,
        "own": found.own,
        "updated_at": moment(found.updated_at),
    }
